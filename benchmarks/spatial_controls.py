"""Figures of docs/methods/editors.md: what each control scores, by our formulas and by the published ones.

    python benchmarks/spatial_controls.py [--items 36] [--size 256] [--quality draft] [--seed 7]

Every number is of pictures that the world renders: no model is measured here.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import pixelproof
from pixelproof.benches.spatial import Spatial

METRICS = ("ic", "sa", "ac", "el", "joint", "shadow", "impossible")
BESIDE = ("ceiling-truth", "floor-copy", "wrong-direction")
PUBLISHED = ("micro.ic", "published.ic", "micro.sa", "published.sa")


def control_runs(bench: Spatial, items: int, seed: int, names: Iterable[str]) -> dict[str, pixelproof.Run]:
    """A run of each control on the same items."""
    folder, runs = Path(tempfile.mkdtemp()), {}
    for name in names:
        runs[name] = pixelproof.run(bench, f"control/{name}", seed=seed, limit=items, out=folder / name, calibrate=0)
    return runs


def value(summary: dict, metric: str) -> str:
    """A value of a summary; a dash where the control has none."""
    return f"{summary[metric]['value']:.2f}" if metric in summary and summary[metric]["value"] is not None else "–"


def controls_table(runs: dict[str, pixelproof.Run]) -> list[str]:
    """Every headline metric of every control."""
    lines = ["| control | " + " | ".join(METRICS) + " | scored |", "| --- |" + " ---: |" * (len(METRICS) + 1)]
    for name, run in runs.items():
        counts = run.summary["counts"]
        cells = [value(run.summary["metrics"], metric) for metric in METRICS]
        scored = f"{counts['completed'] - counts['model_faults']} of {counts['planned']}"
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {scored} |")
    return lines


def published_table(runs: dict[str, pixelproof.Run]) -> list[str]:
    """Our scores and the published ones by operation, of the truth, a copy and the opposite direction."""
    lines = ["| control | operation | n | IC | published | SA | published |", "| --- | --- |" + " ---: |" * 5]
    for name in BESIDE:
        rows: dict[str, list[list[float]]] = {}
        for row in runs[name].rows():
            values = [row[metric] for metric in PUBLISHED]
            if all(value is not None for value in values):
                rows.setdefault(row["tag.operation"], []).append(values)
        for operation, of in rows.items():
            cells = " | ".join(f"{mean:.2f}" for mean in np.mean(of, axis=0))
            lines.append(f"| `{name}` | {operation} | {len(of)} | {cells} |")
    return lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=36)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--quality", default="draft")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    bench = Spatial(perception="oracle", size=given.size, quality=given.quality, gallery=0)
    start = time.process_time()
    runs = control_runs(bench, given.items, given.seed, bench.controls())
    print("\n".join(controls_table(runs)), "\n")
    original = replace(bench, preset="gsi")
    print("\n".join(published_table(control_runs(original, given.items, given.seed, BESIDE))), "\n")
    print(f"{given.items} items, {given.size} px, {given.quality}; {time.process_time() - start:.0f} CPU-s in all")


if __name__ == "__main__":
    main()
