"""The bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, islice
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.benches.agent._controls import make_controls
from pixelproof.benches.agent._examples import make_example
from pixelproof.benches.agent._frozen import FROZEN, Place, frozen_challenges
from pixelproof.benches.agent._interventions import (
    INTERVENTIONS,
    NO_PICTURE,
    NO_TOOLS,
    EmptyToolbox,
    SwappedToolbox,
    replaced_tools,
)
from pixelproof.benches.agent._metrics import METRICS
from pixelproof.benches.agent._prompts import OUTSIDE, OUTSIDE_WITHOUT_TOOLS, SYSTEM, SYSTEM_WITHOUT_TOOLS
from pixelproof.benches.agent._reply import read_confidence, without_confidence
from pixelproof.benches.agent._score import chain_metrics, score_answer, tool_failure
from pixelproof.benches.agent.outside import READERS, VisualQuestion, read_items, score_question
from pixelproof.benches.agent.tasks import ALL_TASKS, LEVELS, READER, SOLID_TASKS, TASKS, Challenge, Task
from pixelproof.benches.sources import item_id
from pixelproof.contract import (
    Answer,
    Bench,
    Control,
    Display,
    Episode,
    Example,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Result,
    Source,
    option,
    unknown_name,
)
from pixelproof.nets import TextReader
from pixelproof.store import trusted_asset
from pixelproof.tools import Backends, Budget, Media, RapidOcrReader, Toolbox, open_media
from pixelproof.tools.episodes import VIEW, ToolEpisode, steps_of
from pixelproof.world.shifts import SHIFTS, shift_clip

_VIEW = 64
"""Side of the first view in pixels: flat scenes are smaller by a factor of 8 in it, the side of a character's cell, so
that codes are hidden; solid ones by a factor of 16."""
_SOLID = "solid"
_ELSEWHERE = 2_000_000
"""Distance to the scenes whose pictures replace those of items: no item of a run has them."""
_DEFAULT = 90
"""Items of a generated source, unless a limit is given."""


@dataclass(frozen=True)
class Agent(Bench):
    """Questions about scenes and clips whose answers are not in the first view; tools show them."""

    name: ClassVar[str] = "agent"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Answer by acting on pixels"
    sources: ClassVar[Mapping[str, str]] = {
        "world": "flat scenes and clips of a seed",
        _SOLID: "solid scenes and clips of a seed, a further tier; needs the extra world",
        FROZEN: "the frozen set: 300 challenges of all tasks, a third of them hard, that never change",
        **{name: f"{about}; needs --data" for name, (about, _) in READERS.items()},
    }
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(
        ("accuracy", "visfid", "uses_tools", "faithful"),
        {"Tools": ("seg", "ocr", "trk", "temp")},
        groups=("task",),
        itemised=("accuracy", "visfid", "calls"),
        item_evidence=("picture",),
        request=("question",),
    )
    frozen: ClassVar[tuple[str, ...]] = (FROZEN,)
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.tools", "pixelproof.world")

    task: str = option("all", f"tasks, separated by commas, or all of the source: {', '.join(ALL_TASKS)}")
    level: str = option("base", "base, or hard: another font, more clutter, other motions", choices=LEVELS)
    calls: int = option(8, "calls per episode, at most", scored=False)
    shift: str = option("none", "degradation of pictures and clips", choices=("none", *SHIFTS), scored=False)
    strength: float = option(0.5, "strength of the shift, from 0 to 1", scored=False)
    intervention: str = option("none", "what is withheld or replaced", choices=INTERVENTIONS, scored=False)

    def __post_init__(self) -> None:
        """Check the options."""
        for name in self._named_tasks:
            if name not in ALL_TASKS:
                raise unknown_name("task", name, ("all", *ALL_TASKS))
        if len(set(self._named_tasks)) < len(self._named_tasks):
            raise PixelProofError(f"--task {self.task} names a task twice: leave one of them out.")
        if self.level not in LEVELS:
            raise unknown_name("level", self.level, LEVELS)
        if self.intervention not in INTERVENTIONS:
            raise unknown_name("intervention", self.intervention, INTERVENTIONS)
        if self.shift != "none" and self.shift not in SHIFTS:
            raise unknown_name("shift", self.shift, ("none", *SHIFTS))
        if not 0 <= self.strength <= 1:
            raise PixelProofError(f"--strength {self.strength} is not possible: choose 0 to 1.")
        if not 1 <= self.calls <= 64:
            raise PixelProofError(f"An episode has 1 to 64 calls, not {self.calls}.")

    @property
    def _named_tasks(self) -> tuple[str, ...]:
        """Names of the tasks that are chosen; empty: all of a source."""
        return () if self.task == "all" else tuple(name.strip() for name in self.task.split(","))

    def tasks(self, source: str) -> tuple[str, ...]:
        """Names of the tasks that are asked about scenes of a source.

        Raises:
            PixelProofError: One that is chosen is about scenes of another source.
        """
        known = tuple(SOLID_TASKS if source == _SOLID else TASKS)
        other = next((name for name in self._named_tasks if name not in known), None)
        if other is not None:
            suitable = "world" if source == _SOLID else _SOLID
            raise PixelProofError(f"--source {source} has no task {other}: pass --source {suitable} for it.")
        return self._named_tasks or known

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Items of all tasks, in turn."""
        if source.name == FROZEN:
            return self._frozen_items(n)
        if source.name in READERS:
            if replaced_tools(self.intervention):
                raise PixelProofError(
                    f"--intervention {self.intervention} needs pictures of other questions with a known difference: "
                    "choose --source world, or no-picture or no-tools."
                )
            return islice(read_items(self.name, source.name, source.data), n)
        return self._generated_items(source, seed, n)

    def _frozen_items(self, n: int | None) -> Iterator[Item]:
        for name in ("task", "level"):
            if getattr(self, name) != type(self).__dataclass_fields__[name].default:
                raise PixelProofError(f"{FROZEN} has all tasks and both levels: leave out --{name}, or use 'world'.")
        for number, (place, challenge) in enumerate(frozen_challenges(n)):
            yield self._item(item_id(self.name, FROZEN, 1, number), place, challenge)

    def _item(self, id: str, place: Place, challenge: Challenge) -> Item:
        task = ALL_TASKS[place.task]
        return Item(
            id,
            {**asdict(place), "question": challenge.question},
            {"answer": challenge.answer},
            tags={"task": place.task, "needs": task.needs, "level": place.level},
        )

    def _generated_items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        names = self.tasks(source.name)
        known = tuple(SOLID_TASKS if source.name == _SOLID else TASKS)
        for place in range(_DEFAULT if n is None else n):
            name = names[place % len(names)]
            index = place // len(names) * len(known) + known.index(name)  # a scene of its own for each item
            key = item_id(self.name, source.name, 1, f"{name}-{self.level}-{seed}-{index:06d}")
            yield self._item(key, Place(name, seed, index, self.level), _challenge(name, seed, index, self.level))

    def prompt(self, item: Item) -> Prompt:
        """The first prompt of the episode."""
        return self._episode(item).reset()

    def content(self, item: Item) -> str:
        """The name of the file of a data set; or the scene, which has one question and so the name of the item."""
        return Path(item.cluster).name or item.id

    def reward(self, item: Item) -> str:
        """Right answers; of a data set, its own measure."""
        return "task_score" if item.cluster else "accuracy"

    def episode(self, item: Item) -> Episode:
        """An episode with the six tools; the first view has 64 × 64 pixels, of a clip only of its first frame."""
        self.check_item(item)
        return self._episode(item)

    def check_item(self, item: Item) -> None:
        """Refuse a task that needs OCR where it is not installed."""
        if not isinstance(item.truth, VisualQuestion):
            _require_reader(item.inputs["task"])

    def _episode(self, item: Item) -> ToolEpisode:
        if isinstance(item.truth, VisualQuestion):
            return self._outside_episode(item)
        media, backends = self.media(item), _backends()
        budget, swapped = Budget(calls=self.calls), replaced_tools(self.intervention)
        toolbox = Toolbox(media, backends, budget)
        if swapped:
            toolbox = SwappedToolbox(media, self._media(self._donor(item)), swapped, backends, budget)
        elif self.intervention == NO_TOOLS:
            toolbox = EmptyToolbox(media)
        view = 0 if self.intervention == NO_PICTURE else _VIEW
        system = SYSTEM_WITHOUT_TOOLS if self.intervention == NO_TOOLS else SYSTEM
        return ToolEpisode(toolbox, item.inputs["question"], view, 1, system, shown=self._shown(item, media))

    def _shown(self, item: Item, media: Media) -> Media:
        """The media with the frame that the first view is made of."""
        first = self._degraded(self.challenge(item).first_frame[None])[0]
        return Media(first if media.kind == "picture" else [first, *media.frames[1:]], media.fps)

    def _outside_episode(self, item: Item) -> ToolEpisode:
        """An episode about a file: pictures of up to 768 pixels, of a clip eight frames."""
        media, offered = self.media(item), self.intervention != NO_TOOLS
        toolbox = Toolbox(media, budget=Budget(calls=self.calls)) if offered else EmptyToolbox(media)
        view = 0 if self.intervention == NO_PICTURE else VIEW
        return ToolEpisode(toolbox, item.inputs["question"], view, system=OUTSIDE if offered else OUTSIDE_WITHOUT_TOOLS)

    def media(self, item: Item) -> Media:
        """The picture or clip of an item, as the tools get it."""
        if not isinstance(item.truth, VisualQuestion):
            return self._media(self.challenge(item))
        media = open_media(Path(item.truth.file))
        if self.shift == "none":
            return media
        frames = list(shift_clip(np.stack(media.frames), self.shift, self.strength))
        return Media(frames if media.kind == "clip" else frames[0], media.fps, media.uri)

    def _media(self, challenge: Challenge) -> Media:
        """The picture or clip of a challenge, degraded where a shift is chosen."""
        frames = challenge.frames
        return Media(self._degraded(frames[None])[0] if frames.ndim == 3 else list(self._degraded(frames)))

    def _degraded(self, frames: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        return frames if self.shift == "none" else shift_clip(frames, self.shift, self.strength)

    def _donor(self, item: Item) -> Challenge:
        """Another challenge of the task with another answer, whose picture replaces that of an item."""
        task, seed, index, level = (item.inputs[name] for name in ("task", "seed", "index", "level"))
        made = (_challenge(task, seed, index + _ELSEWHERE + place, level) for place in count())
        return next(challenge for challenge in made if challenge.answer != item.truth["answer"])

    def challenge(self, item: Item) -> Challenge:
        """The scene, the question and the truth of an item."""
        return _challenge(*(item.inputs[name] for name in ("task", "seed", "index", "level")))

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Whether the answer is right, and what the calls tell."""
        if isinstance(item.truth, VisualQuestion):
            return self._score_outside(item, item.truth, answer)
        replaced = replaced_tools(self.intervention)
        return score_answer(item, answer, self.challenge(item), ALL_TASKS[item.inputs["task"]], replaced)

    def _score_outside(self, item: Item, question: VisualQuestion, answer: Answer) -> Result:
        steps, confidence = steps_of(answer.trace), read_confidence(answer)
        metrics = chain_metrics(steps) if answer.trace else {}
        metrics |= {} if confidence is None else {"confidence": confidence}
        failure = tool_failure(steps) or answer.failure
        reply = replace(answer, text=without_confidence(answer.text), failure=failure)
        return score_question(item, question, reply, metrics)

    def examples(self, item: Item, rng: np.random.Generator) -> Iterator[Example]:
        """The oracle's conversation with the tools; some have a mistake and its repair, or padding."""
        if not item.cluster:  # a question about a generated scene
            yield from make_example(self.challenge(item), self.episode(item), rng, self.calls)

    def controls(self) -> Mapping[str, Control]:
        """Floors, the true answer, and the oracle with real tools."""
        return self._controls

    @cached_property
    def _controls(self) -> Mapping[str, Control]:
        return make_controls(self.challenge)


@lru_cache(8)  # a clip has 13 MB
def _challenge(task: str, seed: int, index: int, level: str) -> Challenge:
    return ALL_TASKS[task].make(seed, index, level)


def _tasks_beside(task: str) -> Mapping[str, Task]:
    """The tasks of the same source."""
    return SOLID_TASKS if task in SOLID_TASKS else TASKS


def _require_reader(task: str) -> None:
    """Check that the back end of OCR is installed, for tasks that need it.

    Raises:
        PixelProofError: It is not.
    """
    if not ALL_TASKS[task].reads:
        return
    try:
        if isinstance(_backends().reader(), RapidOcrReader):
            trusted_asset(TextReader.asset)
    except PixelProofError as error:
        others = ",".join(name for name, other in _tasks_beside(task).items() if not other.reads)
        raise PixelProofError(f"The task {task} needs OCR. {error} Tasks that do not: --task {others}.") from error


@lru_cache(1)
def _backends() -> Backends:
    """The tools of the bench. Without the libraries of OCR, calls of it fail."""
    return Backends(ocr=READER)
