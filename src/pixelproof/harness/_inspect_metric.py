"""Results as scores of Inspect, and the metric over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from pixelproof.contract import Answer, Failure, Fault, Item, Result
from pixelproof.contract import Metric as BenchMetric
from pixelproof.harness._inspect_recipe import bench_type

_REASONS = {"refusal": "refusal", "no-image": "no_response", "no-response": "no_response", "no-answer": "no_response"}
"""Inspect's reasons for model faults; all others are `invalid_response_format`."""
_SHORT = 500
_EXCLUDING = ".excluding_faults"


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
    PixelProof counts values that such answers lack as the floor, which is not known here: a metric that any of them
    lacks is reported as `NAME.excluding_faults`, which is the number of that name in PixelProof's summary.
    """
    kind = bench_type(bench)
    ordered = sorted(
        kind.metrics, key=lambda m: kind.display.headline.index(m.name) if m.name in kind.display.headline else math.inf
    )

    def compute(scores: list[SampleScore]) -> Value:
        given = [score.score for score in scores]
        answered = [score for score in given if not _is_faulty(score.metadata or {})]
        labels = {_label(m, given): m for m in ordered}
        values = {label: _over(m, answered if label.endswith(_EXCLUDING) else given) for label, m in labels.items()}
        marks = [score.metadata or {} for score in given]
        counts = {"model_faults": sum(_is_faulty(mark) for mark in marks)}
        counts |= {"abstained": sum("abstained" in mark for mark in marks)}
        counts |= {"unscored": sum("failure" in mark and not _is_faulty(mark) for mark in marks)}
        counts = {name: count for name, count in counts.items() if count or name == "model_faults"}
        return values | {name: float(count) for name, count in counts.items()}

    return compute


def _label(metric: BenchMetric, scores: Sequence[Score]) -> str:
    """The metric's name if the table of PixelProof has the same value, else that of the value without faults."""
    for score in scores:
        marks = score.metadata or {}
        if (_is_faulty(marks) or "abstained" in marks) and _value(metric, score) is None:
            return f"{metric.name}{_EXCLUDING}"
    return metric.name


def _is_faulty(marks: Mapping[str, Any]) -> bool:
    return bool(marks.get("fault") == Fault.MODEL)


def _value(metric: BenchMetric, score: Score) -> Any:
    """The value or the counts of a metric in a score; None if it has none."""
    if metric.pool is not None:
        return ((score.metadata or {}).get("pooled") or {}).get(metric.name)
    return score.value.get(metric.name) if isinstance(score.value, Mapping) else None


def _over(metric: BenchMetric, scores: Sequence[Score]) -> float:
    known = [value for score in scores if (value := _value(metric, score)) is not None]
    if metric.pool is None:
        return float(np.mean([float(value) for value in known])) if known else math.nan
    vectors = [np.asarray(vector, float) for vector in known]
    with np.errstate(all="ignore"):  # empty counts give NaN without a warning
        return float(metric.pool(np.sum(vectors, axis=0))) if vectors else math.nan


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _floats(vector: Any) -> list[float]:
    return [float(number) for number in vector]
