"""Area under the ROC curve over clusters, and the best threshold of a score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray, as_values
from ._resampled import Resampled, resample_statistic


def auc(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Resampled:
    """Probability that a positive has a higher score than a negative, ties counted half; nan with one class only.

    >>> auc([1, 2, 3, 4], [0, 1, 0, 1], resamples=10).value
    0.75
    """
    x, y = as_values(scores), as_values(labels) > 0
    distinct, place = np.unique(x, return_inverse=True)
    units = np.unique(np.arange(len(x)) if clusters is None else np.asarray(clusters), return_inverse=True)
    codes, count = units[1], len(units[0])

    def statistic(weights: FloatArray) -> FloatArray:
        values = np.empty(len(weights))
        for row, of_clusters in enumerate(weights):
            w = of_clusters[codes]
            positive = np.bincount(place[y], w[y], len(distinct))
            negative = np.bincount(place[~y], w[~y], len(distinct))
            below = np.cumsum(negative) - negative / 2
            total = positive.sum() * negative.sum()
            values[row] = positive @ below / total if total > 0 else np.nan
        return values

    return resample_statistic(statistic, count, resamples, seed)


def best_threshold(scores: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[float, float]:
    """The threshold t for which `score > t` agrees best with the labels, and the agreement.

    The threshold is the middle of two neighbouring scores, the first of several equally good ones; -inf or inf if it is
    best to give every row the same label.

    >>> best_threshold([1, 2, 3, 4], [0, 0, 1, 1])
    (2.5, 1.0)
    """
    x, y = as_values(scores), as_values(labels) > 0
    distinct, place = np.unique(x, return_inverse=True)
    positive = np.bincount(place[y], minlength=len(distinct))
    negative = np.bincount(place[~y], minlength=len(distinct))
    right = np.concatenate([[positive.sum()], positive.sum() + np.cumsum(negative - positive)])
    cut = int(right.argmax())
    ends = np.concatenate([[-np.inf], distinct, [np.inf]])
    inner = 0 < cut < len(distinct)
    threshold = (ends[cut] + ends[cut + 1]) / 2 if inner else (-np.inf if cut == 0 else np.inf)
    return float(threshold), float(right[cut] / len(x))
