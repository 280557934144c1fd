"""Agreement of a score with ratings: correlations at every level, pairs of images of a prompt, yes/no questions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pixelproof.benches.evalmi.data import Annotations, Prompts, Split
from pixelproof.contract import Estimate
from pixelproof.stats import (
    Resampled,
    Undefined,
    auc,
    best_threshold,
    group_correlations,
    mean_interval,
    pooled_interval,
    resample_statistic,
    resampled_group_means,
)

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


METHODS = {"srcc": "spearman", "plcc": "pearson", "krcc": "kendall"}
LEVELS = ("overall", "within_prompt", "within_generator", "within_task", "between_generators")
LENGTHS = ((1, 7), (8, 10), (11, 20), (21, 77), (78, None))
"""Groups of prompts by words: quartiles of EvalMi-50K, and beyond what CLIP reads."""
GROUP_RESAMPLES = 500
_NAMES: Any = tuple(METHODS.values())


def level_values(x: FloatArray, y: FloatArray, rows: Annotations) -> dict[str, FloatArray]:
    """SRCC, PLCC and KRCC at each level, without intervals."""
    together = np.zeros(len(x), np.int64)
    a, b = (_model_means(values, rows.model) for values in (x, y))
    return {
        "overall": group_correlations(x, y, together, _NAMES)[0],
        "within_prompt": _mean(group_correlations(x, y, rows.prompt, _NAMES)),
        "within_generator": _mean(group_correlations(x, y, rows.model, _NAMES)),
        "within_task": _mean(group_correlations(x, y, rows.task, _NAMES)),
        "between_generators": group_correlations(a, b, np.zeros(len(a), np.int64), _NAMES)[0],
    }


def _mean(values: FloatArray) -> FloatArray:
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(defined, values, 0.0).sum(axis=0) / defined.sum(axis=0)
    return means


def _model_means(values: FloatArray, model: IntArray) -> FloatArray:
    _, codes = np.unique(model, return_inverse=True)
    means: FloatArray = np.bincount(codes, values) / np.bincount(codes)
    return means


@dataclass(frozen=True)
class LevelEstimate:
    """A correlation at one level with its interval."""

    estimate: Estimate | Undefined
    n: int
    """Groups, or generators."""
    reason: str | None = None
    """Why there is no interval."""


def level_estimates(
    x: FloatArray, y: FloatArray, rows: Annotations, resamples: int, seed: int
) -> dict[str, LevelEstimate]:
    """Correlations within and between groups by `level.method`, with intervals over prompts."""
    found: dict[str, LevelEstimate] = {}
    ids, first = np.unique(rows.prompt, return_index=True)
    of_prompts = group_correlations(x, y, rows.prompt, _NAMES)
    for place, name in enumerate(METHODS):
        values = of_prompts[:, place]
        defined = ~np.isnan(values)
        if defined.any():
            interval = mean_interval(values[defined], (-1, 1), rows.cluster[first][defined])
            found[f"within_prompt.{name}"] = LevelEstimate(interval, int(defined.sum()))
        else:
            none = Undefined(np.nan, "no prompt has two images with different ratings")
            found[f"within_prompt.{name}"] = LevelEstimate(none, 0)
    for level, groups in (("within_generator", rows.model), ("within_task", rows.task)):
        values = _mean(group_correlations(x, y, groups, _NAMES))
        count = len(np.unique(groups))
        drawn: Any = resampled_group_means(
            x, y, groups, rows.cluster, resamples=min(resamples, GROUP_RESAMPLES), seed=seed
        )
        for place, (name, method) in enumerate(METHODS.items()):
            value = float(values[place])
            if method in drawn:
                ends = drawn[method].estimate()
                found[f"{level}.{name}"] = LevelEstimate(Estimate(value, ends.lo, ends.hi), count)
            else:
                plain = Estimate(value, np.nan, np.nan)
                found[f"{level}.{name}"] = LevelEstimate(plain, count, "Kendall's tau within groups is not resampled")
    return found | _between(x, y, rows, resamples, seed)


def _between(x: FloatArray, y: FloatArray, rows: Annotations, resamples: int, seed: int) -> dict[str, LevelEstimate]:
    models, model = np.unique(rows.model, return_inverse=True)
    units, cluster = np.unique(rows.cluster, return_inverse=True)
    cells = cluster * len(models) + model
    shape = (len(units), len(models))
    counts, sum_x, sum_y = (
        np.bincount(cells, weights, len(units) * len(models)).reshape(shape) for weights in (np.ones(len(x)), x, y)
    )

    def statistic(place: int) -> Callable[[FloatArray], FloatArray]:
        def under(weights: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore", invalid="ignore"):
                size = weights @ counts
                a, b = (weights @ sums / size for sums in (sum_x, sum_y))
            codes = np.repeat(np.arange(len(weights)), len(models))
            found: FloatArray = group_correlations(a.ravel(), b.ravel(), codes, _NAMES[place : place + 1])[:, 0]
            return found

        return under

    drawn: dict[str, Resampled] = {
        name: resample_statistic(statistic(place), len(units), min(resamples, 1000), seed)
        for place, name in enumerate(METHODS)
    }
    few = "there are fewer than three generators" if len(models) < 3 else None
    return {
        f"between_generators.{name}": LevelEstimate(resampled.estimate(), len(models), few)
        for name, resampled in drawn.items()
    }


Ties = Literal["wrong", "half", "skip"]
"""What a pair counts whose scores are equal: nothing, one half, or not at all."""


@dataclass(frozen=True)
class PairAccuracy:
    """Share of pairs that a score orders as people do."""

    estimate: Estimate | Undefined
    pairs: int
    """Pairs that count."""
    human_ties: int
    """Pairs with equal ratings, or, with a margin, with ratings closer than it; they are left out."""
    score_ties: int
    """Pairs with equal scores among those that remain."""


def pair_accuracy(
    scores: FloatArray,
    ratings: FloatArray,
    prompts: IntArray,
    clusters: IntArray,
    ties: Ties = "wrong",
    margin: float = 0.0,
) -> PairAccuracy:
    """Accuracy over all pairs of images of the same prompt, with an interval over clusters of prompts.

    Args:
        scores: One per image.
        ratings: Mean opinion scores.
        prompts: Code of the prompt of each image.
        clusters: Cluster of each image; images of one prompt are in one cluster.
        ties: What equal scores count.
        margin: Pairs whose ratings differ by less are left out: noise decides them.
    """
    order = np.argsort(prompts, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(prompts[order]) != 0])
    states, of_group, human, equal = [], [], 0, 0
    for rows in np.split(order, starts[1:]):
        i, j = np.triu_indices(len(rows), 1)
        gap = ratings[rows[i]] - ratings[rows[j]]
        kept = (gap != 0) & (np.abs(gap) >= margin)
        agreement = np.sign(scores[rows[i]] - scores[rows[j]])[kept] * np.sign(gap[kept])
        tied = int((agreement == 0).sum())
        right = float((agreement > 0).sum()) + (tied / 2 if ties == "half" else 0)
        states.append((right, len(agreement) - (tied if ties == "skip" else 0)))
        of_group.append(clusters[rows[0]])
        human += len(gap) - int(kept.sum())
        equal += tied
    sums = np.array(states, np.float64)
    total = int(sums[:, 1].sum())
    if total == 0:
        return PairAccuracy(Undefined(math.nan, "there are no pairs of images of one prompt"), 0, human, equal)
    interval = pooled_interval(sums, _share, (0, 1), np.array(of_group), ratios=_parts)
    return PairAccuracy(interval, total, human, equal)


def _share(sums: FloatArray) -> FloatArray:
    share: FloatArray = sums[..., 0] / sums[..., 1]
    return share


def _parts(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    return sums[..., :1], sums[..., 1:]


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
