"""A bench in which a model looks before it answers, and of whose answers the scorer is not always sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import (
    Answer,
    Bench,
    Call,
    Display,
    Item,
    Metric,
    Prompt,
    Result,
    Source,
    Tool,
    Turn,
)
from pixelproof.pixels import encode_png

LOOK = Tool("look", "Look at a field.", {"type": "object", "properties": {"field": {"type": "integer"}}})


class Digging:
    """One look, then an answer."""

    def __init__(self, item: Item) -> None:
        self._item, self._text = item, ""

    def reset(self) -> Prompt:
        return Prompt(("Where is <b>it</b>?",), system="You dig.", tools=(LOOK,))

    def step(self, answer: Answer) -> Prompt | None:
        if not answer.calls:
            self._text = answer.text
            return None
        image = encode_png(np.full((6, 6, 3), 40 * self._item.truth, np.uint8))
        return Prompt((), history=(Turn("tool", ("You see:", image), call=answer.calls[0]),), tools=(LOOK,))

    def answer(self) -> Answer:
        return Answer(self._text)


@dataclass(frozen=True)
class Dig(Bench):
    """Dig for a number; the scorer abstains on the fourth item."""

    name: ClassVar[str] = "dig"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Dig"
    sources: ClassVar[Mapping[str, str]] = {"garden": "four fields"}
    metrics: ClassVar[tuple[Metric, ...]] = (Metric("found", "the number is right", range=(0, 1)),)
    display: ClassVar[Display] = Display(("found",))

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for i in range(4):
            yield Item(f"dig/garden/1/{i}", {}, i)

    def prompt(self, item: Item) -> Prompt:
        raise AssertionError("this bench has episodes")

    def episode(self, item: Item) -> Digging:
        return Digging(item)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        if item.truth == 3 and answer.text == "3":
            return Result(item.id, {}, abstained=True)
        return Result(item.id, {"found": float(answer.text == str(item.truth))})

    def controls(self) -> dict[str, Any]:
        return {
            "floor-zero": lambda item, rng: Answer("0"),
            "ceiling-truth": lambda item, rng: Answer("4" if item.truth == 3 else str(item.truth)),
        }


def digger(prompt: Prompt, item_id: str) -> Answer:
    """Looks once, then answers with the number of the item."""
    if not prompt.history:
        return Answer("Let me look.", calls=(Call("c1", "look", {"field": 7}),))
    return Answer(item_id[-1])
