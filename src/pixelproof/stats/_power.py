"""Sample size and detectable difference of paired tests: the two-sided t test, and sign-flip tests."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ncfdtr, ndtr, stdtr, stdtrit

from pixelproof.contract import PixelProofError

from ._clusters import design_effect

FEWEST_TWO_SIDED = 6
"""The fewest clusters with which a two-sided sign-flip test can reach p ≤ 0.05: 2^-5 = 0.031."""


def items_needed(
    difference: float, sd: float, power: float = 0.8, alpha: float = 0.05, design_effect: float = 1.0
) -> int:
    """Smallest number of items that detects a mean paired difference with the given power.

    Args:
        difference: The mean difference to detect.
        sd: Standard deviation of the differences from item to item.
        power: Probability of detecting it.
        alpha: Probability of a false detection.
        design_effect: Design effect of the differences (`pixelproof.stats.design_effect`), for clustered items.

    >>> items_needed(difference=0.05, sd=0.3)
    285
    """
    _check(power, alpha, design_effect, difference=abs(difference), sd=sd)
    effect = abs(difference) / sd
    low = math.ceil(2 * design_effect) - 1  # the t test needs two independent items
    high = low + 1
    while _power(effect, high / design_effect, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _power(effect, middle / design_effect, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def detectable_difference(
    n: int, sd: float, power: float = 0.8, alpha: float = 0.05, design_effect: float = 1.0
) -> float:
    """Smallest mean paired difference that n items detect with the given power; the inverse of `items_needed`.

    >>> round(detectable_difference(n=285, sd=0.3), 3)
    0.05
    """
    _check(power, alpha, design_effect, sd=sd)
    size = n / design_effect
    if size < 2:
        raise PixelProofError(
            f"{n} items are too few to compare anything: use at least {math.ceil(2 * design_effect)}."
        )
    low, high = 0.0, 1 / math.sqrt(size)
    while _power(high, size, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if _power(middle, size, alpha) < power:
            low = middle
        else:
            high = middle
    return high * sd


def flip_power(
    differences: npt.NDArray[np.float64], clusters: npt.NDArray[np.int64], critical: float, power: float = 0.8
) -> tuple[float, int | None]:
    """What this many items could show with a sign-flip maxT test, and how many would show what was observed.

    The test rejects where |Σ d| / √(Σ d²) reaches a critical value, that is, where t does; its power is taken as that
    of a t test with the same critical t.

    Args:
        differences: Of each item.
        clusters: Cluster of each item.
        critical: Critical value of the test (`change_tests`).
        power: Probability of showing the difference.

    Returns:
        The smallest mean difference that is shown with that power, nan if none is; and the number of items that would
        show the observed one, None if nothing varies or nothing was observed.
    """
    n, count = len(differences), len(np.unique(clusters))
    sd = float(differences.std(ddof=1)) if n > 1 else math.nan
    effect = design_effect(differences, clusters)
    if not sd > 0 or math.isnan(effect):
        return math.nan, None
    size, detectable = n / effect, math.nan
    if count >= FEWEST_TWO_SIDED and critical**2 < min(count, size) - 1e-6:
        t = math.sqrt(size - 1) * critical / math.sqrt(size - critical**2)
        level = 2 * float(stdtr(size - 1, -t))
        if 0 < level < power:
            detectable = detectable_difference(n, sd, power, level, effect)
    observed = abs(float(differences.mean()))
    if observed <= 1e-12:
        return detectable, None
    level = 2 * float(ndtr(-critical)) if math.isfinite(critical) else 0.05
    fewest = math.ceil(FEWEST_TWO_SIDED * n / count)
    return detectable, max(fewest, items_needed(observed, sd, power, min(level, 0.05), effect))


def _power(effect: float, n: float, alpha: float) -> float:
    """Probability that the test rejects when the mean is `effect` standard deviations."""
    # The square of noncentral t is noncentral F: one call covers both sides and avoids nan of scipy's nctdtr.
    critical = float(stdtrit(n - 1, 1 - alpha / 2)) ** 2
    return 1 - float(ncfdtr(1, n - 1, effect * effect * n, critical))


def _check(power: float, alpha: float, design_effect: float, **positive: float) -> None:
    for name, value in positive.items():
        if not 0 < value < math.inf:
            raise PixelProofError(f"The {name} is {value}; sample sizes need a finite one above 0.")
    if not 0 < alpha < power < 1:
        raise PixelProofError(f"Power {power} and alpha {alpha} are not possible: choose 0 < alpha < power < 1.")
    if not 1 <= design_effect < math.inf:
        raise PixelProofError(f"The design effect is {design_effect}; it must be 1 or more.")
