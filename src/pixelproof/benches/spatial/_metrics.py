"""The metrics of the bench: means over operations, so that no operation counts more because it is more frequent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pixelproof.benches.spatial._pairs import IMPOSSIBLE
from pixelproof.contract import Metric

_UNIT = (0.0, 1.0)
_ABOUT = {
    "ic": "instruction compliance: the edit was carried out in the right way, by about half or more",
    "sa": "spatial accuracy: 1 for the exact edit, falling to 0 for an error as large as the edit",
    "ac": "appearance: share of the pixels of the edited things, and of what they uncover, that look as they should",
    "el": "edit locality: the same share of everything else, half for the surroundings and half for the other things",
    "joint": "compliance, with every other thing left alone and the edited one like itself, in its size and turn",
    "shadow": "share of the change of light around the edited thing that the answer shows; 0: light unchanged",
}
_BLANK = ("floor-blank",)
"""A copy leaves everything as it is: it is no floor of appearance and locality."""
_FLOORS: Mapping[str, tuple[str, ...]] = {"ac": _BLANK, "el": _BLANK, "shadow": ()}
"""Which controls are floors of a score. An answer without any change has no shadow to measure, so none is of that."""
_UNCALIBRATED = ("shadow",)
SCORES = tuple(_ABOUT)
PUBLISHED = {
    "published.ic": "GSI-Bench's instruction compliance, with perfect detections",
    "published.sa": "GSI-Bench's spatial accuracy, with perfect detections",
}


PERCEIVED = "perceived"
"""Share of the answers whose scene could be told."""


def operation_counts(operation: int, operations: int, value: float) -> list[float]:
    """The state of one answer: the value and the number of answers, by operation."""
    counts = [0.0] * (2 * operations)
    counts[operation], counts[operations + operation] = value, 1.0
    return counts


def operation_ratios(sums: Any) -> tuple[Any, Any]:
    """Sums of states, shape (..., 2 k), to sums of values and numbers of answers by operation, (..., k) each."""
    half = np.shape(sums)[-1] // 2
    return np.asarray(sums)[..., :half], np.asarray(sums)[..., half:]


def macro_mean(sums: Any) -> Any:
    """Mean over operations of the mean over answers; operations without answers do not count.

    >>> float(macro_mean([3.0, 0.0, 0.5, 4.0, 0.0, 1.0]))
    0.625
    """
    values, counts = operation_ratios(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(counts > 0, values / counts, 0.0)
        return means.sum(axis=-1) / (counts > 0).sum(axis=-1)


def answer_kind(declined: bool, possible: bool) -> list[float]:
    """The state of one answer for the balanced accuracy: right and all, of impossible and of possible edits."""
    return [0.0, 0.0, float(not declined), 1.0] if possible else [float(declined), 1.0, 0.0, 0.0]


def _accuracy_ratios(sums: Any) -> tuple[Any, Any]:
    sums = np.asarray(sums)
    return sums[..., 0::2], sums[..., 1::2]


def balanced_accuracy(sums: Any) -> Any:
    """Mean of the share of impossible edits that are declined and of possible edits that are tried.

    >>> float(balanced_accuracy([2.0, 4.0, 9.0, 10.0]))
    0.7
    """
    right, asked = _accuracy_ratios(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(asked > 0, right / asked, 0.0)
        return shares.sum(axis=-1) / (asked > 0).sum(axis=-1)


METRICS = (
    *(
        Metric(
            name,
            about,
            calibrated=name not in _UNCALIBRATED,
            pool=macro_mean,
            range=_UNIT,
            ratios=operation_ratios,
            floors=_FLOORS.get(name),
        )
        for name, about in _ABOUT.items()
    ),
    Metric(
        IMPOSSIBLE,
        "balanced accuracy: impossible edits declined, by words or by an unchanged image, and possible ones tried",
        pool=balanced_accuracy,
        range=_UNIT,
        ratios=_accuracy_ratios,
    ),
    Metric(
        "answer",
        "questions: mean over skills of the mean score, which is 0 or 1, or the relative accuracy of a number",
        pool=macro_mean,
        range=_UNIT,
        ratios=operation_ratios,
    ),
    Metric("accuracy", "questions with options: share of right answers", range=_UNIT),
    Metric("mra", "questions for numbers: mean relative accuracy over thresholds 0.5 to 0.95", range=_UNIT),
    *(
        Metric(
            f"micro.{name}",
            f"{name}, mean over all answers",
            calibrated=False,
            range=_UNIT,
            floors=_FLOORS.get(name),
        )
        for name in SCORES
    ),
    *(Metric(name, about, calibrated=False, range=_UNIT) for name, about in PUBLISHED.items()),
    Metric(
        "judge.ac",
        "appearance by a judge that gets both images and the instruction: bad 0, poor ¼, fair ½, good ¾, excellent 1",
        calibrated=False,
        range=_UNIT,
        floors=_BLANK,
        judged=True,
    ),
    Metric(
        PERCEIVED,
        "share of the answers whose scene could be told",
        calibrated=False,
        higher_is_better=None,
        range=_UNIT,
    ),
)
HEADLINE = ("ic", "sa", "ac", "el", "joint", IMPOSSIBLE, "answer", "accuracy", "mra")
TABLES: Mapping[str, Sequence[str]] = {
    "Means over all answers": ("micro",),
    "GSI-Bench's published formulas": ("published",),
    "Judged": ("judge",),
}
