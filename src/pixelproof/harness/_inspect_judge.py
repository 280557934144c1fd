"""A judge behind Inspect for the native runner, which has no event loop."""

from __future__ import annotations

import asyncio
import math
import threading

import anyio

from pixelproof.contract import Answer, Fault, PixelProofError, Prompt
from pixelproof.harness._inspect_ai import model as inspect_models
from pixelproof.harness._inspect_guard import guard
from pixelproof.harness._inspect_messages import answer_from, failure_of, messages_of
from pixelproof.harness._inspect_providers import config_for
from pixelproof.harness._inspect_run import CALL_RETRIES, CALL_TIMEOUT, explained
from pixelproof.harness._plan import Ask
from pixelproof.harness._scoring import Judge


def inspect_judge(name: str, patience: float = math.inf) -> Judge:
    """A judge that may be called from any thread; a failed call returns an answer with a failure.

    Args:
        name: Of the model.
        patience: Failed calls before the first answer that are accepted.

    Raises:
        PixelProofError: There is no such model, or it lacks a key or a package.
    """
    try:
        config = inspect_models.GenerateConfig(max_retries=CALL_RETRIES, timeout=CALL_TIMEOUT)
        model = guard(inspect_models.get_model(name, config=config, memoize=False))
    except Exception as error:
        raise explained(name, error) from error
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"judge {name}", daemon=True).start()

    async def ask_it(prompt: Prompt, seed: int) -> Answer:
        try:
            with anyio.fail_after(CALL_TIMEOUT):
                output = await model.generate(messages_of(prompt), config=config_for(model, prompt, seed))
        except Exception as error:  # whatever a provider raises: only this judgement is lost
            return Answer(failure=failure_of(error))
        return answer_from(output, prompt.wants)

    def judge(prompt: Prompt, ask: Ask) -> Answer:
        nonlocal patience
        answer = asyncio.run_coroutine_threadsafe(ask_it(prompt, ask.seed), loop).result()
        if answer.failure is None or answer.failure.fault is Fault.MODEL:
            patience = math.inf
        patience -= 1
        if patience < 0 and answer.failure is not None:
            raise PixelProofError(
                f"{name} has not answered yet ({answer.failure.detail}): check its name and key, or try again later."
            )
        return answer

    return judge
