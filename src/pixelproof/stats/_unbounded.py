"""Intervals of values without a declared range, which rest on the spread of the data alone."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from pixelproof.contract import Estimate

from ._bootstrap import Finish, point, resample_weights
from ._clusters import FloatArray, as_states, as_values, cluster_count, cluster_sums
from ._undefined import Undefined

_RESAMPLES = 2000
_EQUAL = "all values are equal, and the metric declares no range"


def unbounded_mean(
    values: npt.ArrayLike, clusters: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate | Undefined:
    """The mean of values without a range.

    Independent rows get the hull of Student's interval and the bootstrap-t interval; two rows Student's alone. Rows in
    clusters get the CR2 variance with Satterthwaite degrees of freedom. One cluster says nothing about the spread.
    Heavily skewed values are covered less often than stated below about 50 rows.

    >>> unbounded_mean([1.0, 3.0])
    Estimate(value=2.0, lo=-10.70..., hi=14.70...)
    >>> unbounded_mean([1.0]).reason
    'one independent item shows no spread, and the metric declares no range'
    """
    x = as_values(values)
    count = cluster_count(len(x), clusters)
    mean = float(x.mean()) if len(x) else math.nan
    if count < 2:
        return Undefined(mean, _no_spread(count))
    if not np.isfinite(x).all():
        return Undefined(mean, "some values are not finite")
    if clusters is not None and count < len(x):
        error, freedom = cr2(x, clusters)
        if error <= 1e-12 * float(np.abs(x).max()):
            return Undefined(mean, _EQUAL)
        half = float(stdtrit(freedom, (1 + level) / 2)) * error
        return Estimate(mean, mean - half, mean + half)
    error = float(x.std(ddof=1)) / math.sqrt(count)
    if error <= 1e-12 * float(np.abs(x).max()):
        return Undefined(mean, _EQUAL)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * error
    lo, hi = mean - half, mean + half
    if count > 2:
        low, high = _bootstrap_t(x, level)
        lo, hi = min(lo, mean - high * error), max(hi, mean - low * error)
    return Estimate(mean, lo, hi)


def unbounded_pooled(
    states: npt.ArrayLike, finish: Finish, clusters: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate | Undefined:
    """A pooled value without a range: the interval of `unbounded_mean` over the jackknife pseudo-values of clusters.

    >>> ratio = lambda sums: sums[..., 0] / sums[..., 1]
    >>> unbounded_pooled([[30, 10], [10, 10], [40, 20], [90, 10]], ratio).value
    3.4
    """
    sums = cluster_sums(as_states(states), clusters)
    value, count = point(sums, finish), len(sums)
    if count < 2:
        return Undefined(value, _no_spread(count))
    without = sums.sum(axis=0) - sums
    with np.errstate(divide="ignore", invalid="ignore"):
        pseudo = count * value - (count - 1) * np.asarray(finish(without), dtype=np.float64)
    interval = unbounded_mean(pseudo, level=level)
    if isinstance(interval, Undefined):
        undefined = not np.isfinite(pseudo).all()
        return Undefined(value, "the value is undefined without one of the clusters" if undefined else interval.reason)
    return Estimate(value, min(value, interval.lo), max(value, interval.hi))


def cr2(values: FloatArray, clusters: npt.ArrayLike) -> tuple[float, float]:
    """Bias-reduced clustered standard error of a mean (CR2, Bell and McCaffrey), with its degrees of freedom.

    >>> error, freedom = cr2(np.array([0.0, 0, 1, 1, 0, 0, 1, 1]), [0, 0, 1, 1, 2, 2, 3, 3])
    >>> round(error, 4), round(freedom, 4)
    (0.2887, 3.0)
    """
    residuals = values - values.mean()
    sums = cluster_sums(np.stack([residuals, np.ones_like(residuals)], axis=1), clusters)
    sizes, total = sums[:, 1], float(len(values))
    factors = 1.0 / (1.0 - sizes / total)
    variance = float((sums[:, 0] ** 2 * factors).sum()) / total**2
    # G = diag(d) − w wᵀ is the covariance of the adjusted cluster sums if rows are independent.
    d, w = factors * sizes, np.sqrt(factors) * sizes / math.sqrt(total)
    trace = float((d - w**2).sum())
    squares = float((d**2).sum() - 2 * (d * w**2).sum() + (w**2).sum() ** 2)
    return math.sqrt(variance), trace**2 / squares


def _bootstrap_t(values: FloatArray, level: float) -> tuple[float, float]:
    """Quantiles of (mean* − mean) / error* over resamples; those without spread are left out."""
    count, centred = len(values), values - values.mean()
    ts: list[FloatArray] = []
    for weights in resample_weights(count, _RESAMPLES, 0):
        means = weights @ centred / count
        variances = np.maximum(weights @ centred**2 / count - means**2, 0.0) * count / (count - 1)
        spread = variances > 1e-12 * float((centred**2).mean())
        ts.append(means[spread] / np.sqrt(variances[spread] / count))
    low, high = np.quantile(np.concatenate(ts), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _no_spread(count: int) -> str:
    if count == 0:
        return "there is no value"
    return "one independent item shows no spread, and the metric declares no range"
