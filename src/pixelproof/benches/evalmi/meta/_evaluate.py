"""Meta-evaluation of one score: every measure with interval, floor and ceiling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pixelproof.benches.evalmi.data import Annotations, Split
from pixelproof.contract import Estimate, MetricSummary, PixelProofError, unknown_name
from pixelproof.stats import (
    Resampled,
    Undefined,
    auc,
    combine,
    correlations,
    group_correlations,
    logistic_map,
    resampled_correlations,
)

from ._ceiling import Ceiling, floor_predictions, noise_ceiling
from ._levels import (
    GROUP_RESAMPLES,
    LENGTHS,
    METHODS,
    AnswerAgreement,
    BoolArray,
    FloatArray,
    Ties,
    answer_agreement,
    balance,
    component_questions,
    level_estimates,
    level_values,
    pair_accuracy,
)
from ._scores import Scores

NO_CEILING = "the ceiling is known for the overall SRCC and PLCC alone"
FIXED = "the curve is fitted once and not again in each resample"


@dataclass(frozen=True)
class Reference:
    """What every score is measured against: the data, its split, floors and ceilings."""

    data: Annotations
    split: Split
    own_split: bool
    """The split was chosen; floors then use it throughout."""
    targets: tuple[str, ...]
    ceilings: Mapping[str, Ceiling | None]
    floors: Mapping[str, Mapping[str, FloatArray]]
    """Target → predictor → out-of-fold prediction of each row; `qa` and `components` included."""
    components: Any = None
    """From `component_questions`."""

    @classmethod
    def of(
        cls,
        data: Annotations,
        split: Split,
        own_split: bool = False,
        targets: tuple[str, ...] = (),
        ceiling_images: int = 300,
        seed: int = 0,
    ) -> Reference:
        """Prepare floors and ceilings of the chosen targets; none: of all."""
        known = (*data.targets, *(["qa"] if data.qa is not None else []))
        parts = component_questions(data)
        known = (*known, "components") if parts is not None else known
        for name in targets:
            if name not in known:
                raise unknown_name("target", name, known)
        chosen = targets or known
        floors: dict[str, Mapping[str, FloatArray]] = {}
        for name in chosen:
            table, fold = data, split
            if name == "components" and parts is not None:
                table, fold = parts[0], Split(split.kind, split.fold[parts[1]])
            floors[name] = floor_predictions(table, _target(table, name), fold if own_split else None, seed)
        ceilings = {
            name: noise_ceiling(data, name, ceiling_images, seed) if ceiling_images else None
            for name in chosen
            if name in data.targets
        }
        return cls(data, split, own_split, chosen, ceilings, floors, parts)


def _target(data: Annotations, name: str) -> FloatArray:
    values = data.qa if name in ("qa", "components") else data.targets[name]
    assert values is not None
    return values


@dataclass
class Evaluation:
    """All measures of one score."""

    scores: Scores
    n: int
    """Images that were evaluated."""
    tested: BoolArray
    metrics: dict[str, MetricSummary] = field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, MetricSummary]]] = field(default_factory=dict)
    """`task` or `words` → group → metric."""
    floors: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Target → predictor → metric."""
    details: dict[str, Any] = field(default_factory=dict)
    """Thresholds, numbers of pairs and ties."""
    warnings: list[str] = field(default_factory=list)
    answers: dict[str, AnswerAgreement] = field(default_factory=dict)


def evaluate(
    reference: Reference, scores: Scores, resamples: int = 2000, seed: int = 0, ties: Ties = "wrong"
) -> Evaluation:
    """Measure one score against all targets of the reference.

    Args:
        reference: Data, floors and ceilings.
        scores: Joined to the data.
        resamples: Of the cluster bootstrap.
        seed: Of the resamples.
        ties: What pairs of images with equal scores count in the pairwise accuracy.

    Raises:
        PixelProofError: No tested image has a score.
    """
    tested = (reference.split.fold >= 0) & ~np.isnan(scores.values)
    if not tested.any():
        raise PixelProofError(f"No image of the test folds has a value of {scores.column!r}.")
    result = Evaluation(scores, int(tested.sum()), tested)
    rows = reference.data.rows(tested)
    x = scores.scaled[tested]
    if np.ptp(x) == 0:
        result.warnings.append(f"{scores.column} has the same value for every image: it has no correlation.")
    for target in reference.targets:
        if target in reference.data.targets:
            _ratings(result, reference, target, rows, x, resamples, seed, ties)
        else:
            _questions(result, reference, target, resamples, seed)
    lost = int((reference.split.fold >= 0).sum()) - result.n
    if lost:
        result.details["filled"] = _filled(reference, scores)
    return result


