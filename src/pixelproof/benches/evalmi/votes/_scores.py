"""Scores of votes: ITU-R BT.500, and maximum likelihood.

BT.500: screening, z-scores per rater, and rescaling to 0 to 100. Maximum likelihood: true scores with a bias and an
inconsistency per rater (as in SUREAL and ITU-T P.910).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from pixelproof.stats import rater_agreement

from ._read import FloatArray

BoolArray = npt.NDArray[np.bool_]
MOST_OUTLIERS = 0.05
LEAST_IMBALANCE = 0.3
LEAST_VOTES = 10
LEAST_EVIDENCE = 0.001


@dataclass(frozen=True)
class OpinionScores:
    """Mean opinion scores and how each rater fared in the screening."""

    mos: FloatArray
    """One per item; nan where no vote is left."""
    errors: FloatArray
    """Standard error of each; nan with fewer than two votes."""
    counts: npt.NDArray[np.int64]
    """Votes behind each."""
    z: FloatArray
    """Rescaled z-scores 100 (z + 3) / 6, shape (items, raters); nan where a vote was missing or dropped."""
    high: npt.NDArray[np.int64]
    """P of each rater: votes at or above the upper bound of their item."""
    low: npt.NDArray[np.int64]
    """Q of each rater: votes at or below the lower bound."""
    rejected: BoolArray
    """Raters whose votes are left out."""
    reasons: tuple[str, ...]
    """Why, per rater; empty for those who were kept."""
    dropped: int
    """Single votes of kept raters that are outside of the bounds of their item."""


def opinion_scores(ratings: FloatArray, require_agreement: bool = False) -> OpinionScores:
    """Screen raters and votes, standardise each rater, and average.

    An item's bounds are its mean ± k standard deviations, with k = 2 if the kurtosis of its votes is within 2 to 4, and
    √20 otherwise. A rater is rejected if over 5 % of the votes are at or beyond the bounds and they are not mostly on
    one side (|P - Q| / (P + Q) < 0.3). Items on which all agree have no outliers. A rater who gives the same score to
    every item has no z-scores and is rejected.

    Args:
        ratings: Shape (items, raters); nan where a rater did not rate an item.
        require_agreement: Also reject raters of 10 votes or more whose rank correlation with the mean of the others is
            not above 0 at p < 0.001. BT.500 alone keeps a rater who clicks at random if the outliers happen to be on
            one side.

    >>> unanimous = np.tile([[1.0], [2.0], [3.0], [4.0], [5.0]], 6)
    >>> opinion_scores(unanimous).mos.round(2).tolist()
    [28.92, 39.46, 50.0, 60.54, 71.08]
    """
    given = ~np.isnan(ratings)
    count = given.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(given, ratings, 0).sum(axis=1) / count
        off = np.where(given, ratings - mean[:, None], 0.0)
        second, fourth = ((off**n).sum(axis=1) / count for n in (2, 4))
        deviation = np.sqrt(second * count / (count - 1))
        kurtosis = fourth / second**2
    k = np.where((kurtosis >= 2) & (kurtosis <= 4), 2.0, np.sqrt(20))
    reach = (k * deviation)[:, None]
    spread = (deviation > 0)[:, None] & given
    with np.errstate(invalid="ignore"):
        high, low = ((spread & (sign * off >= reach)).sum(axis=0) for sign in (1, -1))
        beyond = spread & (np.abs(off) > reach)
    rejected, reasons = _screen(ratings, given, high, low, require_agreement)
    kept = given & ~beyond & ~rejected
    z = np.full(ratings.shape, np.nan)
    for rater in np.flatnonzero(~rejected):
        own = ratings[given[:, rater], rater]
        z[:, rater] = 100 * ((ratings[:, rater] - own.mean()) / own.std(ddof=1) + 3) / 6
    z = np.where(kept, z, np.nan)
    left = kept.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mos = np.where(kept, z, 0.0).sum(axis=1) / left
        rest = np.where(kept, z - mos[:, None], 0.0)
        errors = np.sqrt((rest**2).sum(axis=1) / (left - 1) / left)
    errors = np.where(left > 1, errors, np.nan)
    mos = np.where(left > 0, mos, np.nan)
    dropped = int((beyond & ~rejected).sum())
    return OpinionScores(mos, errors, left, z, high, low, rejected, reasons, dropped)


def _screen(
    ratings: FloatArray,
    given: BoolArray,
    high: npt.NDArray[np.int64],
    low: npt.NDArray[np.int64],
    require_agreement: bool,
) -> tuple[BoolArray, tuple[str, ...]]:
    reasons = []
    for rater, (p, q) in enumerate(zip(high.tolist(), low.tolist(), strict=True)):
        own = ratings[given[:, rater], rater]
        share = (p + q) / max(1, len(own))
        if len(own) < 2 or np.ptp(own) == 0:
            reasons.append("the same score for every item")
        elif share > MOST_OUTLIERS and abs(p - q) / (p + q) < LEAST_IMBALANCE:
            reasons.append(f"{100 * share:.0f} % outliers on both sides")
        elif require_agreement and len(own) >= LEAST_VOTES and not _agrees(ratings, rater):
            reasons.append("no agreement with the others")
        else:
            reasons.append("")
    return np.array([bool(reason) for reason in reasons]), tuple(reasons)


def _agrees(ratings: FloatArray, rater: int) -> bool:
    r, n = rater_agreement(ratings, rater), int((~np.isnan(ratings[:, rater])).sum())
    if math.isnan(r):
        return True  # nothing to compare with
    return abs(r) == 1 or float(t.sf(r * math.sqrt((n - 2) / (1 - r * r)), n - 2)) < LEAST_EVIDENCE if r > 0 else False


LEAST_INCONSISTENCY = 1e-3
"""Share of the spread of all votes below which no rater's inconsistency is estimated."""


