"""The interval of a paired difference that agrees with the verdict of a test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pixelproof.contract import Estimate

from ._intervals import difference_interval, pooled_difference_interval
from ._sign_flips import Flips, Pairs

TAIL = 0.025
"""Error probability on each side."""
_ALMOST_0 = 1e-9
"""End of an interval that excludes 0 although the test of the metric alone, with patterns of its own, does not."""


def comparison_interval(
    pairs: Pairs,
    flips: Flips,
    range: tuple[float, float] | None,
    shown: bool | None = None,
    pool: Any = None,
    ratios: Any = None,
) -> tuple[float, float]:
    """The hull of the inverted sign-flip test and of the interval by range, for the difference b − a, at 95 %.

    The test knows only the differences that occurred, so its inversion is a point where all are equal; the range allows
    for failures that did not occur. The hull is cut or extended so that it excludes 0 exactly if a difference is shown.

    Args:
        pairs: The states of both sides.
        flips: The sign-flip test of the pairs.
        range: Smallest and largest value of the metric; None if unbounded.
        shown: Whether the reported test, adjusted for further metrics, shows a difference; None: `flips` decides.
        pool: From sums of states to a value; None for a mean of values per item.
        ratios: As in `Metric`, for a pooled metric that is a mean of ratios.

    Returns:
        Both ends; nan where there is none.
    """
    shown = flips.p <= 2 * TAIL if shown is None else shown
    lo, hi = flips.interval(TAIL)
    if range is not None:
        width = range[1] - range[0]
        lo, hi = max(-width, lo), min(width, hi)
    if pool is None:
        a, b = np.asarray(pairs.a)[:, 0], np.asarray(pairs.b)[:, 0]
        by_range = difference_interval(a, b, range, pairs.clusters)
    else:
        by_range = pooled_difference_interval(pairs.a, pairs.b, pool, range, pairs.clusters, ratios=ratios)
    low, high = lo, hi
    if isinstance(by_range, Estimate):
        low, high = min(lo, by_range.lo), max(hi, by_range.hi)
    elif lo == hi:  # equal differences and no range: nothing is known about the spread
        return math.nan, math.nan
    if not shown:
        low, high = min(low, 0.0), max(high, 0.0)
    elif flips.difference > 0 >= low:
        low = lo if lo > 0 else min(_ALMOST_0, flips.difference)
    elif flips.difference < 0 <= high:
        high = hi if hi < 0 else max(-_ALMOST_0, flips.difference)
    return low if math.isfinite(low) else math.nan, high if math.isfinite(high) else math.nan
