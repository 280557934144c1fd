"""A bench small enough to see through: guess a number between 0 and 9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
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
    PixelProofError,
    Prompt,
    Question,
    Result,
    Source,
    Usage,
    option,
)  # fmt: skip
from pixelproof.harness import Silent
from pixelproof.harness._rundir import read_card_alone, write_card
from pixelproof.stats import generator
from pixelproof.store import read_sealed_json, write_sealed_json


class Announcements(Silent):
    """Collects what a run announces."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def announce(self, text: str) -> None:
        self.texts.append(text)


def accuracy(sums: Any) -> Any:
    return sums[..., 0] / sums[..., 1]


@dataclass(frozen=True)
class Guess(Bench):
    """Score = closeness; pooled accuracy of digits; a judge may be asked whether the guess is polite."""

    name: ClassVar[str] = "guess"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Guess a digit"
    sources: ClassVar[Mapping[str, str]] = {"digits": "seeded digits", "recorded": "digits with answers"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("close", "1 minus the distance over 9", range=(0, 1)),
        Metric("hit", "exactly right", range=(0, 1)),
        Metric("pooled", "share of right bits", pool=accuracy, range=(0, 1)),
        Metric("polite", "the judge says yes", calibrated=False, range=(0, 1)),
        Metric("length", "characters", calibrated=False, higher_is_better=None),
    )
    display: ClassVar[Display] = Display(("close", "pooled"))

    n: int = option(20, "number of items")
    cluster_size: int = option(1, "items per cluster")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for index in range(self.n if n is None else min(n, self.n)):
            digit = int(generator(seed, "guess", index).integers(10))
            yield Item(
                f"guess/{source.name}/1/{index:05d}",
                {"hint": digit % 2},
                digit,
                cluster=f"c{index // self.cluster_size}",
                tags={"parity": "odd" if digit % 2 else "even"},
            )

    def prompt(self, item: Item) -> Prompt:
        return Prompt((f"Guess a digit; it is {'odd' if item.inputs['hint'] else 'even'}.",), max_tokens=8)

    def questions(self, item: Item, answer: Answer) -> list[Question]:
        return [Question("polite", Prompt((f"Is {answer.text!r} polite?",), max_tokens=4))]

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        metrics: dict[str, Any] = {"length": float(len(answer.text))}
        if "polite" in judgements:
            metrics["polite"] = float(judgements["polite"].text.startswith("yes"))
        if answer.text == "crash":
            raise RuntimeError("the scorer fell over")
        if answer.failure or not answer.text.strip().isdigit():
            failure = answer.failure or Failure(Fault.MODEL, "not-a-digit", answer.text[:50])
            return Result(item.id, {**metrics, "hit": 0.0}, failure=failure)
        guess = int(answer.text)
        bits = sum((guess >> b) & 1 == (item.truth >> b) & 1 for b in range(4))
        metrics |= {"close": 1 - abs(guess - item.truth) / 9, "hit": float(guess == item.truth), "pooled": [bits, 4]}
        return Result(item.id, metrics, notes={"guess": str(guess)})

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        return Answer(str(item.truth)) if "/recorded/" in item.id else None

    def controls(self) -> dict[str, Any]:
        return {
            "floor-five": lambda item, rng: Answer("5"),
            "floor-random": lambda item, rng: Answer(str(rng.integers(10))),
            "ceiling-truth": lambda item, rng: Answer(str(item.truth)),
            "wrong": lambda item, rng: Answer(str((item.truth + 5) % 10)),
        }


def edit_json(path: Path, **changes: Any) -> None:
    """Change a card or a summary as PixelProof itself would write it, with the checksum of the new content."""
    write_sealed_json(path, read_sealed_json(path) | changes)
    if path.name == "summary.json":
        list_files(path.parent)


def list_files(path: Path) -> None:
    """Make the card of a run list its files as they are now, after a test has changed one as PixelProof might."""
    if (path / "card.json").exists():
        write_card(path, read_card_alone(path))


def even_odd(prompt: Prompt) -> str:
    """A model that uses the hint."""
    return "7" if "odd" in prompt.text else "4"


CALLS: list[str] = []


def counting(prompt: Prompt, item_id: str, sample: int, seed: int) -> str:
    """A model that remembers whom it answered; its answer depends on the seed."""
    CALLS.append(f"{item_id}#{sample}")
    return str(np.random.default_rng(seed).integers(10))


def failing(prompt: Prompt, item_id: str) -> str:
    """A model whose network fails for every third item, until the switch is thrown."""
    if BROKEN and int(item_id[-1]) % 3 == 0:
        raise ConnectionError("no route to host")
    return "5"


BROKEN = [True]


def paying(prompt: Prompt, item_id: str, sample: int) -> Answer:
    """A model that uses all of its eight tokens."""
    CALLS.append(f"{item_id}#{sample}")
    return Answer("5", usage=Usage(output_tokens=8))


def rude(prompt: Prompt) -> str:
    """A judge that always says no."""
    return "no"


def broken_judge(prompt: Prompt) -> str:
    """A judge that cannot be reached."""
    raise TimeoutError("judge timed out")


def mixed(prompt: Prompt, item_id: str) -> str:
    """Right, wrong, chatty, and something that breaks the scorer."""
    return ["3", "9", "I think it is three", "crash"][int(item_id[-1]) % 4]


__all__ = ["BROKEN", "CALLS", "Guess", "PixelProofError", "edit_json"]
