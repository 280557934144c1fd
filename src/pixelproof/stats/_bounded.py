"""Intervals of means and ratios whose values have a declared range.

The interval is that of the Bayesian bootstrap over clusters with one more cluster at the worst possible value (for the
lower end) or at the best (for the upper end), of the size Σu² / Σu. For values of 0 and 1 it is Clopper and Pearson's
interval; for all others it varies continuously with the values. It needs no resampling and no seed.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pixelproof.contract import Estimate

from ._clusters import FloatArray, as_values, cluster_sums
from ._saddlepoint import outward_root, tail_score

Bounds = tuple[float, float]
"""Smallest and largest possible value."""


def bounded_mean(
    values: npt.ArrayLike, bounds: Bounds, clusters: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """The mean of values within `bounds`, with an interval that is valid for one row or more.

    >>> bounded_mean([1, 1, 1, 1, 1, 1, 1], (0, 1))
    Estimate(value=1.0, lo=0.5884..., hi=1.0)

    Raises:
        ValueError: A value lies outside the bounds, or there is none.
    """
    x, (low, high) = as_values(values), bounds
    unit = to_unit(x, bounds)
    sums = cluster_sums(np.stack([unit, np.ones_like(unit)], axis=1), clusters)
    interval = _interval(sums[:, 0], sums[:, 1], level)
    return Estimate(float(x.mean()), *(low + (high - low) * end for end in interval))


def bounded_ratio(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Σ numerators / Σ denominators, where each numerator lies between 0 and its denominator.

    >>> bounded_ratio([3, 1, 4, 9], [10, 10, 20, 10])
    Estimate(value=0.34, lo=0.0984..., hi=0.8095...)

    Raises:
        ValueError: A numerator lies outside, or all denominators are 0.
    """
    s, u = as_values(numerators), as_values(denominators)
    if len(s) != len(u) or not (s >= 0).all() or not (s <= u * (1 + 1e-9)).all() or not u.sum() > 0:
        raise ValueError("numerators must lie between 0 and their denominators, of which one is positive")
    sums = cluster_sums(np.stack([np.minimum(s, u), u], axis=1), clusters)
    return Estimate(float(s.sum() / u.sum()), *_interval(sums[:, 0], sums[:, 1], level))


def to_unit(values: FloatArray, bounds: Bounds) -> FloatArray:
    """Values rescaled from `bounds` to [0, 1].

    Raises:
        ValueError: There is no value, or one lies outside by more than rounding.
    """
    low, high = bounds
    if not high > low or not math.isfinite(high - low):
        raise ValueError(f"bounds must be finite and increasing, not {bounds}")
    unit = (values - low) / (high - low)
    if len(unit) == 0 or not (unit >= -1e-9).all() or not (unit <= 1 + 1e-9).all():
        raise ValueError(f"need values between {low} and {high}, and at least one")
    return np.clip(unit, 0.0, 1.0)


def pseudo_size(sizes: FloatArray) -> float:
    """Size of the added cluster, Σu² / Σu: the mean size that a unit of the data meets, not the mean of the sizes."""
    return float(sizes @ sizes / sizes.sum())


def _interval(sums: FloatArray, sizes: FloatArray, level: float) -> tuple[float, float]:
    target = float(ndtri((1 - level) / 2))
    return _lower(sums, sizes, target), 1.0 - _lower(sizes - sums, sizes, target)


def _lower(sums: FloatArray, sizes: FloatArray, target: float) -> float:
    """The lower end of the ratio of two sums, by the root of the tail probability in the logarithm of the ratio."""
    used = sizes > 0
    s, u = np.maximum(sums[used], 0.0), sizes[used]
    total, size = float(s.sum()), float(u.sum())
    if total <= 1e-15 * size:
        return 0.0
    extra = pseudo_size(u)

    def score(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        return tail_score(np.append(s - ratio * u, -ratio * extra))

    ratio = total / size
    spread = math.sqrt(float(((s - ratio * u) ** 2).sum()) + (ratio * extra) ** 2) / total
    return math.exp(outward_root(score, math.log(ratio), -2.0 * spread, target))
