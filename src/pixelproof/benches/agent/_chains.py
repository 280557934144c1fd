"""Playing a chain of calls against the conversation so far."""

from __future__ import annotations

import json
from typing import Any

from pixelproof.benches.agent.tasks import Chain, Evidence
from pixelproof.contract import Answer, Artefact, Call, Prompt, Turn

_REFUSED: Evidence = {"ok": False, "error": "BUDGET"}
"""What a chain receives for a call that the budget no longer allows."""


def play_chain(chain: Chain, prompt: Prompt) -> Answer:
    """The next reply of a chain: its next call, or its answer.

    The chain runs from its beginning and receives the results of all calls so far. Once the episode says that a budget
    is used up (its prompt has parts after the results), no further call is made: the chain receives errors until it
    answers.
    """
    results = tool_results(prompt)
    is_spent = bool(prompt.parts) and bool(prompt.history)
    try:
        request = next(chain)
        for result in results:
            request = chain.send(result)
        while is_spent or not prompt.tools:
            request = chain.send(_REFUSED)
    except StopIteration as end:
        return Answer(str(end.value))
    tool, arguments = request
    return Answer(calls=(Call(f"call-{len(results)}", tool, arguments),))


def tool_results(prompt: Prompt) -> list[Evidence]:
    """The results of all calls so far, as the model reads them; `picture` is the image of a result, if it has one."""
    return [_result(turn) for turn in prompt.history if turn.role == "tool"]


def _result(turn: Turn) -> Evidence:
    text = next((part for part in turn.parts if isinstance(part, str)), "")
    try:
        value: Any = json.loads(text)
    except ValueError:  # a call that was not executed
        return {"ok": False}
    picture = next((part for part in turn.parts if isinstance(part, Artefact)), None)
    return value if picture is None else {**value, "picture": picture}
