from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pixelproof.contract import Answer, Bench, Control, Display, Item, Metric, Prompt, Result, Source


@dataclass(frozen=True)
class Guess(Bench):
    """A minimal bench: say the hidden number of the item."""

    name = "guess"
    version = "1.0"
    title = "Guess"
    sources = {"world": "numbers", "replies": "numbers with replies"}
    metrics = (Metric("right", "whether the number was said"),)
    display = Display(("right",))

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for index in range(5 if n is None else n):
            inputs = {"reply": str(index)} if source.name == "replies" else {}
            yield Item(f"guess/{source.name}/1/{index}", inputs, truth=index)

    def prompt(self, item: Item) -> Prompt:
        return Prompt(("Say a number.",), max_tokens=4)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        return Result(item.id, {"right": float(answer.text == str(item.truth))})

    def controls(self) -> Mapping[str, Control]:
        return {
            "floor-noise": lambda item, rng: Answer(str(rng.integers(10**9))),
            "ceiling-truth": lambda item, rng: Answer(str(item.truth)),
        }

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        reply: Any = None if sample else item.inputs.get("reply")
        return None if reply is None else Answer(reply)


@pytest.fixture
def bench() -> Guess:
    return Guess()


@pytest.fixture
def item(bench: Guess) -> Item:
    return next(bench.items(Source("world"), 0, 1))
