"""The bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from pixelproof.benches.agent._controls import make_controls
from pixelproof.benches.agent._metrics import METRICS
from pixelproof.benches.agent._prompts import SYSTEM
from pixelproof.benches.agent._score import score_answer
from pixelproof.benches.agent.tasks import LEVELS, TASKS, Challenge
from pixelproof.contract import (
    Answer,
    Bench,
    Control,
    Display,
    Episode,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Result,
    Source,
    option,
    unknown_name,
)
from pixelproof.tools import Backends, Budget, Media, RapidOcrReader, Toolbox
from pixelproof.tools.episodes import ToolEpisode
from pixelproof.world.flat import ALPHABET

_FACTOR = 8
"""The first view is smaller by this factor, which is the side of a character's cell: codes are hidden in it."""
_DEFAULT = 90
"""Items of a generated source, unless a limit is given."""


@dataclass(frozen=True)
class Agent(Bench):
    """Questions about scenes and clips whose answers are not in the first view; tools show them."""

    name: ClassVar[str] = "agent"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Answer by acting on pixels"
    sources: ClassVar[Mapping[str, str]] = {"world": "flat scenes and clips of a seed"}
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(
        ("accuracy", "visfid", "uses_tools", "faithful"),
        groups=("task",),
        itemised=("accuracy", "visfid", "calls"),
        item_evidence=("picture",),
    )
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.tools", "pixelproof.world.flat")

    task: str = option("all", f"task, or all: {', '.join(TASKS)}")
    level: str = option("base", "base, or hard: another font, more clutter, other motions", choices=LEVELS)
    calls: int = option(8, "calls per episode, at most")

    def __post_init__(self) -> None:
        """Check the options."""
        if self.task != "all" and self.task not in TASKS:
            raise unknown_name("task", self.task, ("all", *TASKS))
        if self.level not in LEVELS:
            raise unknown_name("level", self.level, LEVELS)
        if not 1 <= self.calls <= 64:
            raise PixelProofError(f"An episode has 1 to 64 calls, not {self.calls}.")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Items of all tasks, in turn."""
        names = list(TASKS) if self.task == "all" else [self.task]
        for place in range(_DEFAULT if n is None else n):
            name = names[place % len(names)]
            index = place // len(names) * len(TASKS) + list(TASKS).index(name)  # a scene of its own for each item
            challenge = _challenge(name, seed, index, self.level)
            yield Item(
                f"agent/{source.name}/1/{name}-{self.level}-{seed}-{index:06d}",
                {"task": name, "level": self.level, "seed": seed, "index": index, "question": challenge.question},
                {"answer": challenge.answer},
                tags={"task": name, "needs": TASKS[name].needs, "level": self.level},
            )

    def prompt(self, item: Item) -> Prompt:
        """The first prompt of the episode."""
        return self._episode(item).reset()

    def episode(self, item: Item) -> Episode:
        """An episode with the six tools; the first view is an eighth of the size, of a clip only of its first frame."""
        return self._episode(item)

    def _episode(self, item: Item) -> ToolEpisode:
        frames = self.challenge(item).frames
        media = Media(frames if frames.ndim == 3 else list(frames))
        toolbox = Toolbox(media, _backends(), Budget(calls=self.calls))
        return ToolEpisode(toolbox, item.inputs["question"], media.width // _FACTOR, 1, SYSTEM)

    def challenge(self, item: Item) -> Challenge:
        """The scene, the question and the truth of an item."""
        return _challenge(*(item.inputs[name] for name in ("task", "seed", "index", "level")))

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Whether the answer is right, and what the calls tell."""
        return score_answer(item, answer, self.challenge(item), TASKS[item.inputs["task"]])

    def controls(self) -> Mapping[str, Control]:
        """Floors, the true answer, and the oracle with real tools."""
        return self._controls

    @cached_property
    def _controls(self) -> Mapping[str, Control]:
        return make_controls(self.challenge)


@lru_cache(32)
def _challenge(task: str, seed: int, index: int, level: str) -> Challenge:
    return TASKS[task].make(seed, index, level)


@lru_cache(1)
def _backends() -> Backends:
    """The tools of the bench: OCR knows the alphabet of the plates."""
    return Backends(ocr=RapidOcrReader(ALPHABET, "never"))
