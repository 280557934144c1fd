"""Confidence intervals of a proportion."""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri

from pixelproof.contract import Estimate


def wilson(successes: float, n: float, level: float = 0.95) -> Estimate:
    """Wilson's score interval; counts may be effective counts, which are fractional. For n = 0: (nan, 0, 1).

    >>> wilson(0, 7)
    Estimate(value=0.0, lo=0.0, hi=0.3543...)
    """
    _check(successes, n, level)
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    p = successes / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # Rounding must not move an end beyond 0, 1 or the value itself.
    return Estimate(p, min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half)))


def clopper_pearson(successes: float, n: float, level: float = 0.95) -> Estimate:
    """The exact interval of Clopper and Pearson, with at least nominal coverage. For n = 0: (nan, 0, 1).

    >>> clopper_pearson(0, 7)
    Estimate(value=0.0, lo=0.0, hi=0.4096...)
    """
    _check(successes, n, level)
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0)
    tail = (1 - level) / 2
    lo = float(betaincinv(successes, n - successes + 1, tail)) if successes > 0 else 0.0
    hi = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return Estimate(successes / n, lo, hi)


def _check(successes: float, n: float, level: float) -> None:
    if not (0 <= successes <= n and 0 < level < 1):
        raise ValueError(f"need 0 <= successes <= n and 0 < level < 1, not {successes} of {n} at level {level}")
