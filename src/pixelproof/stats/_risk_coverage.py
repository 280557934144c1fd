"""Risk–coverage curve of selective prediction (El-Yaniv and Wiener 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Error rate among the answers whose confidence reaches a threshold, for every distinct threshold."""

    thresholds: Floats
    """Distinct confidences, highest first."""
    coverage: Floats
    """Share of the answers with at least this confidence."""
    risk: Floats
    """Share of wrong ones among them."""
    area: float
    """Mean risk of the k most confident answers, over all k (AURC); equal confidences are in random order."""


def risk_coverage(confidence: Sequence[float], wrong: Sequence[bool]) -> RiskCoverage:
    """The risk–coverage curve of answers.

    >>> curve = risk_coverage([0.9, 0.8, 0.8, 0.1], [False, False, True, True])
    >>> curve.coverage.tolist(), curve.risk.round(3).tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.333, 0.5])
    >>> round(curve.area, 4)
    0.2708

    Args:
        confidence: Of each answer; any scale.
        wrong: Whether each answer is wrong.

    Raises:
        ValueError: There are no answers, their numbers differ, or a confidence is not a number.
    """
    given, errors = np.asarray(confidence, np.float64), np.asarray(wrong, np.float64)
    if not len(given) or given.shape != errors.shape or np.isnan(given).any():
        raise ValueError("a risk–coverage curve needs a confidence for each of one or more answers")
    thresholds, group = np.unique(-given, return_inverse=True)
    sizes, wrong_in = np.bincount(group), np.bincount(group, errors)
    taken, lost = sizes.cumsum(), wrong_in.cumsum()
    # Within a group of equal confidences, errors are expected to come at the group's rate.
    order = np.arange(1, len(given) + 1)
    of = np.searchsorted(taken, order)
    expected = lost[of] - wrong_in[of] + (order - taken[of] + sizes[of]) * wrong_in[of] / sizes[of]
    return RiskCoverage(-thresholds, taken / len(given), lost / taken, float((expected / order).mean()))
