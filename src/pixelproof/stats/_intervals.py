"""The interval of each kind of metric, by its declared range."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import Finish, point
from ._bounded import Bounds, bounded_mean
from ._clusters import FloatArray, as_states, as_values, cluster_sums
from ._unbounded import unbounded_mean, unbounded_pooled
from ._undefined import Undefined
from ._weightings import Ratios, bounded_pooled, pooled_draws, quantiles, weightings


def mean_interval(
    values: npt.ArrayLike, bounds: Bounds | None, clusters: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate | Undefined:
    """The mean of one value per row, within `bounds` or, with None, without a range.

    >>> mean_interval([1, 1, 1, 1, 1, 1, 1], (0, 1))
    Estimate(value=1.0, lo=0.5884..., hi=1.0)
    """
    if bounds is None:
        return unbounded_mean(values, clusters, level)
    return bounded_mean(values, bounds, clusters, level)


def pooled_interval(
    states: npt.ArrayLike,
    finish: Finish,
    bounds: Bounds | None,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    ratios: Ratios | None = None,
) -> Estimate | Undefined:
    """A metric pooled over rows; `ratios`, if it is a mean of ratios, makes the interval narrower.

    >>> pooled_interval([[3, 10], [1, 10], [4, 20], [9, 10]], lambda sums: sums[..., 0] / sums[..., 1], (0, 1)).value
    0.34
    """
    if bounds is None:
        return unbounded_pooled(states, finish, clusters, level)
    return bounded_pooled(states, finish, bounds, clusters, level, ratios)


def difference_interval(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    bounds: Bounds | None,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """The mean of b − a over paired rows, whose values have the range `bounds` each.

    >>> difference_interval([1, 1, 0, 1, 0, 1, 1], [1, 1, 0, 1, 0, 1, 1], (0, 1))
    Estimate(value=0.0, lo=-0.4..., hi=0.4...)
    """
    x, y = as_values(a), as_values(b)
    if len(x) != len(y):
        raise ValueError(f"a and b must be paired row by row, but have {len(x)} and {len(y)} rows")
    return mean_interval(y - x, _of_difference(bounds), clusters, level)


def pooled_difference_interval(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    finish: Finish,
    bounds: Bounds | None,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    ratios: Ratios | None = None,
    seed: int = 0,
) -> Estimate | Undefined:
    """finish(b) − finish(a) over paired row states.

    >>> share = lambda sums: sums[..., 0] / sums[..., 1]
    >>> round(pooled_difference_interval([[7, 10], [5, 10]], [[9, 10], [5, 10]], share, (0, 1)).value, 9)
    0.1
    """
    x, y = (cluster_sums(as_states(states), clusters) for states in (a, b))
    if bounds is None:
        width = x.shape[1]

        def difference(sums: FloatArray) -> FloatArray:
            values: FloatArray = finish(sums[..., width:]) - finish(sums[..., :width])
            return values

        return unbounded_pooled(np.concatenate([x, y], axis=1), difference, level=level)
    value = point(y, finish) - point(x, finish)
    if np.isnan(value):
        return Undefined(value, "the value is undefined")
    lower, upper = [], []
    for weights in weightings(len(x), seed):
        (a_worst, a_best), (b_worst, b_best) = (pooled_draws(s, finish, bounds, ratios, weights) for s in (x, y))
        lower.append(b_worst - a_best)
        upper.append(b_best - a_worst)
    return Estimate(value, *quantiles(value, np.concatenate(lower), np.concatenate(upper), level))


def _of_difference(bounds: Bounds | None) -> Bounds | None:
    return None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
