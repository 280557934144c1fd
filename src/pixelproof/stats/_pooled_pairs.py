"""Paired differences of pooled metrics and their tests."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import Finish, bootstrap_jointly, chunks, is_constant, percentile_interval, point
from ._clusters import as_states, cluster_count, cluster_sums
from ._draws import generator


def pooled_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """finish(a) - finish(b), with the interval of a joint bootstrap over paired row states.

    >>> hits_of_pixels = lambda sums: sums[..., 0] / sums[..., 1]
    >>> pooled_difference([[9, 10], [5, 10], [8, 10]], [[7, 10], [5, 10], [2, 10]], hits_of_pixels).value.__round__(3)
    0.267
    """
    x, y = as_states(a), as_states(b)
    value = point(x, finish) - point(y, finish)
    first, second = bootstrap_jointly([x, y], finish, clusters, resamples, seed)
    replicates = first - second
    if is_constant(replicates):
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, *percentile_interval(value, replicates, cluster_count(len(x), clusters), level))


def pooled_permutation(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> float:
    """Two-sided p that a and b are exchangeable, by swapping whole clusters between a and b.

    >>> pooled_permutation([[1, 10], [2, 10]], [[1, 10], [2, 10]], lambda sums: sums[..., 0] / sums[..., 1])
    1.0
    """
    x, y = (cluster_sums(as_states(states), clusters) for states in (a, b))
    first, second = point(x, finish), point(y, finish)
    if math.isnan(first - second):
        return math.nan
    # Patterns that tie with the observed one must count despite rounding.
    threshold = abs(first - second) - 1e-12 * (abs(first) + abs(second))
    gap, total_y, total_x = x - y, y.sum(axis=0), x.sum(axis=0)
    rng = generator(seed, "permutation")
    extreme = 0
    for rows in chunks(resamples, len(gap)):
        moved = rng.integers(2, size=(rows, len(gap))) @ gap
        with np.errstate(divide="ignore", invalid="ignore"):
            differences = np.abs(finish(total_y + moved) - finish(total_x - moved))
        extreme += int((~(differences < threshold)).sum())  # an undefined pattern is no evidence, so it counts
    return (1 + extreme) / (1 + resamples)
