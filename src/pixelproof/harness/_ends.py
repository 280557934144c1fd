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
