"""A bench whose answers are pictures, with evidence of the item and of the answer, and models that paint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import (
    Answer,
    Bench,
    Display,
    Failure,
    Fault,
    Item,
    Metric,
    Part,
    Prompt,
    Result,
    Source,
    option,
)
from pixelproof.pixels import encode_png, read_image

CLASSES = 25
SIDE = 8


def share(sums: Any) -> Any:
    """Right pixels over all, of counts (right by class, all by class)."""
    half = sums.shape[-1] // 2
    return sums[..., :half].sum(-1) / sums[..., half:].sum(-1)


def grey(level: int) -> Any:
    return np.full((SIDE, SIDE, 3), level, np.uint8)


@dataclass(frozen=True)
class Paint(Bench):
    """Paint a canvas in the one grey that is asked for; the item's class is its number."""

    name: ClassVar[str] = "paint"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Paint it grey"
    sources: ClassVar[Mapping[str, str]] = {"greys": "all greys"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("never.measured", "a task that nobody was asked"),
        Metric("share", "right pixels over all", pool=share, range=(0, 1)),
        Metric("right", "share of right pixels, mean over pictures", range=(0, 1)),
        Metric("depth.never", "another task", calibrated=False, higher_is_better=None),
    )
    display: ClassVar[Display] = Display(("never.measured", "share", "right"), item_evidence=("photo", "truth"))

    tint: int = option(0, "how truths are shown")
    asked: int = option(CLASSES, "how many items there are")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for i in range(self.asked if n is None else n):
            yield Item(f"paint/greys/1/{i:02d}", {"level": 10 * i}, i, tags={"half": "odd" if i % 2 else "even"})

    def prompt(self, item: Item) -> Prompt:
        return Prompt((f"Paint it {item.inputs['level']}.",), wants="image")

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        if answer.failure:
            return Result(item.id, {}, failure=answer.failure)
        level, painted = item.inputs["level"], read_image(answer.images[-1])
        right = (painted == level).all(-1)
        counts = np.zeros((2, CLASSES))
        counts[:, item.truth] = right.sum(), right.size
        errors = np.where(right[..., None], grey(0), np.array([255, 0, 0], np.uint8))
        evidence = {"photo": grey(level + 1), "truth": grey(level + self.tint), "errors": errors.astype(np.uint8)}
        return Result(
            item.id,
            {"share": counts.ravel().tolist(), "right": float(right.mean())},
            evidence={name: encode_png(picture) for name, picture in evidence.items()},
        )

    def controls(self) -> dict[str, Any]:
        return {
            "floor-black": lambda item, rng: Answer(images=(encode_png(grey(5)),)),
            "ceiling-truth": lambda item, rng: Answer(images=(encode_png(grey(item.inputs["level"])),)),
        }

    def remarks(self, source: Source, samples=1) -> tuple[str, ...]:
        return ("These greys <b>were</b> mixed by hand.",)

    def parts(self, source: Source) -> dict[str, dict[str, dict[str, Part]]]:
        return {"class": {f"grey {i}": {"hits": Part("share", (i, CLASSES + i), share)} for i in range(CLASSES)}}


def painter(prompt: Prompt, item_id: str, sample: int) -> Answer:
    """Sketches, then paints some rows right; refuses item 7."""
    i = int(item_id[-2:])
    if i == 7:
        return Answer(failure=Failure(Fault.MODEL, "refusal", "I would rather not."))
    picture = grey(255)
    picture[: rows_right(i, sample)] = 10 * i
    return Answer(images=(encode_png(grey(200 + i)), encode_png(picture)))


def rows_right(i: int, sample: int = 0) -> int:
    return min(SIDE, i * 3 % 9 + sample)
