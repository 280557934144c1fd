"""Cluster bootstrap of additive states, and percentile intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from pixelproof.contract import Estimate

from ._clusters import (
    FloatArray,
    as_states,
    as_values,
    cluster_count,
    cluster_sums,
    effective_size,
    finish_mean,
    is_binary,
    mean_states,
)
from ._draws import generator
from ._proportions import wilson

Finish = Callable[[Any], Any]
"""Maps sums of states, shape (..., k), to values, shape (...)."""

_CHUNK = 2**19
"""Draws per batch, which take 4 MB."""


def bootstrap(
    states: npt.ArrayLike,
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> FloatArray:
    """Replicates of `finish(states.sum(axis=0))` over resampled clusters.

    Args:
        states: Row states, shape (n, k).
        finish: Maps sums of states, shape (..., k), to values, shape (...); nan where undefined.
        clusters: An integer per row; rows of one cluster are drawn together. None: every row stands alone.
        resamples: How many replicates.
        seed: Which replicates; a function of the seed and the number of clusters alone.

    >>> bootstrap(mean_states([0.0, 1.0, 5.0]), finish_mean, resamples=4).round(2).tolist()
    [2.33, 0.33, 2.33, 3.67]
    """
    replicates: FloatArray = bootstrap_jointly([states], finish, clusters, resamples, seed)[0]
    return replicates


def bootstrap_jointly(
    matrices: Sequence[npt.ArrayLike],
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> FloatArray:
    """Replicates of several state matrices over the same rows, shape (matrices, resamples).

    A column is one resample, the same for all matrices, so differences and ratios of replicates are paired.
    """
    sums = [cluster_sums(as_states(states), clusters) for states in matrices]
    count = len(sums[0])
    if any(len(other) != count for other in sums):
        raise ValueError(f"matrices must have the same rows, but have {[len(other) for other in sums]}")
    replicates = np.full((len(sums), resamples), math.nan)
    if count == 0:
        return replicates
    done = 0
    for weights in resample_weights(count, resamples, seed):
        here = slice(done, done := done + len(weights))
        for row, matrix in zip(replicates, sums, strict=True):
            row[here] = _finished(finish, weights @ matrix)
    return replicates


def estimate(
    states: npt.ArrayLike,
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The pooled value of all rows, with a percentile interval of the cluster bootstrap.

    The interval is (nan, nan) where it cannot be known: with fewer than two clusters, and when all resamples give the
    same value, for then the data say nothing about the spread.

    >>> states = [[3, 10], [1, 10], [4, 20], [9, 10]]  # hits and pixels of four images
    >>> estimate(states, lambda sums: sums[..., 0] / sums[..., 1])
    Estimate(value=0.34, lo=0.1, hi=0.9)
    """
    matrix = as_states(states)
    value = point(matrix, finish)
    replicates = bootstrap(matrix, finish, clusters, resamples, seed)
    if is_constant(replicates):
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, *percentile_interval(value, replicates, cluster_count(len(matrix), clusters), level))


def estimate_mean(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The mean of one value per row.

    Values that are all 0 or 1 get Wilson's interval with the effective number of rows: 0 of 7 does not mean never. All
    others get the interval of `estimate`.

    >>> estimate_mean([0, 0, 0, 0, 0, 0, 0])
    Estimate(value=0.0, lo=0.0, hi=0.3543...)
    """
    x = as_values(values)
    if not is_binary(x):
        return estimate(mean_states(x), finish_mean, clusters, level, resamples, seed)
    size = effective_size(x, clusters, level)
    mean = float(x.mean())
    interval = wilson(mean * size, size, level)
    return Estimate(mean, interval.lo, interval.hi)


def point(states: FloatArray, finish: Finish) -> float:
    """The pooled value of all rows; nan where undefined."""
    return float(_finished(finish, states.sum(axis=0)))


def percentile_interval(value: float, replicates: FloatArray, count: int, level: float) -> tuple[float, float]:
    """The percentile interval of replicates over `count` clusters; nan where undefined.

    Plain percentiles are too narrow for few clusters, by the factor sqrt((count - 1) / count) and for want of Student's
    t; Hesterberg's expanded percentiles put both right. Undefined replicates are left out.
    """
    defined = replicates[~np.isnan(replicates)]
    if math.isnan(value) or count < 2 or len(defined) == 0:
        return math.nan, math.nan
    tail = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, (1 - level) / 2)))
    lo, hi = np.quantile(defined, [tail, 1 - tail])
    return float(lo), float(hi)


def is_constant(replicates: FloatArray) -> bool:
    """Whether the defined replicates differ by no more than rounding."""
    defined = replicates[~np.isnan(replicates)]
    return len(defined) == 0 or bool(np.ptp(defined) <= 1e-12 * np.abs(defined).max())


def chunks(total: int, width: int) -> Iterator[int]:
    """Batch sizes that add up to `total`, each small enough for `width` draws per row."""
    rows = max(1, _CHUNK // max(1, width))
    for start in range(0, total, rows):
        yield min(rows, total - start)


def resample_weights(count: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of `count` clusters is drawn, one resample per row."""
    rng = generator(seed, "bootstrap")
    for rows in chunks(resamples, count):
        draws = rng.integers(count, size=(rows, count), dtype=np.int64)
        draws += np.arange(rows)[:, None] * count
        yield np.bincount(draws.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)


def _finished(finish: Finish, sums: FloatArray) -> FloatArray:
    """Values of summed states, with nan for infinity, which comes from a division by zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(finish(sums), dtype=np.float64)
    return np.where(np.isfinite(values), values, math.nan)
