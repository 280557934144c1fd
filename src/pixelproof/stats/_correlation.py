"""Correlations with clustered intervals."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import chunks, is_constant, percentile_interval, resample_weights
from ._clusters import FloatArray, as_values, cluster_count

Method = Literal["pearson", "spearman"]


def correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    method: Method = "pearson",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The correlation of x and y over rows that have both, with an interval of the cluster bootstrap.

    Rows with nan in x or y are left out. The value is nan where it is undefined: fewer than two rows, or no variation
    in x or y. The interval is (nan, nan) where the data cannot tell, as in `estimate`. With six rows or fewer it says
    next to nothing: resamples of two different rows correlate perfectly.

    Args:
        x: One number per row.
        y: Another.
        clusters: An integer per row; rows of one cluster are drawn together. None: every row stands alone.
        method: `pearson`, or `spearman` for ranks, which are taken anew in every resample.
        level: Of the interval.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    >>> correlation([1, 2, 3, 4], [1, 2, 3, 40], method="spearman").value
    1.0
    >>> correlation(range(12), [0, 2, 1, 3, 5, 4, 9, 6, 8, 7, 11, 10])
    Estimate(value=0.930..., lo=0.768..., hi=0.985...)
    """
    a, b = as_values(x), as_values(y)
    if len(a) != len(b):
        raise ValueError(f"x and y must be paired row by row, but have {len(a)} and {len(b)} rows")
    cluster_count(len(a), clusters)  # raises unless there is an integer per row
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    value = float(weighted_correlation(a, b, np.ones((1, len(a))), method)[0]) if len(a) else math.nan
    units, codes = np.unique(np.arange(len(a)) if clusters is None else np.asarray(clusters)[both], return_inverse=True)
    if math.isnan(value) or len(units) < 2:
        return Estimate(value, math.nan, math.nan)
    replicates = np.concatenate(
        [
            weighted_correlation(a, b, weights[:, codes], method)
            for block in resample_weights(len(units), resamples, seed)
            for weights in np.split(block, np.cumsum(list(chunks(len(block), len(a))))[:-1])
        ]
    )
    if is_constant(replicates):
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, *percentile_interval(value, replicates, len(units), level))


def weighted_correlation(x: FloatArray, y: FloatArray, weights: FloatArray, method: Method) -> FloatArray:
    """Correlations under several weightings of the rows, shape (weightings, rows); nan where undefined.

    A weight of 2 is worth the same row twice, and of 0, none.
    """
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        dx, dy = (_deviations(values, weights, total, method) for values in (x, y))
        covariance = (weights * dx * dy).sum(axis=1)
        spread = [(weights * d * d).sum(axis=1) for d in (dx, dy)]
        found = np.clip(covariance / np.sqrt(spread[0] * spread[1]), -1.0, 1.0)
    return np.where((spread[0] > 0) & (spread[1] > 0), found, math.nan)


def _deviations(values: FloatArray, weights: FloatArray, total: FloatArray, method: Method) -> FloatArray:
    """Values, or their ranks, less their weighted mean; exactly 0 where nothing varies."""
    ranked = _ranks(values, weights) if method == "spearman" else np.broadcast_to(values, weights.shape)
    drawn = weights > 0
    low, high = np.where(drawn, ranked, np.inf).min(axis=1), np.where(drawn, ranked, -np.inf).max(axis=1)
    deviations: FloatArray = ranked - (weights * ranked).sum(axis=1, keepdims=True) / total
    # The mean of a constant may differ from it by rounding, which would look like variation.
    deviations[low >= high] = 0.0
    return deviations


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Mid-ranks among weighted rows, up to a constant."""
    order = np.argsort(values, kind="stable")
    _, starts, inverse = np.unique(values[order], return_index=True, return_inverse=True)
    ties = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(ties, axis=1) - ties / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = middles[:, inverse]
    return ranks
