"""Clustered intervals of SRCC, PLCC and KRCC on 50,400 rows: ours, beside a plain loop over scipy, in one run.

    python benchmarks/stats.py              10,000 resamples of ours, 20 of the loop; made-up rows
    python benchmarks/stats.py --data DIR   the annotations of EvalMi-50K

The loop draws the same prompts, so each of its values must equal ours. What is reported is the ratio of the costs per
resample, with the preparation of ours in its total.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import stats as scipy_stats

from pixelproof.benches.evalmi.data import load
from pixelproof.stats import resampled_correlations
from pixelproof.stats._bootstrap import resample_weights

METHODS = {"spearman": scipy_stats.spearmanr, "pearson": scipy_stats.pearsonr, "kendall": scipy_stats.kendalltau}


def rows_of(data: Path | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if data is not None:
        table = load(data)
        return table.targets["correspondence"], table.targets["perception"], table.cluster
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(2100), 24)
    y = rng.normal(size=2100)[clusters] + rng.normal(size=len(clusters))
    return np.round(y + rng.normal(size=len(y)), 1), y, clusters


def plain_loop(x: np.ndarray, y: np.ndarray, clusters: np.ndarray, weights: np.ndarray) -> dict[str, list[float]]:
    codes = np.unique(clusters, return_inverse=True)[1]
    found: dict[str, list[float]] = {name: [] for name in METHODS}
    for row in weights:
        drawn = np.repeat(np.arange(len(x)), row[codes].astype(int))
        for name, function in METHODS.items():
            found[name].append(float(function(x[drawn], y[drawn])[0]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--loop", type=int, default=20)
    options = parser.parse_args()
    x, y, clusters = rows_of(options.data)
    start = time.perf_counter(), time.process_time()
    ours = resampled_correlations({"x": x}, y, clusters, resamples=options.resamples)["x"]
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    weights = next(iter(resample_weights(len(np.unique(clusters)), options.resamples, 0)))[: options.loop]
    start = time.perf_counter(), time.process_time()
    plain = plain_loop(x, y, clusters, weights)
    loop_wall, loop_cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    worst = max(np.abs(ours[m].replicates[: options.loop] - plain[m]).max() for m in METHODS)
    count = len(weights)
    print(f"{len(x):,} rows in {len(np.unique(clusters)):,} clusters, {options.resamples:,} resamples")
    for method in METHODS:
        found = ours[method].estimate()
        print(f"  {method:9} {found.value:.6f} [{found.lo:.4f}, {found.hi:.4f}]")
    print(f"ours: {wall:.1f} s ({cpu:.1f} s CPU), {1000 * wall / options.resamples:.2f} ms per resample in all")
    print(f"plain scipy loop: {1000 * loop_wall / count:.1f} ms per resample ({1000 * loop_cpu / count:.1f} ms CPU)")
    ratio, of_cpu = loop_wall / count / (wall / options.resamples), loop_cpu / count / (cpu / options.resamples)
    print(f"ratio: {ratio:.1f} by the clock, {of_cpu:.1f} by CPU time; greatest difference of a value {worst:.1e}")


if __name__ == "__main__":
    main()
