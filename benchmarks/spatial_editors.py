"""Figures of docs/methods/editors.md: editors of known ability, and pictures that are not from our renderer.

    python benchmarks/spatial_editors.py [--items 24] [--size 256] [--quality draft] [--seed 7] [--out DIR]

Every answer is scored from its pixels, by `--perception render-and-compare`; floors and ceilings, too. Editors whose
networks are not installed are left out.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.ndimage import binary_dilation

os.environ.setdefault("MUJOCO_GL", "egl")  # MuJoCo reads it when it is imported, also for physics

import pixelproof  # noqa: E402
from pixelproof.benches.spatial import Spatial  # noqa: E402
from pixelproof.benches.spatial._metrics import operation_counts  # noqa: E402
from pixelproof.benches.spatial._pairs import OPERATIONS  # noqa: E402
from pixelproof.contract import Fault, Item, PixelProofError, Source  # noqa: E402
from pixelproof.pixels import encode_png  # noqa: E402
from pixelproof.stats import Undefined, pooled_interval  # noqa: E402
from pixelproof.world.edits import without  # noqa: E402

EDITORS = (
    "control/floor-copy", "control/floor-blank", "control/floor-prior", "nets/cut-paste", "nets/cut-paste-migan",
    "nets/cut-paste-sam2", "nets/cut-paste-sam2-migan", "control/perfect-2d", "control/ceiling-channel",
    "control/ceiling-truth",
)  # fmt: skip
AT_FLOOR = ("ic", "sa", "joint")
"""Metrics in which a copy has 0: a declined edit counts as that."""
METRICS = ("ic", "sa", "ac", "el", "joint", "shadow")
PUBLISHED = ("micro.ic", "published.ic", "micro.sa", "published.sa")
Maker = Callable[[Spatial, Item], np.ndarray]


def mujoco_picture(bench: Spatial, item: Item) -> np.ndarray:
    """The target as MuJoCo renders it."""
    from mujoco_pictures import render_mujoco

    return render_mujoco(bench.pair_of(item).after, item.inputs["size"])


def collage(bench: Spatial, item: Item) -> np.ndarray:
    """The photograph with the named things as MuJoCo renders them, where they should be, without their shadows."""
    pair, renderer = bench.pair_of(item), bench.renderer_of(item)
    if pair.after.camera != pair.before.camera or not pair.possible:
        raise PixelProofError("a collage shows things, not views")
    empty = pair.before
    for id in pair.named:
        empty = without(empty, id) if any(thing.id == id for thing in empty.things) else empty
    before, plate, after = (renderer.render(scene) for scene in (pair.before, empty, pair.after))

    def shown(scene, ids):
        return np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing.id in pair.named])

    old, new = shown(pair.before, before.ids), shown(pair.after, after.ids)
    picture = np.where(binary_dilation(old, iterations=2)[..., None], plate.rgb, before.rgb)
    return np.where(new[..., None], mujoco_picture(bench, item), picture)


FOREIGN: dict[str, Maker] = {"target by MuJoCo": mujoco_picture, "things by MuJoCo in our photograph": collage}


def foreign_run(name: str, make: Maker, bench: Spatial, items: int, seed: int, out: Path) -> pixelproof.Run:
    """Write pictures as files, and run them as a folder of answers; edits without a picture are left out."""
    folder = out / f"{name} pictures"
    folder.mkdir(parents=True)
    lines = ["item,sample,file,failure"]
    for item in bench.items(Source("world"), seed, items):
        file = f"{item.id.replace('/', '__')}.png"
        try:
            (folder / file).write_bytes(encode_png(make(bench, item)).data)
            lines.append(f"{item.id},0,{file},")
        except PixelProofError:
            continue
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n")
    return pixelproof.run(bench, f"folder/{folder}", seed=seed, limit=items, out=out / name, calibrate=0)


def cell(run: pixelproof.Run, bench: Spatial, name: str) -> str:
    """Mean over operations with its interval; a declined edit counts as 0 where a copy does; a dash without a value."""
    metric = next(one for one in bench.metrics if one.name == name)
    items = {item.id: item for item in run.items()}
    states, clusters = [], []
    for result in run.results(bench):
        item = items[result.item]
        place = OPERATIONS.index(item.tags["operation"]) if item.tags["operation"] in OPERATIONS else None
        declined = result.failure is not None and result.failure.fault is Fault.MODEL
        if name in result.metrics:
            states.append(result.metrics[name])
        elif declined and name in AT_FLOOR and place is not None:
            states.append(operation_counts(place, len(OPERATIONS), 0.0))
        else:
            continue
        clusters.append(item.cluster)
    if not states:
        return "–"
    numbers = np.unique(clusters, return_inverse=True)[1]
    found = pooled_interval(states, metric.pool, metric.range, numbers, ratios=metric.ratios)
    if isinstance(found, Undefined):
        return f"{float(metric.pool(np.sum(states, axis=0))):.2f}"
    return f"{found.value:.2f} [{found.lo:.2f}, {found.hi:.2f}]"


def editors_table(runs: dict[str, pixelproof.Run], bench: Spatial) -> list[str]:
    """Every headline metric of every editor, and how many of its answers count."""
    lines = [
        "| editor | " + " | ".join(METRICS) + " | declined | unscored |",
        "| --- |" + " ---: |" * (len(METRICS) + 2),
    ]
    for name, run in runs.items():
        counts = run.summary["counts"]
        unscored = counts["unscored"] + counts["abstained"]
        cells = [cell(run, bench, metric) for metric in METRICS]
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {counts['model_faults']} | {unscored} |")
    return lines


def operations_table(runs: dict[str, pixelproof.Run]) -> list[str]:
    """Mean IC and SA of each editor by operation; a dash where it declined, or was not scored."""
    operations: dict[str, None] = {}
    values: dict[str, dict[str, list[float]]] = {}
    for name, run in runs.items():
        for row in run.rows():
            operations.setdefault(row["tag.operation"])
            if row["micro.ic"] is not None:
                values.setdefault(name, {}).setdefault(row["tag.operation"], []).append(row["micro.sa"])
    lines = ["| SA of | " + " | ".join(operations) + " |", "| --- |" + " ---: |" * len(operations)]
    for name, of in values.items():
        cells = [f"{np.mean(of[one]):.2f} ({len(of[one])})" if one in of else "–" for one in operations]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


def published_table(runs: dict[str, pixelproof.Run]) -> list[str]:
    """Our scores and the published ones, of the answers that have both."""
    lines = ["| editor | n | IC | published | SA | published |", "| --- |" + " ---: |" * 5]
    for name, run in runs.items():
        rows = [[row[metric] for metric in PUBLISHED] for row in run.rows()]
        whole = [row for row in rows if all(value is not None for value in row)]
        if whole:
            cells = " | ".join(f"{mean:.2f}" for mean in np.mean(whole, axis=0))
            lines.append(f"| `{name}` | {len(whole)} | {cells} |")
    return lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=24)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--quality", default="draft")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--preset", default="all")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--only", nargs="*", default=list(EDITORS) + list(FOREIGN))
    given = parser.parse_args()
    look = {"size": given.size, "quality": given.quality, "preset": given.preset}
    bench = Spatial(perception="render-and-compare", annotations="things", **look)
    out, start, runs = given.out or Path(tempfile.mkdtemp()), time.process_time(), {}
    for name in (one for one in EDITORS if one in given.only):
        began = time.process_time()
        try:
            folder = out / name.replace("/", "-")
            runs[name] = pixelproof.run(
                bench, name, seed=given.seed, limit=given.items, out=folder, calibrate=0, workers=1
            )
        except PixelProofError as error:
            print(f"{name}: {error}", flush=True)
            continue
        print(f"{name}: {time.process_time() - began:.0f} CPU-s", flush=True)
    for name, make in FOREIGN.items():
        if name in given.only:
            runs[name] = foreign_run(name, make, bench, given.items, given.seed, out)
    for table in (editors_table(runs, bench), operations_table(runs), published_table(runs)):
        print("\n" + "\n".join(table), flush=True)
    print(f"\n{given.items} items, {given.size} px, {given.quality}; {time.process_time() - start:.0f} CPU-s in all")


if __name__ == "__main__":
    main()
