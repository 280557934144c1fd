"""What a subject is: a kind with its parameters, that can be worded, drawn and, for exact kinds, checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects import _hand
from pixelproof.benches.pixelart.subjects._canvas import Canvas
from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng
from pixelproof.benches.pixelart.subjects._hand import Hand
from pixelproof.benches.pixelart.subjects._look import Look

Params = Mapping[str, Any]
"""Whole numbers, text, and lists of them: they are hashed, and must be the same on every platform."""


@dataclass(frozen=True)
class Verdict:
    """Which conditions of a subject a drawing meets."""

    met: tuple[tuple[str, bool], ...]

    @property
    def solved(self) -> bool:
        """All of them."""
        return all(met for _, met in self.met)

    @property
    def share(self) -> float:
        """How many of them."""
        return sum(met for _, met in self.met) / len(self.met)

    @property
    def missed(self) -> tuple[str, ...]:
        """The names of the others."""
        return tuple(name for name, met in self.met if not met)


class Kind(ABC):
    """A sort of subject, such as bar charts, of which there are many; or one thing, such as a cat."""

    id: str
    family: str
    grade: int
    """1 (easy) to 3 (hard)."""
    checklist: tuple[str, ...] = ()
    """What a judge is asked to look for."""
    exact: ClassVar[bool] = False
    edition: ClassVar[int] = 1
    """The first frozen set that it is part of: a kind that is added later leaves the older sets as they are."""

    @abstractmethod
    def choose(self, rng: Rng) -> dict[str, Any]:
        """Parameters of one subject, by integer draws alone."""

    @abstractmethod
    def text(self, p: Params) -> str:
        """What the model is asked to draw."""

    @abstractmethod
    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        """A drawing of the subject, as varied as its text allows."""

    def subject(self, rng: Rng) -> Subject:
        """A subject of this kind."""
        return Subject(self, self.choose(rng))

    def draw(self, rng: Rng, size: int = 24, colours: int = 10) -> Drawing:
        """A drawing of any subject of this kind: another place, size, palette and detail at every call."""
        return self.subject(rng).draw(rng, size, colours)


class ExactKind(Kind):
    """A kind whose text says what can be checked, cell by cell, without any judgement."""

    exact = True
    conditions: tuple[str, ...]
    """Names, in order. The first is the gate: the kind of picture at all. Where it fails, nothing else counts, because
    noise and blank paper meet many a condition by having nothing that could break it."""

    @abstractmethod
    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        """Which conditions are met, in order; an empty tuple where the gate fails."""

    def check(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> Verdict:
        """Check a grid of palette indices with its colours."""
        look = Look(np.asarray(grid, dtype=np.int64), rgb)
        looks = (look, look.swapped()) if look.colours == 2 else (look,)
        met = max((self._gated(self.examine(one, p)) for one in looks), key=sum)
        return Verdict(tuple(zip(self.conditions, met, strict=True)))

    def _gated(self, met: tuple[bool, ...]) -> tuple[bool, ...]:
        return tuple(bool(one) for one in met) if met and met[0] else (False,) * len(self.conditions)


@dataclass(frozen=True)
class Subject:
    """One thing to draw."""

    kind: Kind
    params: Params

    @property
    def text(self) -> str:
        """What the model is asked to draw."""
        return self.kind.text(self.params)

    def draw(self, rng: Rng, size: int = 24, colours: int = 10) -> Drawing:
        """A drawing of it: another place, size, palette and detail at every call."""
        return self.kind.paint(self.params, rng, size, colours)

    def check(self, grid: npt.ArrayLike, palette_rgb: npt.ArrayLike) -> Verdict | None:
        """Which conditions a drawing meets; None where nothing about the subject can be checked exactly."""
        return self.kind.check(grid, palette_rgb, self.params) if isinstance(self.kind, ExactKind) else None


@dataclass(frozen=True)
class Thing(Kind):
    """Something that is recognised, not checked: one text, and a plan to draw it by."""

    id: str
    title: str
    family: str
    grade: int
    plan: Callable[[Canvas, Hand], None]
    checklist: tuple[str, ...] = ()
    ground: str | None = None
    """What lies behind the figure when a steady hand draws it."""
    full: bool = False
    """Whether the plan covers the whole picture, ground included."""

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Nothing is left to choose."""
        return {}

    def text(self, p: Params) -> str:
        """Its title."""
        return self.title

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        """Drawn by its plan, with a free hand."""
        return _hand.draw(self.plan, rng, size, colours, self.ground if self.full else None)

    def reference(self, size: int, colours: int) -> Drawing:
        """Drawn by its plan, with a steady hand: always the same."""
        return _hand.draw(self.plan, None, size, colours, self.ground)
