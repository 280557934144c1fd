"""Examples for training: conversations of the oracle's chain, some with a mistake or with calls that are not needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pixelproof.benches.agent._controls import read_result
from pixelproof.benches.agent.tasks import Challenge, Evidence, Request
from pixelproof.benches.agent.traces import AFTER, THOUGHTS, mistakes
from pixelproof.contract import Answer, Call, Episode, Example, Turn
from pixelproof.tools import GRID

KINDS = ("golden", "mistake", "padded")
_SHARES = (0.5, 0.3, 0.2)
_PADDING = "Look around first."


class _Conversation:
    """An episode that is played, and its turns."""

    def __init__(self, episode: Episode) -> None:
        self._episode, self.prompt = episode, episode.reset()
        self.turns = [Turn("user", self.prompt.parts)]
        self.wrong: set[int] = set()

    def call(self, request: Request, thought: str, is_mistake: bool = False) -> Evidence:
        """Make one call; returns its result as a chain receives it."""
        tool, arguments = request
        call = Call(f"call-{sum(turn.role == 'tool' for turn in self.turns)}", tool, arguments)
        if is_mistake:
            self.wrong.add(len(self.turns))
        self.turns.append(Turn("model", (thought,), (call,)))
        observed = self._episode.step(Answer(thought, calls=(call,)))
        if observed is None:
            return {"ok": False}
        self.turns += observed.history
        if observed.parts:
            self.turns.append(Turn("user", observed.parts))
        return read_result(observed.history[-1])


def make_example(challenge: Challenge, episode: Episode, rng: np.random.Generator, most: int) -> Iterator[Example]:
    """The example of a challenge; none if the tools do not lead to its answer.

    Args:
        challenge: The challenge, with its chain.
        episode: Its episode, which executes the calls.
        rng: Decides about mistakes and padding.
        most: Number of calls that the episode allows.
    """
    kind = str(rng.choice(KINDS, p=_SHARES))
    conversation = _Conversation(episode)
    if kind == "padded":
        for quarter in rng.permutation(4)[: rng.integers(1, 4)].tolist():
            conversation.call(("ZOOM", {"box": _quarter(quarter)}), _PADDING)
    assert challenge.chain is not None
    chain = challenge.chain()
    try:
        request = next(chain)
        while True:
            thought, slip = THOUGHTS[request[0]], None
            if kind == "mistake" and not conversation.wrong:
                slip = next(mistakes(request, challenge, rng), None)
            if slip is not None:
                conversation.call(slip[1], thought, is_mistake=True)
                thought = AFTER[slip[0]]
            evidence = conversation.call(request, thought)
            if not evidence.get("ok"):
                return
            request = chain.send(evidence)
    except StopIteration as end:
        answer = str(end.value)
    calls = sum(turn.role == "tool" for turn in conversation.turns)
    if answer != challenge.answer or calls > most:
        return
    turns = (*conversation.turns, Turn("model", (answer,)))
    if kind == "mistake" and not conversation.wrong:
        kind = "golden"
    prompt = conversation.prompt
    yield Example(turns, prompt.system, prompt.tools, frozenset(conversation.wrong), {"kind": kind})


def _quarter(number: int) -> Sequence[int]:
    left, top = GRID // 2 * (number % 2), GRID // 2 * (number // 2)
    return [left, top, left + GRID // 2, top + GRID // 2]