def _filled(reference: Reference, scores: Scores) -> dict[str, float]:
    """SRCC if images without a score had the median score, which says nothing about them."""
    tested = reference.split.fold >= 0
    filled = np.where(np.isnan(scores.values), np.nanmedian(scores.values), scores.values)[tested]
    together = np.zeros(len(filled), np.int64)
    return {
        f"{name}.srcc": float(
            group_correlations(filled, reference.data.targets[name][tested], together, ["spearman"])[0, 0]
        )
        for name in reference.targets
        if name in reference.data.targets
    }


def _ratings(
    result: Evaluation,
    reference: Reference,
    target: str,
    rows: Annotations,
    x: FloatArray,
    resamples: int,
    seed: int,
    ties: Ties,
) -> None:
    y, ceiling = rows.targets[target], reference.ceilings.get(target)
    floors = {name: values[result.tested] for name, values in reference.floors[target].items() if name != "majority"}
    at_levels = {name: level_values(values, y, rows) for name, values in floors.items()}
    table: dict[str, dict[str, float]] = {name: {} for name in floors}
    for name, levels in at_levels.items():
        for level, values in levels.items():
            prefix = "" if level == "overall" else f"{level}."
            table[name] |= {f"{prefix}{measure}": float(v) for measure, v in zip(METHODS, values, strict=True)}
    overall = _overall(result, target, rows, x, floors, table, ceiling, resamples, seed)
    for measure, found in level_estimates(x, y, rows, resamples, seed).items():
        overall[measure] = _summary(found.estimate, found.n, _best(table, measure), None, found.reason)
    margin = ceiling.error if ceiling else 0.0
    for measure, gap in (("pair_accuracy", 0.0), *([("pair_accuracy_clear", margin)] if margin else [])):
        found_pairs = pair_accuracy(x, y, rows.prompt, rows.cluster, ties, gap)
        for name, values in floors.items():
            table[name][measure] = float(pair_accuracy(values, y, rows.prompt, rows.cluster, ties, gap).estimate.value)
        overall[measure] = _summary(found_pairs.estimate, found_pairs.pairs, _best(table, measure), None)
        details = {"pairs": found_pairs.pairs, "left_out": found_pairs.human_ties, "score_ties": found_pairs.score_ties}
        result.details[f"{target}.{measure}"] = details | {"margin": gap, "ties": ties}
    result.metrics |= {f"{target}.{measure}": summary for measure, summary in overall.items()}
    result.floors[target] = table
    upper = overall["srcc"].value if math.isnan(overall["srcc"].hi) else overall["srcc"].hi
    if upper < 0:
        result.warnings.append(_direction_warning(result.scores, target))
    _grouped(result, target, rows, x, y, min(resamples, GROUP_RESAMPLES), seed)


def _direction_warning(scores: Scores, target: str) -> str:
    if scores.lower_is_better:
        return f"{scores.column} rises with {target}, but was declared as lower is better: is it a distance?"
    return f"{scores.column} falls as {target} rises. If lower values are better, pass --lower {scores.column}."


def _overall(
    result: Evaluation,
    target: str,
    rows: Annotations,
    x: FloatArray,
    floors: Mapping[str, FloatArray],
    table: Mapping[str, Mapping[str, float]],
    ceiling: Ceiling | None,
    resamples: int,
    seed: int,
) -> dict[str, MetricSummary]:
    y, n = rows.targets[target], len(rows)
    drawn = resampled_correlations({"score": x}, y, rows.cluster, resamples=resamples, seed=seed)["score"]
    beside: dict[str, Mapping[Any, Resampled]] = {}
    found: dict[str, MetricSummary] = {}
    for measure, method in METHODS.items():
        resampled: Resampled = drawn[method]  # type: ignore[index]
        top = getattr(ceiling, measure, None) if ceiling else None
        floor = _best(table, measure)
        calibrated: Estimate | None = None
        reason = NO_CEILING if measure == "krcc" else "there are no votes to estimate the ceiling from"
        if top is not None and floor is not None:
            name = max(table, key=lambda key: -math.inf if math.isnan(table[key][measure]) else table[key][measure])
            if name not in beside:
                methods: Any = ["spearman", "pearson"]
                columns = {name: floors[name]}
                beside[name] = resampled_correlations(columns, y, rows.cluster, methods, resamples, seed)[name]
            calibrated, reason = _calibrate(resampled, beside[name][method], top)
        estimate = resampled.estimate()
        found[measure] = _summary(estimate, n, floor, top, None, calibrated, reason)
    for parameters in (4, 5):
        mapped = logistic_map(x, y, parameters)
        name = f"plcc_logistic{parameters}"
        if mapped is None:
            none = Undefined(math.nan, "the logistic curve cannot be fitted")
            found[name] = _summary(none, n, _best(table, "plcc"), None)
            continue
        value = correlations(mapped, y, rows.cluster, ["pearson"], resamples=min(resamples, 1000), seed=seed)["pearson"]
        top = ceiling.plcc if ceiling else None
        found[name] = _summary(value, n, _best(table, "plcc"), top, None, None, FIXED)
    return found


