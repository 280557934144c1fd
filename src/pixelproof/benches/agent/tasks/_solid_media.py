"""Pictures and clips of solid scenes, with the truth that metrics need, in the form that flat scenes have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import bounding_box

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene

SIDE = 1024
"""Side of a frame in pixels."""
PLATE = "plate"
"""What texts are called as parts of a scene, as in flat scenes."""
Box = tuple[int, int, int, int]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sign:
    """A text on a thing that can be read from the camera."""

    thing: str
    """Id of the thing."""
    box: Box
    """Bounding box of the label in pixels."""

    @property
    def id(self) -> str:
        """Id of the text as a part of the scene."""
        return f"{self.thing}/text"


@dataclass(frozen=True)
class SolidPart:
    """A thing or the text on one, as metrics address it."""

    id: str
    shape: str
    """Category of the thing, or `PLATE`."""
    colour: str
    text: str = ""


@dataclass(frozen=True)
class SolidSeen:
    """Ground truth of one part in one frame."""

    box: Box | None
    """Bounding box of its visible pixels; None if there are none."""
    pixels: int
    """Number of visible pixels; of a text, those of its box."""


@dataclass(frozen=True, eq=False)
class SolidTruth:
    """Ground truth of one frame."""

    scene: SolidView
    labels: npt.NDArray[np.uint16]
    """(h, w) position of the thing among the parts, counted from 1; 0 is what cannot be moved, such as walls."""
    seen: Mapping[str, SolidSeen]
    """Part id → ground truth."""

    def visible_mask(self, id: str) -> Mask:
        """Mask of the visible pixels of a thing."""
        places = [place for place, part in enumerate(self.scene.sprites, 1) if part.id == id]
        return np.isin(self.labels, places)


@dataclass(frozen=True)
class SolidView:
    """One frame: a scene, and the signs in it."""

    solid: Scene
    signs: tuple[Sign, ...] = ()
    width: int = SIDE

    @cached_property
    def sprites(self) -> tuple[SolidPart, ...]:
        """All things in the order of the scene, then the texts that can be read."""
        things = [SolidPart(thing.id, thing.category, thing.colour) for thing in self.solid.things]
        texts = [SolidPart(sign.id, PLATE, "", self.solid.thing(sign.thing).text) for sign in self.signs]
        return (*things, *texts)

    def sprite(self, id: str) -> SolidPart:
        """The part with an id."""
        return next(part for part in self.sprites if part.id == id)


@dataclass(frozen=True)
class SolidMedia:
    """A picture of a solid scene; or a clip in which things keep their places and a text changes."""

    scenes: tuple[Scene, ...]
    """States of the scene, which differ in texts alone."""
    ids: npt.NDArray[np.uint16] = field(compare=False, repr=False)
    """(h, w) position of the visible thing, counted from 1; the same in all states."""
    signs: tuple[Sign, ...] = ()
    shown: tuple[int, ...] = ()
    """State in each frame of a clip; empty for a picture."""

    def view(self, frame: int) -> SolidView:
        """The scene of a frame."""
        return SolidView(self.scenes[self.shown[frame] if self.shown else 0], self.signs)

    def render(self) -> npt.NDArray[np.uint8]:
        """The picture (h, w, 3), or the frames of the clip (n, h, w, 3)."""
        from pixelproof.world.solid.render import render

        states = [render(scene, SIDE, quality="draft", layers=("rgb",), steady=True).rgb for scene in self.scenes]
        return np.stack([states[state] for state in self.shown]) if self.shown else states[0]

    def truth(self, frame: int) -> SolidTruth:
        """Masks and boxes of a frame."""
        view = self.view(frame)
        fixed = [place for place, thing in enumerate(view.solid.things, 1) if thing.fixed]
        labels = np.where(np.isin(self.ids, fixed), 0, self.ids)
        seen = {}
        for place, thing in enumerate(view.solid.things, 1):
            mask = self.ids == place
            seen[thing.id] = SolidSeen(bounding_box(mask), int(mask.sum()))
        for sign in self.signs:
            left, top, right, bottom = sign.box
            seen[sign.id] = SolidSeen(sign.box, (right - left) * (bottom - top))
        return SolidTruth(view, labels.astype(np.uint16), seen)
