"""Intervals of pooled metrics with a declared range, by draws of the Bayesian bootstrap.

As in `_bounded`, a pseudo-cluster at the worst or best possible value is added. Where the metric is a mean of several
ratios (mean IoU over classes), it is one cluster of their mean composition, of a size that simulations of coverage
chose. A class of few clusters, whose draws vary too little, gets the spread within the classes of the data in addition.
An opaque function of counts is drawn towards the end of its range instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pixelproof.contract import Estimate

from ._bootstrap import Finish, _finished, chunks, point
from ._bounded import Bounds, bounded_ratio
from ._clusters import FloatArray, as_states, cluster_sums
from ._draws import generator
from ._undefined import Undefined

Ratios = Callable[[Any], tuple[Any, Any]]
"""Maps sums of states, shape (..., k), to numerators and denominators, shape (..., r); the metric is the mean of the
ratios whose denominator is positive."""

RESAMPLES = 2000
MACRO_PSEUDO = 0.7
"""Size of the pseudo-cluster of a mean of several ratios, in mean clusters. With smaller ones, coverage is below 0.93
under some laws of docs/methods/intervals.md, such as shares with one class per item."""
_MOST_WEIGHTS = 4_000_000
"""Very many clusters get fewer draws, but at least 200: the spread of a pooled value is smooth and small there."""


def bounded_pooled(
    states: npt.ArrayLike,
    finish: Finish,
    bounds: Bounds,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    ratios: Ratios | None = None,
    seed: int = 0,
) -> Estimate | Undefined:
    """A pooled metric within `bounds`, with an interval that is valid for one cluster or more.

    Args:
        states: Row states, shape (n, k), not negative.
        finish: Maps sums of states to values; nan where undefined.
        bounds: Smallest and largest possible value.
        clusters: An integer per row, or None.
        level: Of the interval.
        ratios: The ratios whose mean the metric is; without them the interval is wider.
        seed: Of the draws, which a single ratio does not need.

    >>> share = lambda sums: sums[..., 0] / sums[..., 1]
    >>> parts = lambda sums: (sums[..., :1], sums[..., 1:])
    >>> bounded_pooled([[3, 10], [1, 10], [4, 20], [9, 10]], share, (0, 1), ratios=parts)
    Estimate(value=0.34, lo=0.0984..., hi=0.8095...)
    """
    sums = cluster_sums(as_states(states), clusters)
    value = point(sums, finish)
    if math.isnan(value):
        return Undefined(value, "the value is undefined")
    if ratios is not None and tuple(bounds) == (0, 1):
        numerators, denominators = (np.asarray(part, np.float64) for part in ratios(sums))
        if _is_single_ratio(numerators, denominators, value):
            ends = bounded_ratio(numerators[:, 0], denominators[:, 0], level=level)
            return Estimate(value, ends.lo, ends.hi)
    draws = [pooled_draws(sums, finish, bounds, ratios, weights) for weights in weightings(len(sums), seed)]
    lower, upper = (np.concatenate(ends) for ends in zip(*draws, strict=True))
    return Estimate(value, *quantiles(value, lower, upper, level))


def pooled_draws(
    sums: FloatArray, finish: Finish, bounds: Bounds, ratios: Ratios | None, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Draws of a pooled metric with the pseudo-cluster at the worst value, and with it at the best.

    Args:
        sums: States of the clusters, shape (m, k).
        finish: Maps sums of states to values.
        bounds: Smallest and largest possible value.
        ratios: The ratios whose mean the metric is, or None.
        weights: Shape (draws, m + 1); the last column is the weight of the pseudo-cluster.
    """
    low, high = bounds
    totals, extra = weights[:, :-1] @ sums, weights[:, -1:]
    if ratios is not None and tuple(bounds) == (0, 1):
        numerators, denominators = (np.asarray(part, np.float64) for part in ratios(totals))
        if np.count_nonzero(denominators[0]) > 1:
            own, sizes = (np.asarray(part, np.float64) for part in ratios(sums))
            return _macro_draws(own, sizes, numerators, denominators, extra)
        pseudo = extra * column_sizes(np.asarray(ratios(sums)[1], np.float64))
        counted = denominators[:1] > 0  # weights are positive, so the same in every draw
        padded = np.where(counted, denominators + pseudo, 1.0)
        worst = (np.where(counted, numerators, 0.0) / padded).sum(axis=1) / counted.sum()
        best = (np.where(counted, numerators + pseudo, 0.0) / padded).sum(axis=1) / counted.sum()
        return worst, best
    values, kept = _finished(finish, totals), kept_share(sums, totals, extra)
    return low + (values - low) * kept, high - (high - values) * kept


