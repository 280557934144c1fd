"""Judging and scoring of answers; shared by both runners."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from pixelproof.contract import Answer, Bench, Failure, Fault, Metric, PixelProofError, Prompt, Question, Result
from pixelproof.harness._checks import checked_prompt, checked_result
from pixelproof.harness._conversation import describe_crash, is_lost, prepared
from pixelproof.harness._plan import Ask

SCORER_CRASHED = "scorer-crashed"
Judge = Callable[[Prompt, Ask], Answer]
"""Answers a question of the bench; a judge that fails returns an answer with a failure."""


def ask_judge(bench: Bench, ask: Ask, answer: Answer, judge: Judge | None) -> dict[str, Answer]:
    """Ask the judge the bench's questions about an answer; without a judge, nothing."""
    if judge is None or answer.failure is not None:
        return {}
    questions = questions_about(bench, ask, answer)
    if isinstance(questions, Failure):
        return {"questions": Answer(failure=questions)}
    return {question.name: judge(question.prompt, ask) for question in questions}


def questions_about(bench: Bench, ask: Ask, answer: Answer) -> list[Question] | Failure:
    """The bench's questions about an answer, with clips as frames; an exception in its code is an instrument fault."""
    try:
        questions = list(bench.questions(ask.item, answer))
        if len({question.name for question in questions}) < len(questions):
            raise ValueError("two questions have the same name")
        return [replace(question, prompt=prepared(checked_prompt(bench, question.prompt))) for question in questions]
    except Exception as error:
        return Failure(Fault.INSTRUMENT, "questions-crashed", describe_crash(error))


def score(bench: Bench, ask: Ask, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
    """Measure one answer. If the scorer crashes or a judgement failed, the answer is unscored, not zero."""
    if is_lost(answer):
        return Result(ask.item.id, {}, ask.sample, answer.failure)
    usable = {name: judgement for name, judgement in judgements.items() if judgement.failure is None}
    try:
        result = bench.score(ask.item, answer, usable)
    except Exception as error:  # a bug in the scorer must not end the run, nor count as the model's fault
        return Result(ask.item.id, {}, ask.sample, Failure(Fault.INSTRUMENT, SCORER_CRASHED, describe_crash(error)))
    if checked_result(bench, result).item != ask.item.id:
        raise PixelProofError(f"Bench {bench.name!r}: score() of {ask.item.id} returned a result of {result.item!r}.")
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
        if value is not None and metric.range is not None and metric.pool is None:
            low, high = metric.range
            if not low - _ROUNDING <= float(value) <= high + _ROUNDING and not math.isnan(float(value)):  # type: ignore[arg-type]
                return Failure(Fault.INSTRUMENT, "out-of-range", _range_message(metric, float(value)))  # type: ignore[arg-type]
    return None


def _range_message(metric: Metric, value: float) -> str:
    assert metric.range is not None
    return f"{metric.name} is {value:g}, outside its declared range {metric.range[0]:g} to {metric.range[1]:g}"
