"""Judging and scoring of answers; shared by both runners."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from pixelproof.contract import Answer, Bench, Failure, Fault, Metric, Prompt, Result
from pixelproof.harness._checks import checked_result
from pixelproof.harness._conversation import describe_crash, is_lost
from pixelproof.harness._plan import Ask

Judge = Callable[[Prompt, Ask], Answer]
"""Answers a question of the bench; a judge that fails returns an answer with a failure."""


def ask_judge(bench: Bench, ask: Ask, answer: Answer, judge: Judge | None) -> dict[str, Answer]:
    """Ask the judge the bench's questions about an answer; without a judge, nothing."""
    if judge is None or answer.failure is not None:
        return {}
    try:
        questions = bench.questions(ask.item, answer)
    except Exception as error:
        return {"questions": Answer(failure=Failure(Fault.INSTRUMENT, "questions-crashed", describe_crash(error)))}
    return {question.name: judge(question.prompt, ask) for question in questions}


def score(bench: Bench, ask: Ask, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
    """Measure one answer. If the scorer crashes or a judgement failed, the answer is unscored, not zero."""
    if is_lost(answer):
        return Result(ask.item.id, {}, ask.sample, answer.failure)
    usable = {name: judgement for name, judgement in judgements.items() if judgement.failure is None}
    try:
        result = bench.score(ask.item, answer, usable)
    except Exception as error:  # a bug in the scorer must not end the run, nor count as the model's fault
        return Result(ask.item.id, {}, ask.sample, Failure(Fault.INSTRUMENT, "scorer-crashed", describe_crash(error)))
    checked_result(bench, result)
    if (broken := _out_of_range(bench, result)) is not None:
        return Result(ask.item.id, {}, ask.sample, broken)
    return replace(result, sample=ask.sample, failure=result.failure or _failed_judgement(judgements))


def _failed_judgement(judgements: Mapping[str, Answer]) -> Failure | None:
    for name, judgement in judgements.items():
        if judgement.failure is not None:
            return Failure(
                Fault.INSTRUMENT, "judge-failed", f"{name}: {judgement.failure.name} {judgement.failure.detail}"
            )
    return None


_ROUNDING = 1e-9


def _out_of_range(bench: Bench, result: Result) -> Failure | None:
    """The instrument fault of a value outside the declared range of its metric."""
    for metric in bench.metrics:
        value = result.metrics.get(metric.name)
        if metric.range is not None and metric.pool is None and value is not None:
            low, high = metric.range
            if not low - _ROUNDING <= float(value) <= high + _ROUNDING and not math.isnan(float(value)):  # type: ignore[arg-type]
                return Failure(Fault.INSTRUMENT, "out-of-range", _range_message(metric, float(value)))  # type: ignore[arg-type]
    return None


def _range_message(metric: Metric, value: float) -> str:
    assert metric.range is not None
    return f"{metric.name} is {value:g}, outside its declared range {metric.range[0]:g} to {metric.range[1]:g}"