def _macro_draws(
    own: FloatArray, sizes: FloatArray, numerators: FloatArray, denominators: FloatArray, extra: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Draws of the mean of several ratios, worst and best.

    Args:
        own: Numerators of the clusters, shape (m, r).
        sizes: Their denominators.
        numerators: Of the draws, shape (draws, r).
        denominators: Of the draws.
        extra: Weight of the pseudo-cluster in each draw, shape (draws, 1).
    """
    counted = sizes.sum(axis=0) > 0
    own, sizes = own[:, counted], sizes[:, counted]
    totals, of_cluster = sizes.sum(axis=0), sizes.sum(axis=1)
    pseudo = MACRO_PSEUDO * extra * totals * (of_cluster @ of_cluster) / of_cluster.sum() ** 2
    padded = denominators[:, counted] + pseudo
    worst, best = numerators[:, counted] / padded, (numerators[:, counted] + pseudo) / padded
    # The weights of the next draw are independent of those of this one: normal scores without further random numbers.
    noise = ndtri(np.exp(-np.roll(extra[:, 0], 1))) * _rare_spread(own, sizes)
    return np.clip(worst.mean(axis=1) + noise, 0.0, 1.0), np.clip(best.mean(axis=1) - noise, 0.0, 1.0)


def _rare_spread(own: FloatArray, sizes: FloatArray) -> float:
    """Standard error of a mean of ratios that draws of clusters do not show, because some ratios have few clusters.

    The variance within a ratio of k equal clusters is drawn too small by 1/k of it; it is taken from all ratios.
    """
    shares = sizes / sizes.sum(axis=0)
    ratios = own.sum(axis=0) / sizes.sum(axis=0)
    residuals = np.where(sizes > 0, own / np.where(sizes > 0, sizes, 1.0) - ratios, 0.0)
    hidden = (shares**2).sum(axis=0)
    known = float((1 - hidden).sum())
    within = float((shares * residuals**2).sum()) / known if known > 1e-9 else 0.25
    return math.sqrt(within * float((hidden**2).sum())) / len(hidden)


def kept_share(sums: FloatArray, totals: FloatArray, extra: FloatArray) -> FloatArray:
    """What a pseudo-cluster of each column's own size leaves of that column's total, mean over columns; per draw."""
    sizes = np.abs(sums)
    used = sizes.sum(axis=0) > 0
    whole = np.abs(totals[:, used])
    kept: FloatArray = (whole / (whole + extra * column_sizes(sizes[:, used]))).mean(axis=1)
    return kept


def column_sizes(sizes: FloatArray) -> FloatArray:
    """Σu² / Σu of each column; 0 for an empty one."""
    totals = sizes.sum(axis=0)
    return np.where(totals > 0, (sizes**2).sum(axis=0) / np.where(totals > 0, totals, 1.0), 0.0)


def weightings(count: int, seed: int) -> Iterator[FloatArray]:
    """Exponential weights of `count` clusters and of the pseudo-cluster, a draw per row."""
    resamples = int(np.clip(_MOST_WEIGHTS // (count + 1), 200, RESAMPLES))
    if resamples * (count + 1) <= _MOST_WEIGHTS:
        return iter(_kept_weightings(count, seed, resamples))
    return _drawn_weightings(count, seed, resamples)


def _drawn_weightings(count: int, seed: int, resamples: int) -> Iterator[FloatArray]:
    rng = generator(seed, "weightings")
    for rows in chunks(resamples, count + 1):
        yield rng.standard_exponential((rows, count + 1))


@lru_cache(maxsize=2)
def _kept_weightings(count: int, seed: int, resamples: int) -> tuple[FloatArray, ...]:
    """The weights of one number of clusters, up to 32 MB: all metrics of a run have the same."""
    kept = tuple(_drawn_weightings(count, seed, resamples))
    for part in kept:
        part.flags.writeable = False  # the cache hands out the same arrays
    return kept


def quantiles(value: float, lower: FloatArray, upper: FloatArray, level: float) -> tuple[float, float]:
    """The ends of an interval that holds the value; undefined draws are left out."""
    lo = np.quantile(lower[~np.isnan(lower)], (1 - level) / 2) if not np.isnan(lower).all() else math.nan
    hi = np.quantile(upper[~np.isnan(upper)], (1 + level) / 2) if not np.isnan(upper).all() else math.nan
    return min(value, float(lo)), max(value, float(hi))


def _is_single_ratio(numerators: FloatArray, denominators: FloatArray, value: float) -> bool:
    """Whether the clusters' numerators and denominators add up to the one ratio that the metric is."""
    if numerators.shape[1] != 1 or not (numerators >= 0).all() or not (numerators <= denominators).all():
        return False
    total = float(denominators.sum())
    return total > 0 and math.isclose(float(numerators.sum()) / total, value, rel_tol=1e-9, abs_tol=1e-12)
