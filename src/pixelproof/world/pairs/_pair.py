"""Pairs: a scene before an edit, the instruction, and the scene after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from pixelproof.world._reading import Document
from pixelproof.world.edits import Edit, Outcome, apply
from pixelproof.world.solid import Scene

VERSION = 1
Reason = Literal["", "absent", "blocked", "unsupported", "carries"]
REASONS: Mapping[str, str] = {
    "absent": "something that the instruction names is not in the picture",
    "blocked": "another thing is in the place where something would be",
    "unsupported": "something would hang in the air, or fall off what it stands on",
    "carries": "something else stands on what would be removed or resized",
}
"""Why an instruction is impossible → in words."""
Level = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class Pair(Document):
    """A scene before one or more edits, the instruction in words, and the scene after.

    An impossible instruction has `why_not`; its scene after is the scene before, because leaving the picture alone is
    right, and its steps are what the text asks for.
    """

    content_name: ClassVar[str] = "Pair"
    what: ClassVar[str] = "pair"
    current: ClassVar[int] = VERSION

    operation: str
    """A name in `OPERATIONS`."""
    before: Scene
    after: Scene
    steps: tuple[Edit, ...]
    """The edits that the text asks for, in order."""
    text: str
    """The instruction."""
    language: str = "en"
    why_not: Reason = ""
    """Why it is impossible, a key of `REASONS`; empty if it is possible."""
    difficulty: Mapping[str, float] = field(default_factory=dict)
    """What makes it hard, by name: see `difficulty_of`."""
    version: int = VERSION

    @property
    def possible(self) -> bool:
        """Whether the instruction can be carried out."""
        return not self.why_not

    @property
    def edit(self) -> Edit:
        """The first edit; the only one, unless the operation is `multi-step`."""
        return self.steps[0]

    @property
    def named(self) -> tuple[str, ...]:
        """Ids of the things that the edits change; empty for edits of the camera."""
        ids = [id for step in self.steps for id in (step.target, step.anchor if step.action == "swap" else "") if id]
        return tuple(dict.fromkeys(ids))

    @property
    def level(self) -> Level:
        """`easy`, `medium` or `hard`: with at most 1, 2, or more of the reasons of `hard_parts`."""
        count = len(hard_parts(self.difficulty))
        return "easy" if count < 2 else "medium" if count == 2 else "hard"

    def outcomes(self) -> tuple[Outcome, ...]:
        """Each step, carried out from the scene that the step before leaves; empty if the instruction is impossible."""
        outcomes: list[Outcome] = []
        for step in self.steps if self.possible else ():
            scene = outcomes[-1].after if outcomes else self.before
            assert scene is not None
            outcomes.append(apply(scene, step))
        return tuple(outcomes)


_HARD: Mapping[str, tuple[int, float]] = {
    "size": (-1, 0.006),
    "visible": (-1, 0.8),
    "things": (1, 9),
    "change": (-1, 0.25),
    "words": (1, 1),
    "own_frame": (1, 1),
    "steps": (1, 2),
}


def hard_parts(difficulty: Mapping[str, float]) -> tuple[str, ...]:
    """Names of the parts of a difficulty that make a pair hard.

    | part | hard if | |
    | --- | --- | --- |
    | `size` | below 0.006 | share of the picture of the smallest named thing before |
    | `visible` | below 0.8 | visible share of it, before or after |
    | `things` | 9 or more | things in the scene |
    | `change` | below 0.25 | amount: metres of a move, half-turns of a turn, absolute logarithm of a scale or zoom |
    | `words` | 1 | things are named by a superlative or a relation |
    | `own_frame` | 1 | the direction is that of a thing |
    | `steps` | 2 or more | number of edits |

    >>> hard_parts({"size": 0.002, "things": 5})
    ('size',)
    """
    return tuple(
        name for name, (sign, limit) in _HARD.items() if name in difficulty and _reaches(difficulty[name], sign, limit)
    )


def _reaches(value: float, sign: int, limit: float) -> bool:
    return value >= limit if sign > 0 else value < limit
