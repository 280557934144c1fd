"""Statistics over several answers per item: spread within and between items, best of k."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate, Sampling
from pixelproof.stats import Bounds, Undefined, best_of_k, mean_interval

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_SHOWN = (1, 2, 3, 5, 10, 20, 50, 100)


def sampling(
    values: Floats, items: Places, clusters: Places, lower_is_better: bool = False, bounds: Bounds | None = None
) -> Sampling | None:
    """Spread within and between items, and the best of k over the items with at least k answers.

    Args:
        values: A number per answer.
        items: The item of each answer; answers to one item are adjacent, in the order of their samples.
        clusters: The cluster of each answer.
        lower_is_better: Whether the best answer has the smallest value.
        bounds: Smallest and largest possible value; None: no range.

    Returns:
        The statistics; None if no item has two answers.
    """
    _, starts, counts = np.unique(items, return_index=True, return_counts=True)
    most = int(counts.max(initial=0))
    if most < 2:
        return None
    sign = -1.0 if lower_is_better else 1.0
    answers = [sign * values[start : start + count] for start, count in zip(starts, counts, strict=True)]
    cluster_of = clusters[starts]
    best, of_first, numbers = {}, {}, {}
    for k in (k for k in _SHOWN if k <= most):
        there = counts >= k
        chosen = [row for row, enough in zip(answers, there, strict=True) if enough]
        expected = np.array([best_of_k(row, k) for row in chosen])
        interval = mean_interval(sign * expected, bounds, cluster_of[there])
        best[str(k)] = Estimate(interval.value, math.nan, math.nan) if isinstance(interval, Undefined) else interval
        of_first[str(k)] = float(sign * np.mean([row[:k].max() for row in chosen]))
        numbers[str(k)] = len(chosen)
    variances = [row.var(ddof=1) for row in answers if len(row) > 1]
    means = np.array([row.mean() for row in answers])
    between = float(means.std(ddof=1)) if len(means) > 1 else math.nan
    return Sampling(float(np.sqrt(np.mean(variances))), between, best, of_first, numbers)
