"""Subjects: a kind with parameters, which has a text, can be drawn and, for exact kinds, checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from pixelproof.benches.pixelart.subjects import _canvas
from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand
from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng
from pixelproof.benches.pixelart.subjects._look import Look, looks_of

Params = Mapping[str, Any]
"""Integers, text, and lists of them: they are hashed, and must be equal on every platform."""

COLOURS = "no other colours"


@dataclass(frozen=True)
class Verdict:
    """The conditions of a subject that a drawing meets."""

    met: tuple[tuple[str, bool], ...]

    @property
    def solved(self) -> bool:
        """Whether all conditions are met."""
        return all(met for _, met in self.met)

    @property
    def share(self) -> float:
        """Share of the conditions met."""
        return sum(met for _, met in self.met) / len(self.met)

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the conditions not met."""
        return tuple(name for name, met in self.met if not met)


class Kind(ABC):
    """A family of subjects with parameters, such as bar charts, or a single one, such as a cat."""

    id: str
    family: str
    grade: int
    """Difficulty, 1 (easy) to 3 (hard); things have none."""
    scoring: ClassVar[str]
    """How drawings are scored: `exact` (checked cell by cell), `composed` (recognised, and checked) or `thing`."""
    smallest: int = 16
    """Smallest grid side on which it is scored."""

    @property
    def exact(self) -> bool:
        """Whether it is checked cell by cell, without judgement."""
        return self.scoring == "exact"

    @abstractmethod
    def choose(self, rng: Rng) -> dict[str, Any]:
        """Draw the parameters of a subject, by integer draws only."""

    @abstractmethod
    def text(self, p: Params) -> str:
        """The subject's text in the prompt."""

    @abstractmethod
    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        """A random drawing of the subject, as varied as its text allows."""

    def statements(self, p: Params) -> tuple[str, ...]:
        """Statements about a subject for a judge."""
        return ()

    def check(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> Verdict | None:
        """The conditions that a drawing meets; None for kinds without any."""
        return None

    def subject(self, rng: Rng) -> Subject:
        """A random subject of this kind."""
        return Subject(self, self.choose(rng))

    def draw(self, rng: Rng, size: int = 24, colours: int = 10) -> Drawing:
        """A random drawing of a random subject of this kind."""
        return self.subject(rng).draw(rng, size, colours)


class ExactKind(Kind):
    """A kind whose text can be checked cell by cell, without judgement."""

    scoring = "exact"
    conditions: tuple[str, ...]
    """Names, in order. The first is the gate: whether it is this kind of drawing at all. If it fails, no other
    condition counts, because noise and blank drawings meet many conditions trivially."""
    colours: int
    """Number of colours of every drawing; kinds that override `count_colours` have none."""

    @abstractmethod
    def rule(self, p: Params) -> str:
        """The definition of the subject: what a drawing must show, and all that is checked."""

    def count_colours(self, p: Params) -> int:
        """Number of colours of the whole picture."""
        return self.colours

    def text(self, p: Params) -> str:
        """The definition, and that nothing else is in the picture."""
        flat = f"exactly {self.count_colours(p)} colours, each of them flat"
        return f"{self.rule(p)}. The whole picture has {flat}, and shows nothing else"

    @abstractmethod
    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        """Whether each condition is met, in order; an empty tuple if the gate fails."""

    def check(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> Verdict:
        """Check a grid of palette indices with its colours against the text."""
        looks = looks_of(grid, rgb)
        flat = looks[0].colours == self.count_colours(p)
        answers = [(*met, flat) if (met := self.examine(one, p)) else () for one in looks]
        return best_verdict((*self.conditions, COLOURS), answers)


def best_verdict(names: tuple[str, ...], answers: Iterable[tuple[bool, ...]]) -> Verdict:
    """The verdict with most conditions met, of the ways to see a drawing; an empty tuple meets none."""
    return max((_gated(names, met) for met in answers), key=lambda verdict: verdict.share)


def _gated(names: tuple[str, ...], met: tuple[bool, ...]) -> Verdict:
    """Conditions by name; none are met where the first is not."""
    gated = tuple(bool(one) for one in met) if met and met[0] else (False,) * len(names)
    return Verdict(tuple(zip(names, gated, strict=True)))


@dataclass(frozen=True)
class Subject:
    """A subject: a kind with parameters."""

    kind: Kind
    params: Params

    @property
    def text(self) -> str:
        """The subject's text in the prompt."""
        return self.kind.text(self.params)

    def draw(self, rng: Rng, size: int = 24, colours: int = 10) -> Drawing:
        """A random drawing of it."""
        return self.kind.paint(self.params, rng, size, colours)

    @property
    def statements(self) -> tuple[str, ...]:
        """Statements for a judge."""
        return self.kind.statements(self.params)

    def check(self, grid: npt.ArrayLike, palette_rgb: npt.ArrayLike) -> Verdict | None:
        """The conditions that a drawing meets; None for things, which have no conditions."""
        return self.kind.check(grid, palette_rgb, self.params)


@dataclass(frozen=True)
class Thing(Kind):
    """A subject that is recognised, not checked: one text, and a plan to draw it.

    Sets ask for things in compositions only: a word alone is answered by one stored drawing.
    """

    scoring: ClassVar[str] = "thing"

    id: str
    title: str
    family: str
    plan: Callable[[Canvas, Hand], None]
    checklist: tuple[str, ...] = ()
    """Statements for a judge; only published subjects have some."""
    ground: str | None = None
    """Backdrop of the deterministic drawing."""
    full: bool = False
    """Whether the plan covers the whole image, background included."""

    def choose(self, rng: Rng) -> dict[str, Any]:
        """No parameters."""
        return {}

    def text(self, p: Params) -> str:
        """Its title."""
        return self.title

    def statements(self, p: Params) -> tuple[str, ...]:
        """Its checklist."""
        return self.checklist

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        """Draw the plan with random variation."""
        return _canvas.draw(self.plan, rng, size, colours, self.ground if self.full else None)

    def reference(self, size: int, colours: int) -> Drawing:
        """Draw the plan without variation."""
        return _canvas.draw(self.plan, None, size, colours, self.ground)
