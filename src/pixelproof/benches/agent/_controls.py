"""Controls: answers without a look, aimless calls, and the oracle with real tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pixelproof.benches.agent.tasks import Challenge, Evidence
from pixelproof.contract import Answer, Call, Control, Item, Player, Prompt
from pixelproof.tools import TOOLS
from pixelproof.world.flat import ALPHABET

Rng = np.random.Generator
_CALLS = 3
"""Calls of the floors that call tools at random."""


def make_controls(challenge_of: Callable[[Item], Challenge]) -> Mapping[str, Control]:
    """The controls.

    Args:
        challenge_of: From an item to its challenge.
    """

    def guess(item: Item, rng: Rng) -> str:
        challenge = challenge_of(item)
        if challenge.length:
            return "".join(rng.choice(list(ALPHABET), challenge.length))
        options = list(challenge.options)
        return ", ".join(rng.choice(options, challenge.words, replace=False))

    def never_look(item: Item, rng: Rng) -> Answer:
        """A random possible answer, without a call."""
        return Answer(guess(item, rng))

    def prior(item: Item, rng: Rng) -> Answer:
        """The first possible answer, without a call."""
        challenge = challenge_of(item)
        if challenge.length:
            return Answer(ALPHABET[0] * challenge.length)
        return Answer(", ".join(challenge.options[: challenge.words]))

    def truth(item: Item, rng: Rng) -> Answer:
        """The true answer, without a call."""
        return Answer(challenge_of(item).answer)

    def random_tools(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """Calls with random arguments, then a random answer."""
        if _calls_so_far(prompt) >= _CALLS:
            return Answer(guess(item, rng))
        tool = TOOLS[int(rng.integers(len(TOOLS)))].name
        return Answer(
            calls=(Call(f"call-{_calls_so_far(prompt)}", tool, _random_arguments(tool, rng, challenge_of(item))),)
        )

    def zoom_centre(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """A crop of the centre, then a random answer."""
        if _calls_so_far(prompt):
            return Answer(guess(item, rng))
        return Answer(calls=(Call("call-0", "ZOOM", {"box": [250, 250, 750, 750]}),))

    def oracle(item: Item, prompt: Prompt, rng: Rng) -> Answer:
        """The chain of a player who knows where everything is, and reads it with the real tools."""
        return play_chain(challenge_of(item), prompt)

    return {
        "floor-never-look": never_look,
        "floor-prior": prior,
        "floor-random-tools": Player(random_tools),
        "floor-zoom-centre": Player(zoom_centre),
        "ceiling-truth": truth,
        "oracle-tools": Player(oracle),
    }


def play_chain(challenge: Challenge, prompt: Prompt) -> Answer:
    """The next reply of the oracle's chain, given the conversation so far."""
    assert challenge.chain is not None
    chain = challenge.chain()
    try:
        request = next(chain)
        results = list(_results(prompt))
        for result in results:
            request = chain.send(result)
    except StopIteration as end:
        return Answer(str(end.value))
    tool, arguments = request
    return Answer(calls=(Call(f"call-{len(results)}", tool, arguments),))


def _results(prompt: Prompt) -> list[Evidence]:
    """The results of all calls so far, as the model reads them."""
    texts = (
        next((part for part in turn.parts if isinstance(part, str)), "{}")
        for turn in prompt.history
        if turn.role == "tool"
    )
    return [json.loads(text) for text in texts]


def _calls_so_far(prompt: Prompt) -> int:
    return sum(turn.role == "tool" for turn in prompt.history)


def _random_arguments(tool: str, rng: Rng, challenge: Challenge) -> dict[str, Any]:
    """Arguments that a tool accepts, at a random place."""
    frames = len(challenge.frames) if challenge.frames.ndim == 4 else 1
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
