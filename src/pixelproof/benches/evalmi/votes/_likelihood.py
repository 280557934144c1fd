"""Maximum likelihood of true scores with a bias and an inconsistency per rater (as in SUREAL and ITU-T P.910)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._read import FloatArray

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
