"""Making probabilities mean what they say, and choosing when to abstain."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from pixelproof.nets import softmax

Logits = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def temperature_of(logits: Logits, labels: Labels) -> float:
    """By what to divide logits so that the labels become most probable.

    >>> temperature_of(np.array([[9.0, 0.0]] * 4), np.array([0, 0, 0, 1])) > 1  # three in four is no certainty
    True
    """

    def surprise(log_temperature: float) -> float:
        scaled = logits / np.exp(log_temperature)
        return float(np.mean(logsumexp(scaled, axis=1) - scaled[np.arange(len(labels)), labels]))

    return float(np.exp(minimize_scalar(surprise, bounds=(-2, 3), method="bounded").x))


def certainty(logits: Logits, temperature: float) -> npt.NDArray[np.float64]:
    """How probable the likeliest name is; 0 where "nothing", the last class, is at least as probable.

    >>> certainty(np.array([[0.0, -99.0, -99.0], [0.0, -99.0, 9.0]]), 1.0).round(3).tolist()
    [1.0, 0.0]
    """
    probabilities = softmax(logits / temperature)
    top = probabilities[:, :-1].max(axis=1)
    return np.where(top > probabilities[:, -1], top, 0.0)


def threshold_of(floor: npt.NDArray[np.float64], abstain: float) -> float:
    """Confidence threshold that rejects a given share of the negatives.

    >>> round(threshold_of(np.array([0.0, 0.2, 0.9, 0.4]), 0.75), 6)
    0.4

    Args:
        floor: Certainties of the negatives.
        abstain: Share of them to reject.
    """
    last = np.sort(floor)[int(np.ceil(abstain * len(floor))) - 1]
    return float(np.nextafter(last, 2))  # above the last of those


def level_of(certain: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], share: float) -> float:
    """The least certainty at which the given share of all names at or above it is right; above 1 if there is none.

    >>> level_of(np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, False, True, False]), 0.6)
    0.7
    """
    order = np.argsort(-certain, kind="stable")
    levels, good = certain[order], np.cumsum(right[order]) / np.arange(1, len(order) + 1) >= share
    good &= (levels > 0) & np.append(levels[1:] < levels[:-1], True)  # equals are named together or not at all
    return float(levels[good][-1]) if good.any() else float(np.nextafter(1, 2))


def calibration_error(certain: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], bins: int = 10) -> float:
    """Mean distance between certainty and the share that is right, over bins of equal width; of nothing: nan.

    >>> round(calibration_error(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, True, False])), 3)
    0.15
    """
    places = np.minimum((certain * bins).astype(int), bins - 1)
    gaps = [abs(certain[places == i].sum() - right[places == i].sum()) for i in np.unique(places)]
    return float(sum(gaps) / len(certain)) if len(certain) else float("nan")
