"""Asking a model through Inspect: single prompts, whole episodes, and a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import anyio.to_thread
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.model import Model as InspectModel
from inspect_ai.util import LimitExceededError

from pixelproof.contract import Answer, Bench, Prompt, Usage
from pixelproof.harness._inspect_messages import answer_from, failure_of, messages_of, output_of
from pixelproof.harness._inspect_providers import ASKING, Asking, NativeAPI, config_for
from pixelproof.harness._inspect_session import SESSION, Lost
from pixelproof.harness._plan import Ask
from pixelproof.harness._scoring import is_infrastructure

in_thread = anyio.to_thread.run_sync
"""For what a bench computes, which must not hold up other samples."""


class Conversation:
    """One sample's exchange with a model."""

    def __init__(self, model: InspectModel, bench: Bench, ask: Ask) -> None:
        self.model, self.bench, self.ask = model, bench, ask
        self.messages: list[ChatMessage] = []
        self.output = ModelOutput()
        """What says all about the answer: the model's own output, or one made of an episode."""

    async def __call__(self) -> Answer:
        """Have the item answered, be it by one reply or by an episode.

        Raises:
            BudgetSpent: The budget does not allow the next call.
            Lost: There is no answer.
        """
        if isinstance(self.model.api, NativeAPI) and self.model.api.open(self.bench).answers_items:
            return await self.reply(Prompt(()))
        episode = self.bench.episode(self.ask.item)
        if episode is None:
            return await self.reply(await in_thread(self.bench.prompt, self.ask.item))
        prompt: Prompt | None = await in_thread(episode.reset)
        total = Usage()
        while prompt is not None:
            turn = await self.reply(prompt)
            total = total + turn.usage
            prompt = await in_thread(episode.step, turn)
        answer = replace(episode.answer(), usage=total)
        self.output = output_of(answer, str(self.model))
        return answer

    async def reply(self, prompt: Prompt) -> Answer:
        """Show one more prompt, after all that was said before."""
        self.messages += messages_of(prompt)
        answer, self.output = await call(self.model, self.messages, Asking(self.bench, prompt, self.ask))
        self.messages += [choice.message for choice in self.output.choices[:1]]
        return answer


async def call(model: InspectModel, messages: list[ChatMessage], asking: Asking) -> tuple[Answer, ModelOutput]:
    """Ask once, within the budget.

    Raises:
        BudgetSpent: The budget does not allow it.
        Lost: There is no answer.
    """
    session, prompt, usage = SESSION.get(), asking.prompt, Usage()
    config = config_for(model, prompt, asking.ask.seed)
    reserved = await session.reserve(prompt, config.max_tokens or 0)
    token = ASKING.set(asking)
    try:
        output = await model.generate(messages, config=config)
        answer = answer_from(output, prompt.wants)
        usage = answer.usage
    except LimitExceededError:
        raise
    except Exception as error:  # whatever a provider raises
        raise Lost(failure_of(error)) from error
    finally:
        ASKING.reset(token)
        usage = session.settle(reserved, usage)
    if answer.failure is not None and is_infrastructure(answer):
        raise Lost(answer.failure)
    return replace(answer, usage=usage), output


async def judge_answer(
    judge: InspectModel, bench: Bench, ask: Ask, answer: Answer, told: Mapping[str, str]
) -> dict[str, Answer]:
    """Put the bench's questions about an answer to a judge, except those whose answers are told already.

    Raises:
        BudgetSpent: The budget does not allow it.
    """
    judgements = {}
    for question in await in_thread(bench.questions, ask.item, answer):
        try:
            if question.name in told:
                judgement = Answer(told[question.name])
            else:
                judgement, _ = await call(judge, messages_of(question.prompt), Asking(bench, question.prompt, ask))
        except Lost as lost:
            judgement = Answer(failure=lost.failure)
        judgements[question.name] = judgement
    return judgements
