"""What a task is: a question about a scene or clip, its answer, and the chain of calls that leads there."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.metrics import edit_distance
from pixelproof.world.flat import ALPHABET, Clip, FlatScene, Truth, draw, draw_clip, truth

from ._solid_media import SolidMedia, SolidTruth, SolidView

LEVELS = ("base", "hard")
"""`base`: what the tools read nearly always. `hard`: another font, more things, other motions."""
READER = f"rapidocr:{ALPHABET}:never"
"""Back end of OCR: it knows the alphabet of the plates, and takes a crop for one line."""
GRID = 1000
"""Coordinates of calls are thousandths of the frame."""
Evidence = Mapping[str, Any]
"""The result of a call as a model reads it: `ok`, `ref`, and the evidence of the tool."""
Request = tuple[str, dict[str, Any]]
"""Tool and arguments of a call."""
Chain = Generator[Request, Evidence, str]
"""Yields calls, receives their results, returns the answer."""
Need = Literal["nothing", "helps", "tools", "unproven"]


class Part(Protocol):
    """A sprite, or a thing of a solid scene, or the text on it."""

    @property
    def id(self) -> str:
        """Unique in the scene."""

    @property
    def colour(self) -> str:
        """Colour word."""


@dataclass(frozen=True)
class Challenge:
    """One question with its scene and its answer."""

    question: str
    answer: str
    world: FlatScene | Clip | SolidMedia
    options: tuple[str, ...] = ()
    """Every possible answer, in a fixed order; empty for codes."""
    length: int = 0
    """Characters of a code that is asked for; 0 if the answer is one of the options."""
    words: int = 1
    """Number of options in the answer, in order."""
    guesses: tuple[str, ...] = ()
    """Options that the first view does not rule out for who knows how scenes are made; empty: all of them."""
    targets: tuple[tuple[int, str], ...] = ()
    """Frame and sprite of everything that must be looked at; empty if the first view is enough."""
    chain: Callable[[], Chain] | None = field(default=None, compare=False, repr=False)
    """Starts the shortest chain of calls that leads to the answer; it knows where things are, and nothing that must be
    read."""

    @property
    def chance(self) -> float:
        """Accuracy of the best guess of who knows the question, the first view and how scenes are made."""
        if self.length:
            return float(len(ALPHABET) ** -self.length)
        return 1 / math.perm(len(self.guesses or self.options), self.words)

    @cached_property
    def frames(self) -> npt.NDArray[np.uint8]:
        """The picture, or the frames of the clip."""
        if isinstance(self.world, SolidMedia):
            return self.world.render()
        return draw_clip(self.world) if isinstance(self.world, Clip) else draw(self.world)

    @property
    def first_scene(self) -> FlatScene | SolidView:
        """The scene of the first view.

        All codes of flat scenes are the same in it: codes that are reduced differ by a grey level, which could be read.
        """
        scene = self.scene(0)
        if not isinstance(scene, FlatScene):
            return scene
        return replace(
            scene, sprites=tuple(replace(sprite, text=ALPHABET[0] * len(sprite.text)) for sprite in scene.sprites)
        )

    @cached_property
    def first_frame(self) -> npt.NDArray[np.uint8]:
        """The picture, or the first frame, for the first view."""
        scene = self.first_scene
        if isinstance(scene, FlatScene):
            return draw(scene)
        return self.frames if self.frames.ndim == 3 else np.asarray(self.frames[0])

    def scene(self, frame: int) -> FlatScene | SolidView:
        """The scene of a frame."""
        if isinstance(self.world, SolidMedia):
            return self.world.view(frame)
        return self.world.frame(frame) if isinstance(self.world, Clip) else self.world

    def frames_like(self, frame: int, sprite: str) -> range | tuple[int, ...]:
        """Frames in which a sprite shows what it shows in a frame, such as all in which a lamp has its colour."""
        if isinstance(self.world, SolidMedia):
            shown = self.world.shown or (0,)
            return tuple(other for other, state in enumerate(shown) if state == shown[frame])
        for change in self.world.changes if isinstance(self.world, Clip) else ():
            if change.id == sprite and change.first <= frame < change.stop:
                return range(change.first, change.stop)
        return (frame,)

    def parts(self, frame: int) -> Sequence[Part]:
        """Everything in a frame that calls may be about."""
        return self.scene(frame).sprites

    def flat_scene(self, frame: int) -> FlatScene:
        """The flat scene of a frame.

        Raises:
            TypeError: The challenge is about a solid scene.
        """
        scene = self.scene(frame)
        if isinstance(scene, FlatScene):
            return scene
        raise TypeError("a challenge about a solid scene")

    def truth(self, frame: int) -> Truth | SolidTruth:
        """Masks and boxes of a frame; kept once computed."""
        if frame not in self._truths:
            self._truths[frame] = self._truth(frame)
        return self._truths[frame]

    def _truth(self, frame: int) -> Truth | SolidTruth:
        if isinstance(self.world, SolidMedia):
            return self.world.truth(frame)
        return truth(self.world.frame(frame) if isinstance(self.world, Clip) else self.world)

    @cached_property
    def _truths(self) -> dict[int, Truth | SolidTruth]:
        return {}


@dataclass(frozen=True)
class Task:
    """A kind of question."""

    name: str
    about: str
    needs: Need
    """What the first view tells: all (`nothing` is needed), something (tools help), no more than chance (`tools`), or
    too little to be read, though no probe was trained to refute it (`unproven`)."""
    calls: int
    """Calls of the oracle's chain, at most, if every plate is read at once."""
    make: Callable[[int, int, str], Challenge]
    """From seed, index and level to a challenge."""
    reads: bool = False
    """Whether text must be read, so that the back end of OCR is needed."""


def to_grid(box: Sequence[float], side: int) -> list[int]:
    """A box in pixels of a square frame, in thousandths, rounded outwards and cut at the border.

    >>> to_grid((0, 128, 256, 512), 512)
    [0, 250, 500, 1000]
    """
    low = [int(GRID * max(value, 0) / side) for value in box[:2]]
    high = [-int(-GRID * min(value, side) // side) for value in box[2:]]
    return [*low, *(min(value, GRID) for value in high)]


def point_of(x: float, y: float, side: int) -> list[int]:
    """A point in pixels, in thousandths."""
    return [round(GRID * x / side), round(GRID * y / side)]


def most_alike(wanted: str, texts: Sequence[str]) -> int:
    """Place of the text that differs least from another one, in edits; the first of several.

    >>> most_alike("A7K", ["3SX", "A1K"])
    1
    """
    return min(range(len(texts)), key=lambda place: edit_distance(texts[place], wanted))


def most_different(texts: Sequence[str]) -> int:
    """Place of the text that differs most from all others, in edits; the first of several.

    >>> most_different(["A7K", "A1K", "3SX", "A7K"])
    2
    """
    return max(range(len(texts)), key=lambda place: sum(edit_distance(texts[place], other) for other in texts))


def read_text(evidence: Evidence) -> str:
    """What OCR read, without spaces, in capitals; empty if nothing."""
    return "".join(str(evidence.get("text", "")).split()).upper()