@dataclass(frozen=True)
class Likelihood:
    """Estimates of the model vote = quality of the item + bias of the rater + noise of the rater."""

    quality: FloatArray
    """One per item, on the scale of the votes."""
    errors: FloatArray
    """Standard error of each."""
    bias: FloatArray
    """One per rater; their mean is 0."""
    inconsistency: FloatArray
    """Standard deviation of each rater's noise."""
    iterations: int


def fit_raters(ratings: FloatArray, most_iterations: int = 500) -> Likelihood:
    """Estimate qualities, biases and inconsistencies together; a rater is weighted by the inverse variance.

    Residuals understate the noise of raters who dominate an item's estimate, so variances are divided by one minus the
    rater's share of the weight: without it the likelihood has no maximum, as one rater's variance goes to 0.

    Args:
        ratings: Shape (items, raters); nan where a rater did not rate an item.
        most_iterations: Limit of the alternating updates.

    >>> votes = np.array([[1.0, 2.0, 1.5], [2.0, 3.0, 2.4], [4.0, 5.0, 4.6], [3.0, 4.0, 3.4]])
    >>> fit_raters(votes).bias.round(2).tolist()
    [-0.49, 0.51, -0.02]
    """
    given = ~np.isnan(ratings)
    votes = np.where(given, ratings, 0.0)
    number = np.maximum(1, given.sum(axis=0))
    bias = np.zeros(ratings.shape[1])
    spread = float(np.nanstd(ratings)) or 1.0
    variance = np.full(ratings.shape[1], spread**2)
    quality = np.zeros(len(ratings))
    for iteration in range(1, most_iterations + 1):  # noqa: B007
        weight = given / variance
        total = np.maximum(weight.sum(axis=1), 1e-300)
        new = (weight * (votes - bias)).sum(axis=1) / total
        bias = (given * (votes - new[:, None])).sum(axis=0) / number
        bias -= bias.mean()
        rest = given * (votes - new[:, None] - bias)
        freedom = (given * (1 - weight / total[:, None])).sum(axis=0)
        variance = (rest**2).sum(axis=0) / np.maximum(freedom, 1e-9)
        variance = np.maximum(variance, (LEAST_INCONSISTENCY * spread) ** 2)
        change = float(np.abs(new - quality).max())
        quality = new
        if change < 1e-9 * spread:
            break
    errors = 1 / np.sqrt(np.maximum((given / variance).sum(axis=1), 1e-300))
    known = given.any(axis=1)
    return Likelihood(
        np.where(known, quality, np.nan), np.where(known, errors, np.nan), bias, np.sqrt(variance), iteration
    )
