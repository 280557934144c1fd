"""A bench that wants images: paint a canvas in a given shade of grey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import Answer, Bench, Display, Item, Metric, Prompt, Result, Source, option
from pixelproof.pixels import encode_png, read_image


def canvas(shade: int) -> Answer:
    return Answer(images=(encode_png(np.full((8, 8, 3), shade, np.uint8)),))


@dataclass(frozen=True)
class Sketch(Bench):
    """Score = closeness of the mean shade."""

    name: ClassVar[str] = "sketch"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Paint it grey"
    sources: ClassVar[Mapping[str, str]] = {"shades": "four shades"}
    metrics: ClassVar[tuple[Metric, ...]] = (Metric("close", "1 minus the distance over 255"),)
    display: ClassVar[Display] = Display(("close",))

    n: int = option(4, "number of items")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for index in range(self.n if n is None else min(n, self.n)):
            yield Item(f"sketch/shades/1/{index}", {"shade": 60 * index}, 60 * index)

    def prompt(self, item: Item) -> Prompt:
        return Prompt((f"Paint everything in shade {item.inputs['shade']} of 255.",), wants="image")

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        if answer.failure:
            return Result(item.id, {}, failure=answer.failure)
        mean = float(read_image(answer.images[-1]).mean())
        return Result(item.id, {"close": 1 - abs(mean - item.truth) / 255})

    def controls(self) -> dict[str, Any]:
        return {
            "floor-white": lambda item, rng: canvas(255),
            "ceiling-truth": lambda item, rng: canvas(item.truth),
        }
