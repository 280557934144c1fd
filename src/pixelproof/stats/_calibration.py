"""Calibrated scores: 0 is the floor, 1 is the ceiling."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import Finish, bootstrap_jointly, estimate, is_constant, percentile_interval, point
from ._clusters import FloatArray, as_states, cluster_count


def calibrate(
    model: npt.ArrayLike,
    floor: npt.ArrayLike,
    ceiling: npt.ArrayLike,
    finish: Finish,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    raw: Estimate | None = None,
) -> Estimate:
    """(score - floor) / (ceiling - floor), not clipped, with a joint interval; nan where floor and ceiling are equal.

    Model, floor and ceiling are resampled together, so the difficulty that they share cancels. Resamples in which floor
    and ceiling are equal have no calibrated score and are excluded from the interval.

    The bootstrap has no variance where the score does not vary, such as 0 of 7. There the interval of the raw score is
    used: it is mapped to the calibrated scale if floor and ceiling are constant, and included in the joint interval if
    only the model is.

    Args:
        model: Row states, shape (n, k).
        floor: Row states of the floor control for the same items.
        ceiling: Row states of the ceiling control for the same items.
        finish: Maps sums of states to values, as in `bootstrap`.
        clusters: An integer per row, or None.
        level: Confidence level.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.
        raw: The model's raw score from `estimate_mean` or `estimate`, at the same level; default: the latter.

    >>> from pixelproof.stats import estimate_mean, finish_mean, mean_states
    >>> model, floor, ceiling = [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]
    >>> raw = estimate_mean(model)
    >>> raw == calibrate(*map(mean_states, (model, floor, ceiling)), finish_mean, raw=raw)
    True
    """
    matrices = [as_states(states) for states in (model, floor, ceiling)]
    references = [point(states, finish) for states in matrices[1:]]
    value = float(_calibrated(point(matrices[0], finish), *references))
    if math.isnan(value):
        return Estimate(math.nan, math.nan, math.nan)
    scores, floors, ceilings = bootstrap_jointly(matrices, finish, clusters, resamples, seed)
    joint = percentile_interval(
        value, _calibrated(scores, floors, ceilings), cluster_count(len(matrices[0]), clusters), level
    )
    fixed = is_constant(floors) and is_constant(ceilings)
    if not fixed and not is_constant(scores):
        return Estimate(value, *joint)
    raw = raw or estimate(matrices[0], finish, clusters, level, resamples, seed)
    carried = [float(_calibrated(end, *references)) for end in (raw.lo, raw.hi)]
    # Where lower is better, the ceiling is below the floor, and the ends are swapped.
    ends = np.array(carried if fixed else [*carried, *joint])
    return Estimate(value, float(ends.min()), float(ends.max()))


def _calibrated(score: npt.ArrayLike, floor: npt.ArrayLike, ceiling: npt.ArrayLike) -> FloatArray:
    """Calibrated scores, nan where floor and ceiling differ by no more than rounding."""
    s, f, c = (np.asarray(x, dtype=np.float64) for x in (score, floor, ceiling))
    equal = np.abs(c - f) <= 1e-12 * np.maximum(np.abs(c), np.abs(f))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(equal, math.nan, (s - f) / (c - f))
