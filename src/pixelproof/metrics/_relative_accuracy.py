"""Mean relative accuracy of numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

CONFIDENCES = np.arange(50, 100, 5) / 100
"""The ten thresholds of VSI-Bench: 0.5, 0.55, … 0.95."""
_ROUNDING = 1e-9


def mean_relative_accuracy(answers: npt.ArrayLike, truths: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Share of the thresholds θ = 0.5, 0.55, … 0.95 for which the relative error is at most 1 − θ.

    1 for an error of up to 5 %, 0 for one above 50 %. An answer that is not finite scores 0.

    >>> mean_relative_accuracy([100, 110, 140, 151, 49, float("inf")], 100).tolist()
    [1.0, 0.9, 0.3, 0.0, 0.0, 0.0]

    Args:
        answers: Numbers that were given.
        truths: Right numbers, none of them 0.

    Raises:
        ValueError: A right number is 0 or not finite: the relative error is undefined.
    """
    right = np.asarray(truths, dtype=np.float64)
    if not np.all(np.isfinite(right) & (right != 0)):
        raise ValueError("The relative error is undefined where the right number is 0 or not finite.")
    given = np.asarray(answers, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(given - right) / np.abs(right)
    hits = error[..., None] <= 1 - CONFIDENCES + _ROUNDING
    return np.asarray(hits.mean(axis=-1))
