"""From an item to a result: ask, judge, score. What both runners share."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace

from pixelproof.contract import Answer, Bench, Failure, Fault, Item, Prompt, Result, Usage
from pixelproof.harness._plan import Ask

Judge = Callable[[Prompt, Ask], Answer]
"""Answers a question of the bench; a judge that fails gives an answer with a failure."""


def is_infrastructure(answer: Answer) -> bool:
    """Whether there is no answer at all: the network, a timeout, a missing file. It will be asked again."""
    return answer.failure is not None and answer.failure.fault is Fault.INFRASTRUCTURE


def ask_judge(bench: Bench, ask: Ask, answer: Answer, judge: Judge | None) -> dict[str, Answer]:
    """Put the bench's questions about an answer to the judge, if there is one."""
    if judge is None or answer.failure is not None:
        return {}
    return {question.name: judge(question.prompt, ask) for question in bench.questions(ask.item, answer)}


def failed_judge(judgements: Mapping[str, Answer]) -> Failure | None:
    """The instrument fault that a failed judgement makes of a result."""
    for name, judgement in judgements.items():
        if judgement.failure is not None:
            return Failure(
                Fault.INSTRUMENT, "judge-failed", f"{name}: {judgement.failure.name} {judgement.failure.detail}"
            )
    return None


def score(bench: Bench, ask: Ask, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
    """Measure one answer. A scorer that crashes, or a judge that fails, leaves it unscored: never a zero."""
    if is_infrastructure(answer):
        return Result(ask.item.id, {}, ask.sample, answer.failure)
    usable = {name: judgement for name, judgement in judgements.items() if judgement.failure is None}
    try:
        result = bench.score(ask.item, answer, usable)
    except Exception as error:  # a bug of ours must not lose a run, nor pass for the model's fault
        return Result(ask.item.id, {}, ask.sample, _crash(error))
    return replace(result, sample=ask.sample, failure=result.failure or failed_judge(judgements))


def _crash(error: Exception) -> Failure:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.filename.rpartition('pixelproof/')[2]}:{frame.lineno}"
    return Failure(Fault.INSTRUMENT, "scorer-crashed", f"{type(error).__name__} at {where}: {error}"[:500])


def converse(bench: Bench, item: Item, reply: Callable[[Prompt], Answer]) -> Answer:
    """Let a model answer an item: one prompt, or a whole episode; usage adds up over the turns."""
    episode = bench.episode(item)
    if episode is None:
        return reply(bench.prompt(item))
    prompt: Prompt | None = episode.reset()
    total = Usage()
    while prompt is not None:
        turn = reply(prompt)
        total = total + turn.usage
        if is_infrastructure(turn):
            return replace(turn, usage=total)
        prompt = episode.step(turn)
    return replace(episode.answer(), usage=total)
