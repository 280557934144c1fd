"""Calibrated scores, (score − floor) / (ceiling − floor), paired over items; refused where they mean nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from pixelproof.contract import Estimate

from ._bootstrap import Finish, _finished, point
from ._bounded import Bounds, pseudo_size, to_unit
from ._clusters import FloatArray, as_states, as_values, cluster_sums
from ._saddlepoint import outward_root, tail_score
from ._unbounded import unbounded_pooled
from ._undefined import Undefined
from ._weightings import Ratios, pooled_draws, quantiles, weightings


def calibrated_interval(
    model: npt.ArrayLike,
    floor: npt.ArrayLike,
    ceiling: npt.ArrayLike,
    bounds: Bounds | None,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    higher_is_better: bool = True,
) -> Estimate | Undefined:
    """The calibrated mean of one value per row, not clipped, with a paired interval.

    The interval holds every θ for which the mean of (s − F) − θ (C − F) could be 0: by the weights and pseudo-cluster
    of `mean_interval` for values within bounds, by Student's t (Fieller's interval) for others. It is refused where
    the ceiling is not clearly above the floor.

    Args:
        model: A value per row.
        floor: The floor's value of the same rows.
        ceiling: The ceiling's value of the same rows.
        bounds: Smallest and largest possible value; None: no range.
        clusters: An integer per row, or None.
        level: Of the interval.
        higher_is_better: Whether a ceiling lies above its floor.

    >>> calibrated_interval([0.5, 0.6, 0.4], [0.1, 0.2, 0.1], [0.9, 1.0, 0.8], (0, 1))
    Estimate(value=0.4782..., lo=0.0142..., hi=0.9413...)
    >>> calibrated_interval([1.0, 1.0], [0.32, 0.32], [0.18, 0.18], (0, 1)).reason
    'the ceiling (0.180) is not clearly better than the floor (0.320)'
    """
    rows = [as_values(part) for part in (model, floor, ceiling)]
    if bounds is not None:
        rows = [to_unit(part, bounds) for part in rows]
    if not higher_is_better:
        rows = [1.0 - part if bounds is not None else -part for part in rows]
    sums = cluster_sums(np.stack([*rows, np.ones_like(rows[0])], axis=1), clusters)
    above, gaps = sums[:, 0] - sums[:, 1], sums[:, 2] - sums[:, 1]
    if not _clearly_positive(gaps, (1 - level) / 2, bounds is not None):
        return Undefined(math.nan, _not_clear(float(as_values(ceiling).mean()), float(as_values(floor).mean())))
    value = float(above.sum() / gaps.sum())
    target = float(ndtri((1 - level) / 2))
    score = _fieller_score(above, gaps, target, level) if bounds is None else _bounded_score(sums, above, gaps)
    if score is None:
        return Undefined(value, "one independent item shows no spread, and the metric declares no range")
    spread = math.sqrt(float(((above - value * gaps) ** 2).sum())) + abs(float(gaps.mean()))
    step = spread / float(gaps.sum())
    ends = (
        outward_root(lambda theta: score(theta, False), value, -step, target),
        outward_root(lambda theta: score(theta, True), value, step, -target),
    )
    if not all(map(math.isfinite, ends)):
        return Undefined(value, "the items are too few to bound the calibrated score")
    return Estimate(value, *ends)


def calibrated_pooled_interval(
    model: npt.ArrayLike,
    floor: npt.ArrayLike,
    ceiling: npt.ArrayLike,
    finish: Finish,
    bounds: Bounds | None,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    ratios: Ratios | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
) -> Estimate | Undefined:
    """The calibrated score of a pooled metric, with the quantiles of joint draws of model, floor and ceiling.

    The pseudo-cluster is added to the model alone: floor and ceiling are measured, not bounded.

    >>> states = lambda hits: [[hit, 10] for hit in hits]
    >>> share = lambda sums: sums[..., 0] / sums[..., 1]
    >>> calibrated_pooled_interval(states([5, 6, 4]), states([0, 0, 0]), states([10, 10, 10]), share, (0, 1)).value
    0.5
    """
    parts = [cluster_sums(as_states(states), clusters) for states in (model, floor, ceiling)]
    if bounds is None:
        return _jackknifed(parts, finish, level, higher_is_better)
    score, low, high = (point(part, finish) for part in parts)
    sign = 1.0 if higher_is_better else -1.0
    worst: list[FloatArray] = []
    best: list[FloatArray] = []
    gaps: list[FloatArray] = []
    for weights in weightings(len(parts[0]), seed):
        plain = [_finished(finish, weights[:, :-1] @ part) for part in parts[1:]]
        gap = plain[1] - plain[0]
        gaps.append(sign * gap)
        for ends, draws in zip((worst, best), pooled_draws(parts[0], finish, bounds, ratios, weights), strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                ends.append(np.where(sign * gap > 0, (draws - plain[0]) / gap, math.nan))
    unclear = float(np.mean(~(np.concatenate(gaps) > 0)))
    if not sign * (high - low) > 1e-12 * (abs(high) + abs(low)) or unclear > (1 - level) / 2:
        return Undefined(math.nan, _not_clear(high, low))
    value = (score - low) / (high - low)
    lower, upper = (np.concatenate(ends) for ends in ((worst, best) if higher_is_better else (best, worst)))
    return Estimate(value, *quantiles(value, lower, upper, level))


def _jackknifed(parts: list[FloatArray], finish: Finish, level: float, higher_is_better: bool) -> Estimate | Undefined:
    """The calibrated score of a pooled metric without a range."""
    width, sign = parts[0].shape[1], 1.0 if higher_is_better else -1.0

    def gap(sums: FloatArray) -> FloatArray:
        values: FloatArray = sign * (finish(sums[..., 2 * width :]) - finish(sums[..., width : 2 * width]))
        return values

    def calibrated(sums: FloatArray) -> FloatArray:
        values: FloatArray = (finish(sums[..., :width]) - finish(sums[..., width : 2 * width])) * sign / gap(sums)
        return values

    joint = np.concatenate(parts, axis=1)
    clear = unbounded_pooled(joint, gap, level=level)
    # A gap that is the same in every cluster has no spread, and needs none.
    certain = isinstance(clear, Undefined) and len(joint) > 1 and clear.value > 0
    if isinstance(clear, Undefined) and len(joint) < 2:
        return Undefined(point(joint, calibrated), clear.reason)
    if not certain and not (isinstance(clear, Estimate) and clear.lo > 0):
        return Undefined(math.nan, _not_clear(point(parts[2], finish), point(parts[1], finish)))
    return unbounded_pooled(joint, calibrated, level=level)


def _clearly_positive(gaps: FloatArray, tail: float, bounded: bool) -> bool:
    """Whether the ceiling exceeds the floor in every cluster, or in the weighted mean with probability 1 − tail."""
    total = float(gaps.sum())
    if not total > 1e-12 * float(np.abs(gaps).sum()) or not total > 0:
        return False
    if (gaps >= 0).all():
        return True
    if bounded:
        return tail_score(gaps) <= float(ndtri(tail))
    count = len(gaps)
    error = float(gaps.std(ddof=1)) * math.sqrt(count) if count > 1 else math.inf
    return total > -float(stdtrit(max(1, count - 1), tail)) * error


Score = Callable[[float, bool], float]
"""Normal score of a candidate θ, for the lower end (False) or the upper (True)."""


def _bounded_score(sums: FloatArray, above: FloatArray, gaps: FloatArray) -> Score:
    sizes = sums[:, 3]
    extra, total = pseudo_size(sizes), float(sizes.sum())
    floor, gap = float(sums[:, 1].sum()) / total, float(gaps.sum()) / total

    def score(theta: float, upper: bool) -> float:
        pseudo = extra * ((1.0 if upper else 0.0) - floor - theta * gap)
        return tail_score(np.append(above - theta * gaps, pseudo))

    return score


def _fieller_score(above: FloatArray, gaps: FloatArray, target: float, level: float) -> Score | None:
    """Student's t of Σ (above − θ gaps), rescaled so that its quantile stands at the normal one."""
    count = len(above)
    if count < 2:
        return None
    scale = target / float(stdtrit(count - 1, (1 - level) / 2))

    def score(theta: float, upper: bool) -> float:
        g = above - theta * gaps
        error = float(g.std(ddof=1)) * math.sqrt(count)
        total = float(g.sum())
        if error <= 1e-12 * float(np.abs(g).sum()) or error == 0:
            return math.copysign(math.inf, -total) if total else 0.0
        return -total / error * scale

    return score


def _not_clear(ceiling: float, floor: float) -> str:
    return f"the ceiling ({ceiling:.3f}) is not clearly better than the floor ({floor:.3f})"
