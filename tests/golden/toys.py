"""Benches of the golden runs: guessing a digit, as an episode, as a drawing, with classes that abstain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import Answer, Failure, Item, Player, Prompt, Result, Source, Tool, Turn
from support import Guess

STEP = Tool("STEP", "Walk on.", {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ["by"]})


class Walk:
    """An episode with a tool that sets no trace of its own."""

    def __init__(self) -> None:
        self.place, self.last = 0, Answer()

    def reset(self) -> Prompt:
        return Prompt(("You are at 0. Say where the goal is.",), tools=(STEP,), max_tokens=16)

    def step(self, answer: Answer) -> Prompt | None:
        self.last = answer
        if not answer.calls:
            return None
        self.place += int(answer.calls[-1].arguments["by"])  # type: ignore[index]
        return Prompt((), history=(Turn("tool", (f"You are at {self.place}.",), call=answer.calls[-1]),))

    def answer(self) -> Answer:
        return Answer(self.last.text)


@dataclass(frozen=True)
class Stroll(Guess):
    """Guess a digit after some steps."""

    name: ClassVar[str] = "guess-stroll"

    def episode(self, item: Item) -> Walk:
        return Walk()

    def controls(self) -> dict[str, Any]:
        return {
            "floor-five": Player(lambda item, prompt, rng: Answer("5")),
            "floor-random": Player(lambda item, prompt, rng: Answer(str(rng.integers(10)))),
            "ceiling-truth": Player(lambda item, prompt, rng: Answer(str(item.truth))),
        }


@dataclass(frozen=True)
class Shade(Guess):
    """Show a digit as a shade of grey; dark answers are abstentions, as of a scorer that cannot tell."""

    name: ClassVar[str] = "guess-shade"

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for item in super().items(source, seed, n):
            yield replace(item, inputs={**item.inputs, "shade": np.float64(item.truth / 9)})

    def prompt(self, item: Item) -> Prompt:
        return replace(super().prompt(item), wants="image", system="You paint.")

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        from pixelproof.pixels import read_answer

        if answer.text and not answer.images:
            return super().score(item, answer, judgements)
        image = read_answer(answer, (4, 4))
        if isinstance(image, Failure):
            return Result(item.id, {}, failure=image)
        level = float(image.rgb.mean()) / 255
        if level < 0.2:
            return Result(item.id, {"length": 0.0}, abstained=True, notes={"why": "dark"})
        close = 1 - abs(level - float(item.inputs["shade"]))
        return Result(item.id, {"close": close, "hit": float(close > 0.9), "length": 0.0})
