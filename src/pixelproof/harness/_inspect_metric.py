"""Scores and the metric over them, as Inspect wants them."""

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
"""Inspect's words for model faults; every other one is `invalid_response_format`."""
_SHORT = 500


def score_of(result: Result, item: Item, answer: Answer, metrics: Sequence[BenchMetric]) -> Score:
    """A result as a score: numbers and short text alone.

    Pictures never go into a score, for Inspect copies scores once per reducer and holds them all run long.
    """
    failure = result.failure
    told: dict[str, Any] = {"cluster": item.cluster or item.id}
    explanation = "; ".join(f"{name}: {note}" for name, note in result.notes.items())
    if failure is not None:
        told["failure"] = failure.name
        explanation = f"{failure.name}: {failure.detail}; {explanation}"
    texts: dict[str, Any] = {"answer": answer.text[:_SHORT], "explanation": explanation[:_SHORT]}
    if failure is not None and failure.fault is not Fault.MODEL:
        reason = "grader_failed" if failure.name == "judge-failed" else "scoring_failed"
        return Score.unscored(reason=reason, metadata=told, **texts)
    told["pooled"] = {m.name: _floats(result.metrics[m.name]) for m in metrics if m.pool and m.name in result.metrics}
    return Score(
        value={m.name: _finite(result.metrics.get(m.name)) for m in metrics if m.pool is None},
        reason=None if failure is None else _REASONS.get(failure.name, "invalid_response_format"),
        metadata=told,
        **texts,
    )


@metric(scores="unreduced")
def pooled(bench: str) -> Metric:
    """All metrics of a bench, over every sample of every epoch: means, or `pool` of the summed counts.

    A metric that no answer has is NaN. How many answers were the model's own fault stands beside the metrics: what
    such an answer lacks is left out here, while PixelProof's own tables count it as the floor.
    """
    kind = bench_type(bench)
    ordered = sorted(
        kind.metrics, key=lambda m: kind.display.headline.index(m.name) if m.name in kind.display.headline else math.inf
    )

    def compute(scores: list[SampleScore]) -> Value:
        told = {m.name: _over(m, [score.score for score in scores]) for m in ordered}
        return told | {"model_faults": float(sum("failure" in (s.score.metadata or {}) for s in scores))}

    return compute


def _over(metric: BenchMetric, scores: Sequence[Score]) -> float:
    if metric.pool is None:
        values = [score.value.get(metric.name) for score in scores if isinstance(score.value, Mapping)]
        numbers = [float(value) for value in values if value is not None]
        return float(np.mean(numbers)) if numbers else math.nan
    counts = [((score.metadata or {}).get("pooled") or {}).get(metric.name) for score in scores]
    vectors = [np.asarray(vector, float) for vector in counts if vector is not None]
    with np.errstate(all="ignore"):  # no counts at all are no reason to print
        return float(metric.pool(np.sum(vectors, axis=0))) if vectors else math.nan


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _floats(vector: Any) -> list[float]:
    return [float(number) for number in vector]
