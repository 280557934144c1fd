"""The interval of a paired difference that agrees with the verdict of a test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pixelproof.contract import Estimate

from ._intervals import difference_interval, pooled_difference_interval
from ._sign_flips import Flips, Pairs


def comparison_interval(
    pairs: Pairs,
    flips: Flips,
    range: tuple[float, float] | None,
    tail: float = 0.025,
    pool: Any = None,
    ratios: Any = None,
) -> tuple[float, float]:
    """The hull of the inverted sign-flip test and of the interval by range, for the difference b − a.

    The test knows only the differences that occurred, so its inversion is a point where all are equal; the range allows
    for failures that did not occur. The hull is cut so that it excludes 0 exactly if the test rejects at 2 × `tail`.

    Args:
        pairs: The states of both sides.
        flips: The sign-flip test of the pairs.
        range: Smallest and largest value of the metric; None if unbounded.
        tail: Error probability on each side.
        pool: From sums of states to a value; None for a mean of values per item.
        ratios: As in `Metric`, for a pooled metric that is a mean of ratios.

    Returns:
        Both ends; nan where there is none.
    """
    lo, hi = flips.interval(tail)
    level = 1 - 2 * tail
    if range is not None:
        width = range[1] - range[0]
        lo, hi = max(-width, lo), min(width, hi)
    if pool is None:
        a, b = np.asarray(pairs.a)[:, 0], np.asarray(pairs.b)[:, 0]
        by_range = difference_interval(a, b, range, pairs.clusters, level)
    else:
        by_range = pooled_difference_interval(pairs.a, pairs.b, pool, range, pairs.clusters, level, ratios)
    if isinstance(by_range, Estimate):
        low, high = min(lo, by_range.lo), max(hi, by_range.hi)
        lo, hi = (lo if lo > 0 >= low else low), (hi if hi < 0 <= high else high)
    elif lo == hi:  # equal differences and no range: nothing is known about the spread
        return math.nan, math.nan
    return lo if math.isfinite(lo) else math.nan, hi if math.isfinite(hi) else math.nan
