"""Figures of docs/methods/judges.md: what judges of known error say about the controls, and statistics of images.

    python benchmarks/evalmi.py [--items 42] [--source flat]

No model is measured here: the judges are programs that know the generated scenes (`benches/evalmi/simulated.py`).
"""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import pixelproof
from pixelproof.benches.evalmi import EvalMi
from pixelproof.contract import Source
from pixelproof.metrics import blockiness, colourfulness, laplacian_variance, mscn_shape, noise_sigma, rms_contrast
from pixelproof.pixels import answer_image, blur
from pixelproof.stats import generator

JUDGES = {
    "exact": "exact",
    "judge": "10 % of yes/no and 20 % of levels wrong",
    "always_excellent": "always excellent and yes",
}
DIAGNOSTIC = ("praise", "caption", "collage")
"""Controls that calibrate nothing."""
METRICS = ("judge.correspondence", "judge.facts", "judge.solved", "judge.perception")


def controls_table(source: str, items: int) -> list[str]:
    """Mean of every judged metric for every control and judge, and whether scores are calibrated."""
    lines = ["| judge | control | " + " | ".join(name.removeprefix("judge.") for name in METRICS) + " |"]
    lines.append("| --- | --- | " + " | ".join("---" for _ in METRICS) + " |")
    for name, about in JUDGES.items():
        with tempfile.TemporaryDirectory() as folder:
            judge = f"fn/pixelproof.benches.evalmi.simulated:{name}"
            options = {"source": source, "limit": items, "judge": judge, "out": Path(folder) / "run"}
            run = pixelproof.run("evalmi", "control/ceiling-truth", **options)
            for control, table in run.controls().items():
                means = [np.nanmean(table[metric].to_numpy()) for metric in METRICS]
                lines.append(f"| {about} | `{control}` | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
            for control in DIAGNOSTIC if name == "exact" else ():
                options["out"] = Path(folder) / control
                metrics = pixelproof.run("evalmi", f"control/{control}", **options).summary["metrics"]
                values = " | ".join(f"{metrics[metric]['value']:.2f}" for metric in METRICS)
                lines.append(f"| {about} | `{control}` | {values} |")
            summary = run.summary["metrics"]
            defined = ["yes" if summary[metric]["calibrated"] else "no" for metric in METRICS]
            lines.append(f"| {about} | calibrated score defined | " + " | ".join(defined) + " |")
    return lines


def chance_table(source: str, items: int) -> list[str]:
    """Share of facts that hold in the image of another prompt, by task, with the exact judge."""
    with tempfile.TemporaryDirectory() as folder:
        judge = "fn/pixelproof.benches.evalmi.simulated:exact"
        options = {"source": source, "limit": items, "judge": judge, "out": Path(folder) / "run"}
        run = pixelproof.run("evalmi", "control/floor-other-prompt", **options)
        tasks = run.summary["groups"]["task"]
    lines = ["| task | n | facts | solved |", "| --- | --- | --- | --- |"]
    for task, metrics in sorted(tasks.items()):
        facts, solved = metrics["judge.facts"], metrics["judge.solved"]
        lines.append(f"| {task} | {facts['n']} | {facts['value']:.2f} | {solved['value']:.2f} |")
    return lines


def statistics_table() -> list[str]:
    """Statistics of photographs, of damaged ones, of noise and of graphics."""
    import skimage.data

    photo = skimage.data.astronaut()
    buffer = io.BytesIO()
    Image.fromarray(photo).save(buffer, "JPEG", quality=5)
    bench = EvalMi()
    item = next(iter(bench.items(Source("flat"), 0, 3)))
    flat = answer_image(bench.controls()["ceiling-truth"](item, generator(0, "figure")))
    assert isinstance(flat, np.ndarray)
    images = {
        "photograph (astronaut)": photo,
        "photograph (coffee)": skimage.data.coffee(),
        "photograph (cat)": skimage.data.chelsea(),
        "astronaut, blurred by 2 pixels": blur(photo, 2.0),
        "astronaut, JPEG quality 5": np.asarray(Image.open(buffer)),
        "flat graphics": flat,
        "uniform noise": np.random.default_rng(0).integers(0, 256, photo.shape, dtype=np.uint8),
    }
    measures = (laplacian_variance, rms_contrast, colourfulness, noise_sigma, blockiness, mscn_shape)
    names = ("sharpness", "contrast", "colourfulness", "noise", "blockiness", "MSCN shape")
    lines = ["| image | " + " | ".join(names) + " |", "| --- | " + " | ".join("---" for _ in names) + " |"]
    for name, rgb in images.items():
        values = [measure(np.ascontiguousarray(rgb)) for measure in measures]
        lines.append(
            f"| {name} | " + " | ".join(f"{value:,.0f}" if value >= 100 else f"{value:.2f}" for value in values) + " |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=42)
    parser.add_argument("--source", default="flat")
    parser.add_argument("--only", choices=("controls", "chance", "statistics"))
    given = parser.parse_args()
    tables = {
        "controls": lambda: controls_table(given.source, given.items),
        "chance": lambda: chance_table(given.source, given.items),
        "statistics": statistics_table,
    }
    for name, make in tables.items():
        if given.only in (None, name):
            print("\n".join([name, "", *make(), ""]))


if __name__ == "__main__":
    main()
