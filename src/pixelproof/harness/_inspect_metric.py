"""Results as scores of Inspect, and the metric over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from pixelproof.contract import Answer, Fault, Item, Result
from pixelproof.contract import Metric as BenchMetric
from pixelproof.harness._inspect_recipe import bench_type

_REASONS = {"refusal": "refusal", "no-image": "no_response", "no-response": "no_response", "no-answer": "no_response"}
"""Inspect's reasons for model faults; all others are `invalid_response_format`."""
_SHORT = 500


def score_of(result: Result, item: Item, answer: Answer, metrics: Sequence[BenchMetric]) -> Score:
    """A result as a score: numbers and short texts.

    Images are not included, because Inspect copies scores once per reducer and keeps them in memory.
    """
    failure = result.failure
    metadata: dict[str, Any] = {"cluster": item.cluster or item.id}
    explanation = "; ".join(f"{name}: {note}" for name, note in result.notes.items())
    if failure is not None:
        metadata["failure"] = failure.name
        explanation = f"{failure.name}: {failure.detail}; {explanation}"
    texts: dict[str, Any] = {"answer": answer.text[:_SHORT], "explanation": explanation[:_SHORT]}
    if failure is not None and failure.fault is not Fault.MODEL:
        reason = "grader_failed" if failure.name == "judge-failed" else "scoring_failed"
        return Score.unscored(reason=reason, metadata=metadata, **texts)
    pooled = {m.name: _floats(result.metrics[m.name]) for m in metrics if m.pool and m.name in result.metrics}
    metadata |= {"pooled": pooled} | ({"abstained": True} if result.abstained else {})
    return Score(
        value={m.name: _finite(result.metrics.get(m.name)) for m in metrics if m.pool is None},
        reason=None if failure is None else _REASONS.get(failure.name, "invalid_response_format"),
        metadata=metadata,
        **texts,
    )


@metric(scores="unreduced")
def pooled(bench: str) -> Metric:
    """All metrics of a bench, over every sample of every epoch: means, or `pool` of the summed counts.

    A metric without any value is NaN. The numbers of model faults and abstentions are reported beside the metrics:
    values that such answers lack are excluded here, while the tables of PixelProof count them as the floor.
    """
    kind = bench_type(bench)
    ordered = sorted(
        kind.metrics, key=lambda m: kind.display.headline.index(m.name) if m.name in kind.display.headline else math.inf
    )

    def compute(scores: list[SampleScore]) -> Value:
        values = {m.name: _over(m, [score.score for score in scores]) for m in ordered}
        marks = [score.score.metadata or {} for score in scores]
        counts = {"model_faults": sum("failure" in mark for mark in marks)}
        if abstained := sum("abstained" in mark for mark in marks):
            counts["abstained"] = abstained
        return values | {name: float(count) for name, count in counts.items()}

    return compute


def _over(metric: BenchMetric, scores: Sequence[Score]) -> float:
    if metric.pool is None:
        values = [score.value.get(metric.name) for score in scores if isinstance(score.value, Mapping)]
        numbers = [float(value) for value in values if value is not None]
        return float(np.mean(numbers)) if numbers else math.nan
    counts = [((score.metadata or {}).get("pooled") or {}).get(metric.name) for score in scores]
    vectors = [np.asarray(vector, float) for vector in counts if vector is not None]
    with np.errstate(all="ignore"):  # empty counts give NaN without a warning
        return float(metric.pool(np.sum(vectors, axis=0))) if vectors else math.nan


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _floats(vector: Any) -> list[float]:
    return [float(number) for number in vector]
