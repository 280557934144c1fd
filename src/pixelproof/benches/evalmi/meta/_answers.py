"""Yes/no questions: accuracy at a threshold from other folds, balanced accuracy, and AUC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pixelproof.benches.evalmi.data import Annotations, Prompts, Split
from pixelproof.contract import Estimate
from pixelproof.stats import Undefined, auc, best_threshold, mean_interval, pooled_interval

from ._types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class AnswerAgreement:
    """How well a score predicts yes/no answers."""

    accuracy: Estimate | Undefined
    balanced_accuracy: Estimate | Undefined
    auc: Estimate
    thresholds: tuple[float, ...]
    """One per fold, from the rows outside of it."""
    right: FloatArray
    """1 or 0 per row: the prediction is the answer."""


def threshold_predictions(scores: FloatArray, labels: FloatArray, split: Split) -> tuple[FloatArray, tuple[float, ...]]:
    """1 or 0 per tested row, nan where there is no score or no scored row to take a threshold from."""
    thresholds = []

    def fit(train: IntArray, test: IntArray) -> FloatArray:
        known = train[~np.isnan(scores[train])]
        if len(known) == 0:
            return np.full(len(test), np.nan)
        threshold, _ = best_threshold(scores[known], labels[known])
        thresholds.append(threshold)
        return np.where(np.isnan(scores[test]), np.nan, (scores[test] > threshold).astype(np.float64))

    return split.out_of_fold(fit), tuple(thresholds)


def answer_agreement(
    scores: FloatArray, data: Annotations, split: Split, tested: BoolArray, resamples: int, seed: int
) -> AnswerAgreement:
    """Agreement of a score with the answers `data.qa` on the tested rows, with intervals over prompts.

    Args:
        scores: One per row of the data; nan where there is none.
        data: All rows, since thresholds come from rows outside of a fold.
        split: Of the rows.
        tested: Rows to evaluate on; all have a score.
        resamples: For the interval of the AUC.
        seed: For the same.
    """
    assert data.qa is not None
    predicted, thresholds = threshold_predictions(scores, data.qa, split)
    rows = tested & ~np.isnan(predicted)
    labels, clusters = data.qa[tested], data.cluster[tested]
    area = auc(scores[tested], labels, clusters, min(resamples, 1000), seed).estimate()
    if not rows.any():
        none = Undefined(np.nan, "no scored image outside of the fold gives a threshold")
        return AnswerAgreement(none, none, area, thresholds, np.full(int(tested.sum()), np.nan))
    right = (predicted[rows] == data.qa[rows]).astype(np.float64)
    accuracy = mean_interval(right, (0, 1), data.cluster[rows])
    yes = data.qa[rows]
    states = np.stack([right * yes, yes, right * (1 - yes), 1 - yes], axis=1)
    balanced = pooled_interval(states, balance, (0, 1), data.cluster[rows], ratios=_halves)
    return AnswerAgreement(accuracy, balanced, area, thresholds, (predicted == data.qa)[tested].astype(np.float64))


def balance(sums: FloatArray) -> FloatArray:
    """Balanced accuracy of sums (right yes, yes, right no, no); nan with one class only."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value: FloatArray = (sums[..., 0] / sums[..., 1] + sums[..., 2] / sums[..., 3]) / 2
    return value


def _halves(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    return sums[..., [0, 2]], sums[..., [1, 3]]


def component_questions(data: Annotations) -> tuple[Annotations, IntArray, IntArray] | None:
    """The component questions as rows of their own, with the image row and the question number (from 0) of each.

    A question is what a prompt is elsewhere; questions of one prompt share its text, and with it its cluster.
    """
    if data.components is None or np.isnan(data.components).all():
        return None
    row, part = np.nonzero(~np.isnan(data.components))
    width = data.components.shape[1]
    questions, codes = np.unique(data.prompt[row] * width + part, return_inverse=True)
    of_prompt = questions // width
    prompts = Prompts(
        tuple(f"{data.prompts.ids[p]}#{q + 1}" for p, q in zip(of_prompt, questions % width, strict=True)),
        tuple(data.prompts.texts[p] for p in of_prompt),
        tuple(f"component {q + 1}" for q in questions % width),
    )
    images = tuple(f"{data.image_ids[r]}#{p + 1}" for r, p in zip(row, part, strict=True))
    answers = data.components[row, part]
    table = Annotations(data.name, images, data.models, data.model[row], prompts, codes.astype(np.int64), {}, answers)
    return table, row.astype(np.int64), part.astype(np.int64)
