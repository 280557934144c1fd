"""Asking a model through Inspect: conversations, and a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import anyio
import anyio.to_thread
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.model import Model as InspectModel
from inspect_ai.util import LimitExceededError

from pixelproof.contract import Answer, Bench, Failure, Prompt
from pixelproof.harness._conversation import Conversation, Exchange, is_lost
from pixelproof.harness._inspect_guard import guard
from pixelproof.harness._inspect_messages import answer_from, failure_of, messages_of, output_of, tools_of
from pixelproof.harness._inspect_providers import ASKING, Asking, NativeAPI, config_for
from pixelproof.harness._inspect_session import SESSION, Lost
from pixelproof.harness._plan import Ask
from pixelproof.harness._scoring import questions_about
from pixelproof.models import METER, check_parsed

in_thread = anyio.to_thread.run_sync
"""For code of a bench, which must not block other samples."""


class Exchanger:
    """One sample's exchange with a model of Inspect."""

    def __init__(self, model: InspectModel, bench: Bench, ask: Ask) -> None:
        self.model, self.bench, self.ask = model, bench, ask
        self.messages: list[ChatMessage] = []
        """The conversation, for the log."""
        self.output = ModelOutput()
        """The model's own output, or one made of the final answer of an episode."""

    async def __call__(self) -> Exchange:
        """Have the item answered by one reply or through an episode.

        Raises:
            BudgetSpent: The budget does not allow the next call.
            Lost: There is no answer.
        """
        if isinstance(self.model.api, NativeAPI) and self.model.api.open(self.bench).answers_items:
            return Exchange(await self._reply(Prompt(())))
        conversation = Conversation(self.bench, self.ask.item)
        prompt = await in_thread(conversation.begin)
        while prompt is not None:
            reply = await self._reply(prompt)
            prompt = await in_thread(conversation.proceed, reply)
        exchange = conversation.exchange
        if exchange.answer.failure is not None and is_lost(exchange.answer):
            raise Lost(exchange.answer.failure)
        if conversation.is_episode:
            self.output = output_of(exchange.answer, str(self.model))
        return exchange

    async def _reply(self, prompt: Prompt) -> Answer:
        self.messages = messages_of(prompt)
        answer, self.output = await call(self.model, self.messages, Asking(self.bench, prompt, self.ask))
        self.messages = [*self.messages, *(choice.message for choice in self.output.choices[:1])]
        return answer


async def call(model: InspectModel, messages: list[ChatMessage], asking: Asking) -> tuple[Answer, ModelOutput]:
    """Call a model once, within the budget.

    Raises:
        BudgetSpent: The budget does not allow it.
        Lost: There is no answer.
    """
    session, prompt, answer = SESSION.get(), asking.prompt, None
    config, tools = config_for(model, prompt, asking.ask.seed), tools_of(prompt.tools)
    reservation = await session.reserve(prompt, config.max_tokens or 0)
    asked, metered = ASKING.set(asking), METER.set(reservation)
    try:
        with anyio.fail_after(model.config.timeout):  # Inspect's own timeout ends retries, but not an attempt
            output = await guard(model).generate(messages, tools=tools, config=config)
        answer = answer_from(output, prompt.wants)
        if not answer.calls and not isinstance(model.api, NativeAPI):
            answer = replace(answer, failure=check_parsed(answer.text, prompt) or answer.failure)
    except LimitExceededError:
        raise
    except Exception as error:  # whatever a provider raises
        raise Lost(failure_of(error)) from error
    finally:
        ASKING.reset(asked)
        METER.reset(metered)
        answer = session.settle(reservation, answer)
    assert answer is not None, "a call without an answer has raised"
    if answer.failure is not None and is_lost(answer):
        raise Lost(answer.failure)
    return answer, output


async def judge_answer(
    judge: InspectModel, bench: Bench, ask: Ask, answer: Answer, known: Mapping[str, Answer]
) -> dict[str, Answer]:
    """Ask a judge the bench's questions about an answer, except those whose answers are known.

    Raises:
        BudgetSpent: The budget does not allow it.
    """
    judgements = {}
    questions = await in_thread(questions_about, bench, ask, answer)
    if isinstance(questions, Failure):
        return {"questions": Answer(failure=questions)}
    for question in questions:
        try:
            if question.name in known:
                judgement = known[question.name]
            else:
                judgement, _ = await call(judge, messages_of(question.prompt), Asking(bench, question.prompt, ask))
        except Lost as lost:
            judgement = Answer(failure=lost.failure)
        judgements[question.name] = judgement
    return judgements