def _calibrate(score: Resampled, floor: Resampled, ceiling: float) -> tuple[Estimate | None, str]:
    """(s - F) / (C - F) with s and F resampled together; None with the reason where C is not above F."""
    if math.isnan(score.value):
        return None, "the value is undefined"
    if not floor.estimate().hi < ceiling:
        return None, "the floor is not clearly below the ceiling"
    return combine(lambda s, f: (s - f) / (ceiling - f), score, floor).estimate(), ""


def _grouped(
    result: Evaluation, target: str, rows: Annotations, x: FloatArray, y: FloatArray, resamples: int, seed: int
) -> None:
    groups: dict[str, dict[str, BoolArray]] = {"words": {}}
    if len(rows.tasks) > 1:
        groups["task"] = {name: rows.task == code for code, name in enumerate(rows.tasks)}
    for low, high in LENGTHS:
        label = f"{low}+" if high is None else f"{low}–{high}"
        groups["words"][label] = (rows.words >= low) & (rows.words <= (high or rows.words.max(initial=0)))
    for dimension, members in groups.items():
        for name, chosen in members.items():
            if chosen.sum() < 3:
                continue
            of_group = rows.cluster[chosen]
            methods: Any = ["spearman", "pearson"]
            values: Any = correlations(x[chosen], y[chosen], of_group, methods, resamples=resamples, seed=seed)
            together = np.zeros(len(of_group), np.int64)
            tau = float(group_correlations(x[chosen], y[chosen], together, ["kendall"])[0, 0])
            for measure, method in METHODS.items():
                estimate = values.get(method, Estimate(tau, math.nan, math.nan))
                reason = None if method in values else "Kendall's tau of groups is not resampled"
                entry = _summary(estimate, int(chosen.sum()), None, None, reason)
                result.groups.setdefault(dimension, {}).setdefault(name, {})[f"{target}.{measure}"] = entry


def _questions(result: Evaluation, reference: Reference, target: str, resamples: int, seed: int) -> None:
    scores, data, split, tested = result.scores, reference.data, reference.split, result.tested
    values = scores.values
    if target == "components":
        data, row, part = reference.components
        split = Split(split.kind, split.fold[row])
        values = values[row] if scores.components is None else scores.components[row, part]
        tested = (split.fold >= 0) & ~np.isnan(values)
        result.details["components.scores"] = "of the image" if scores.components is None else "of each question"
        if not tested.any():
            return
    found = answer_agreement(values, data, split, tested, resamples, seed)
    assert data.qa is not None
    labels = data.qa[tested]
    table: dict[str, dict[str, float]] = {}
    for name, predicted in reference.floors[target].items():
        right = ((predicted[tested] > 0.5) == labels).astype(np.float64)
        sums = np.stack([right * labels, labels, right * (1 - labels), 1 - labels], axis=1).sum(axis=0)
        area = math.nan if name == "majority" else auc(predicted[tested], labels, resamples=0).value
        table[name] = {"accuracy": float(right.mean()), "balanced_accuracy": float(balance(sums)), "auc": area}
    n = int(tested.sum())
    for measure in ("accuracy", "balanced_accuracy", "auc"):
        entry = _summary(getattr(found, measure), n, _best(table, measure), None)
        result.metrics[f"{target}.{measure}"] = entry
    result.floors[target] = table
    result.answers[target] = found
    result.details[f"{target}.thresholds"] = list(found.thresholds)


def _best(table: Mapping[str, Mapping[str, float]], measure: str) -> float | None:
    values = [
        predictor[measure]
        for predictor in table.values()
        if measure in predictor and not math.isnan(predictor[measure])
    ]
    return max(values) if values else None


def _summary(
    estimate: Estimate | Undefined,
    n: int,
    floor: float | None,
    ceiling: float | None,
    reason: str | None = None,
    calibrated: Estimate | None = None,
    calibrated_reason: str | None = None,
) -> MetricSummary:
    if isinstance(estimate, Undefined):
        return MetricSummary(estimate.value, math.nan, math.nan, floor, ceiling, n=n, interval_reason=estimate.reason)
    if reason is None and math.isnan(estimate.lo):
        reason = "the value is undefined" if math.isnan(estimate.value) else "the resamples do not vary"
    return MetricSummary(
        estimate.value,
        estimate.lo,
        estimate.hi,
        floor,
        ceiling,
        calibrated,
        n,
        calibrated_reason=None if calibrated else calibrated_reason or NO_CEILING,
        interval_reason=reason,
    )
