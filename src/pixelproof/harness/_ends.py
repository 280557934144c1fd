"""The ends of a metric's range as values of answers that have none of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Metric


def worst_end(metric: Metric) -> float | None:
    """The worst possible value; None for a metric without a range or without a better end."""
    return _end(metric, better=False)


def best_end(metric: Metric) -> float | None:
    """The best possible value; None for a metric without a range or without a better end."""
    return _end(metric, better=True)


def _end(metric: Metric, better: bool) -> float | None:
    if metric.range is None or metric.higher_is_better is None:
        return None
    return metric.range[metric.higher_is_better is better]


def with_end(metric: Metric, end: float) -> Metric:
    """A pooled metric some of whose rows have no counts and the value `end` instead.

    Its states have two more columns: 1 for each row, and 1 for each row without counts. The value is the mean of the
    pooled value and of `end`, weighted by the numbers of rows.

    >>> share = Metric("share", "", pool=lambda sums: sums[..., 0] / sums[..., 1], range=(0, 1))
    >>> float(with_end(share, 0.0).pool(np.array([6.0, 8.0, 3.0, 1.0])))
    0.5
    """
    pool, ratios = metric.pool, metric.ratios
    assert pool is not None, "means have a value per row"

    def pool_with_end(sums: Any) -> npt.NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            known, share = pool(sums[..., :-2]), sums[..., -1] / sums[..., -2]
            return np.where(share == 1, end, known + share * (end - known))

    def ratios_with_end(sums: Any) -> tuple[Any, Any]:
        assert ratios is not None
        above, below = ratios(sums[..., :-2])
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (sums[..., -1] / sums[..., -2])[..., None]
        return above + share * (end * below - above), below

    return replace(metric, pool=pool_with_end, ratios=None if ratios is None else ratios_with_end)


def with_floor(metric: Metric, width: int) -> Metric:
    """A pooled metric some of whose rows have the counts of a floor instead of their own.

    Its states have the `width` counts of answers, those of the floor, and the `weights` of the answers' rows and of the
    floor's. The value of each ratio is the mean of the answers' and the floor's ratio, weighted by these.

    >>> share = Metric("share", "", pool=lambda sums: sums[..., 0] / sums[..., 1], range=(0, 1))
    >>> float(with_floor(share, 2).pool(np.array([60.0, 80.0, 1.0, 4.0, 3.0, 1.0])))
    0.625
    """
    pool, ratios = metric.pool, metric.ratios
    assert pool is not None, "means have a value per row"

    def split(sums: Any) -> tuple[Any, Any, Any, Any]:
        half = (np.shape(sums)[-1] - 2 * width) // 2 + 2 * width
        return sums[..., :width], sums[..., width : 2 * width], sums[..., 2 * width : half], sums[..., half:]

    def ratios_with_floor(sums: Any) -> tuple[Any, Any]:
        assert ratios is not None
        own, floor, answered, faulted = split(sums)
        (above, below), (floor_above, floor_below) = ratios(own), ratios(floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(below > 0, np.nan_to_num(faulted / (answered + faulted)) * (floor_below > 0), 1.0)
            known = np.where(below > 0, above / below, 0.0)
            low = np.where(floor_below > 0, floor_above / floor_below, 0.0)
        sizes = np.where(answered + faulted > 0, answered + faulted, below + floor_below)
        sizes = np.where((below > 0) | (floor_below > 0), sizes, 0.0)
        return (known + share * (low - known)) * sizes, sizes

    def pool_with_floor(sums: Any) -> npt.NDArray[np.float64]:
        own, floor, answered, faulted = split(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            known = pool(own)
            if ratios is not None:
                above, below = ratios_with_floor(sums)
                mixed = np.where(below > 0, above / below, 0.0).sum(axis=-1) / (below > 0).sum(axis=-1)
            else:
                low, share = pool(floor), (faulted / (answered + faulted))[..., 0]
                mixed = np.where(np.isfinite(known) & (share < 1), known + share * (low - known), low)
                mixed = np.where(np.isfinite(low), mixed, known)
            values: npt.NDArray[np.float64] = np.where((faulted > 0).any(axis=-1), mixed, known)
        return values

    return replace(metric, pool=pool_with_floor, ratios=None if ratios is None else ratios_with_floor)


def weights(metric: Metric, counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What an item weighs in each ratio of a pooled metric: the denominators of a control on it; else 1 with counts."""
    sizes = np.any(counts != 0, axis=1, keepdims=True) if metric.ratios is None else metric.ratios(counts)[1]
    return np.asarray(sizes, np.float64)
