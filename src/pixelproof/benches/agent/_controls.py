"""Controls: answers without a look, aimless calls, and the oracle with real tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pixelproof.benches.agent._reply import UNKNOWN
from pixelproof.benches.agent.outside import VisualQuestion
from pixelproof.benches.agent.tasks import Chain, Challenge, Evidence
from pixelproof.contract import Answer, Artefact, Call, Control, Item, PixelProofError, Player, Prompt, Turn
from pixelproof.tools import TOOLS
from pixelproof.world.flat import ALPHABET

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
    return [read_result(turn) for turn in prompt.history if turn.role == "tool"]


def read_result(turn: Turn) -> Evidence:
    """The result of a call as a chain receives it."""
    text = next((part for part in turn.parts if isinstance(part, str)), "")
    try:
        value: Any = json.loads(text)
    except ValueError:  # a call that was not executed
        return {"ok": False}
    picture = next((part for part in turn.parts if isinstance(part, Artefact)), None)
    return value if picture is None else {**value, "picture": picture}


Rng = np.random.Generator
_CALLS = 3
"""Calls of the floors that call tools at random."""


def make_controls(challenge_of: Callable[[Item], Challenge]) -> Mapping[str, Control]:
    """The controls.

    Args:
        challenge_of: From an item to its challenge.
    """

    def guess(item: Item, rng: Rng) -> str:
        if isinstance(item.truth, VisualQuestion):
            options = item.truth.options
            return options[int(rng.integers(len(options)))] if options else UNKNOWN
        challenge = challenge_of(item)
        if challenge.length:
            return "".join(rng.choice(list(ALPHABET), challenge.length))
        return ", ".join(rng.choice(list(challenge.guesses or challenge.options), challenge.words, replace=False))

    def never_look(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """A random answer of those that the first view does not rule out, without a call."""
        return Answer(guess(item, rng))

    def prior(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """The first possible answer, without a call."""
        if isinstance(item.truth, VisualQuestion):
            return Answer((*item.truth.options, UNKNOWN)[0])
        challenge = challenge_of(item)
        if challenge.length:
            return Answer(ALPHABET[0] * challenge.length)
        return Answer(", ".join(challenge.options[: challenge.words]))

    def truth(item: Item, rng: Rng) -> Answer:
        """The true answer, without a call."""
        if isinstance(item.truth, VisualQuestion):
            return Answer(item.truth.answers[0])
        return Answer(challenge_of(item).answer)

    def random_tools(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """Calls with random arguments, then a random answer."""
        if _calls_so_far(prompt) >= _CALLS:
            return Answer(guess(item, rng))
        tool = TOOLS[int(rng.integers(len(TOOLS)))].name
        return Answer(
            calls=(Call(f"call-{_calls_so_far(prompt)}", tool, _random_arguments(tool, rng, _frames(prompt))),)
        )

    def zoom_centre(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """A crop of the centre, then a random answer."""
        if _calls_so_far(prompt):
            return Answer(guess(item, rng))
        return Answer(calls=(Call("call-0", "ZOOM", {"box": [250, 250, 750, 750]}),))

    def oracle(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """The chain of a player who knows where everything is, and reads it with the real tools."""
        if isinstance(item.truth, VisualQuestion):
            raise PixelProofError("The control 'oracle-tools' needs generated scenes: choose --source world.")
        chain = challenge_of(item).chain
        assert chain is not None
        return play_chain(chain(), prompt)

    return {
        "floor-never-look": Player(never_look),
        "floor-prior": Player(prior),
        "floor-random-tools": Player(random_tools),
        "floor-zoom-centre": Player(zoom_centre),
        "ceiling-truth": truth,
        "oracle-tools": Player(oracle),
    }


def _calls_so_far(prompt: Prompt) -> int:
    return sum(turn.role == "tool" for turn in prompt.history)


def _frames(prompt: Prompt) -> int:
    """Number of frames, as the first prompt states it; 1 for a picture."""
    first = prompt.history[0].parts if prompt.history else prompt.parts
    match = re.search(r"A clip of (\d+) frames", str(first[0]) if first else "")
    return int(match[1]) if match else 1


def _random_arguments(tool: str, rng: Rng, frames: int) -> dict[str, Any]:
    """Arguments that a tool accepts, at a random place."""
    left, top = (int(value) for value in rng.integers(0, 800, 2))
    box = [left, top, left + 200, top + 200]
    first = int(rng.integers(frames))
    if tool in ("TRK", "TEMP"):
        place = {"box": box} if tool == "TRK" else {}
        return {**place, "t0": 0, "t1": frames - 1}
    if tool == "PROP":
        return {"ref": "000000000000"}
    if tool == "SEG":
        return {"point": [left, top], "frame": first}
    return {"box": box, "frame": first}
