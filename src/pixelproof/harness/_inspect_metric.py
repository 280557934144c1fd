"""Results as scores of Inspect, and the metric over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from pixelproof.contract import Answer, Failure, Fault, Item, Result
from pixelproof.contract import Metric as BenchMetric
from pixelproof.harness._ends import worst_end
from pixelproof.harness._inspect_recipe import bench_type

_REASONS = {"refusal": "refusal", "no-image": "no_response", "no-response": "no_response", "no-answer": "no_response"}
"""Inspect's reasons for model faults; all others are `invalid_response_format`."""
_SHORT = 500
_AS_WORST = ".faults_as_worst"


def score_of(result: Result, item: Item, answer: Answer, metrics: Sequence[BenchMetric]) -> Score:
    """A result as a score: numbers and short texts.

    Images are not included, because Inspect copies scores once per reducer and keeps them in memory.
    """
    failure = result.failure
    metadata: dict[str, Any] = {"cluster": item.cluster or item.id}
    explanation = "; ".join(f"{name}: {note}" for name, note in result.notes.items())
    if failure is not None:
        metadata |= {"failure": failure.name, "fault": str(failure.fault)}
        explanation = f"{failure.name}: {failure.detail}; {explanation}"
    texts: dict[str, Any] = {"answer": answer.text[:_SHORT], "explanation": explanation[:_SHORT]}
    reason = None if failure is None else _reason(failure)
    if failure is not None and failure.fault is not Fault.MODEL and not result.metrics:
        return Score.unscored(reason=reason, metadata=metadata, **texts)
    pooled = {m.name: _floats(result.metrics[m.name]) for m in metrics if m.pool and m.name in result.metrics}
    metadata |= {"pooled": pooled} | ({"abstained": True} if result.abstained else {})
    return Score(
        value={m.name: _finite(result.metrics.get(m.name)) for m in metrics if m.pool is None},
        reason=reason,
        metadata=metadata,
        **texts,
    )


def _reason(failure: Failure) -> str:
    """Inspect's word for a failure."""
    if failure.fault is Fault.MODEL:
        return _REASONS.get(failure.name, "invalid_response_format")
    return "grader_failed" if failure.name.startswith("judge-") else "scoring_failed"


@metric(scores="unreduced")
def pooled(bench: str) -> Metric:
    """All metrics of a bench, over every sample of every epoch: means, or `pool` of the summed counts.

    A metric without any value is NaN. The numbers of model faults and abstentions are reported beside the metrics.
    A metric that such answers lack is reported as `NAME.faults_as_worst`: they count as the worst end of its range, as
    in a summary of PixelProof without floors (`--calibrate 0`); NaN for a metric without a range.
    """
    kind = bench_type(bench)
    ordered = sorted(
        kind.metrics, key=lambda m: kind.display.headline.index(m.name) if m.name in kind.display.headline else math.inf
    )

    def compute(scores: list[SampleScore]) -> Value:
        given = [score.score for score in scores]
        values = dict(_name_and_value(metric, given) for metric in ordered)
        marks = [score.metadata or {} for score in given]
        counts = {"model_faults": sum(_is_faulty(mark) for mark in marks)}
        counts |= {"abstained": sum("abstained" in mark for mark in marks)}
        counts |= {"unscored": sum("failure" in mark and not _is_faulty(mark) for mark in marks)}
        counts = {name: count for name, count in counts.items() if count or name == "model_faults"}
        return values | {name: float(count) for name, count in counts.items()}

    return compute


def _name_and_value(metric: BenchMetric, scores: Sequence[Score]) -> tuple[str, float]:
    """The name of a metric, which says whether faults have a value, and its value."""
    known = [value for score in scores if (value := _value(metric, score)) is not None]
    marks = [score.metadata or {} for score in scores if _value(metric, score) is None]
    lacking = sum(_is_faulty(mark) or "abstained" in mark for mark in marks)
    value, end = _over(metric, known), worst_end(metric)
    if not lacking or metric.higher_is_better is None:
        return metric.name, value
    share = lacking / (lacking + len(known))
    return metric.name + _AS_WORST, math.nan if end is None else value + share * (end - value)


def _is_faulty(marks: Mapping[str, Any]) -> bool:
    return bool(marks.get("fault") == Fault.MODEL)


def _value(metric: BenchMetric, score: Score) -> Any:
    """The value or the counts of a metric in a score; None if it has none."""
    if metric.pool is not None:
        return ((score.metadata or {}).get("pooled") or {}).get(metric.name)
    return score.value.get(metric.name) if isinstance(score.value, Mapping) else None


def _over(metric: BenchMetric, known: Sequence[Any]) -> float:
    if metric.pool is None:
        return float(np.mean([float(value) for value in known])) if known else math.nan
    vectors = [np.asarray(vector, float) for vector in known]
    with np.errstate(all="ignore"):  # empty counts give NaN without a warning
        return float(metric.pool(np.sum(vectors, axis=0))) if vectors else math.nan


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _floats(vector: Any) -> list[float]:
    return [float(number) for number in vector]
