"""Composed subjects of one thing with a stated attribute: colour, outline, place, frame, floor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import ndimage

from pixelproof import metrics
from pixelproof.benches.pixelart.subjects._drawing import SWATCHES, Mask, Rng, pick
from pixelproof.benches.pixelart.subjects._kind import Params
from pixelproof.benches.pixelart.subjects._look import Look, pieces
from pixelproof.benches.pixelart.subjects.composed._kind import (
    GROUNDS,
    NUMBERS,
    PAINTS,
    Composed,
    Conditions,
    Placed,
    article,
    capital,
    choose_things,
    slot,
    word,
)
from pixelproof.benches.pixelart.subjects.composed._scene import Figure, Scene
from pixelproof.benches.pixelart.subjects.composed._sprites import Style, draw_sprite


class OneThing(Composed):
    """One thing; subclasses add what is said about it."""

    def choose(self, rng: Rng) -> dict[str, Any]:
        """A thing, a colour for it or for what is around it, and another for the ground."""
        ground = pick(rng, GROUNDS)
        others = [name for name in PAINTS if name != ground]
        return {**choose_things(rng, "a"), "ground": ground, "colour": pick(rng, others)}

    def counts(self, p: Params) -> dict[str, int]:
        """One."""
        return {p["a"]: 1}

    def conditions(self, scene: Scene, p: Params) -> Conditions:
        """Those of the thing, if it is there."""
        figure = scene.only(p["a"])
        return self.about(scene, figure, p)

    @abstractmethod
    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The conditions of the thing; None: it is not recognised."""

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """Somewhere, as large as will fit with a margin of one cell."""
        sprite = draw_sprite(p["a"], rng, size - 2, style)
        return [slot(rng, sprite, 1, 1, size - 2, size - 2)]


class ColouredThing(OneThing):
    """A thing in a colour."""

    id = "coloured-thing"
    grade = 1

    def sentence(self, p: Params) -> str:
        """With the definition of its colour."""
        return f"{capital(word(p).a)} in {p['colour']}: more than half of its cells are {p['colour']}"

    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The colour."""
        return [("colour", figure is not None and scene.share_called(figure, p["colour"]) > 0.5)]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """In the colour."""
        return super().place(p, rng, size, replace(style, tint=p["colour"]))


_THIN = frozenset({"anchor", "cactus", "key", "lightning", "snowflake", "sword"})
"""Things that are little more than an outline."""


class OutlinedThing(OneThing):
    """A thing with an outline in a colour."""

    id = "outlined-thing"
    grade = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Only things that have an inside."""
        while True:
            chosen = super().choose(rng)
            if chosen["a"] not in _THIN:
                return chosen

    def sentence(self, p: Params) -> str:
        """With the definition of an outline."""
        return (
            f"{capital(word(p).a)} with {p['colour']} contours: each of its cells that has a cell of the surrounding "
            f"background to its left, to its right, above or below it is {p['colour']}, and less than half of all its "
            f"cells are {p['colour']}. The surrounding background is what is joined to the edge of the picture, side "
            "by side and not over corners"
        )

    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The outline, and that it is not all of the thing."""
        if figure is None:
            return [("outline", False), ("filling", False)]
        rim = outline_of(figure.mask, scene.ink)
        return [
            ("outline", bool(rim.any() and scene.look.named(p["colour"])[rim].all())),
            ("filling", scene.share_called(figure, p["colour"]) < 0.5),
        ]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """With the outline."""
        return super().place(p, rng, size, replace(style, outline=p["colour"]))


def outline_of(mask: Mask, ink: Mask) -> Mask:
    """Cells of a thing beside, above or below the ground around it: ground that reaches the edge of the picture.

    >>> ring = np.pad(np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool), 1)
    >>> int(outline_of(ring, ring).sum()), int(outline_of(np.ones((3, 3), bool), np.ones((3, 3), bool)).sum())
    (8, 0)
    """
    edge = np.ones_like(ink)
    edge[1:-1, 1:-1] = False
    around = ndimage.binary_propagation(edge & ~ink, mask=~ink)
    return np.asarray(ndimage.binary_dilation(around) & mask)


_PLACES = {
    "top left": (0, 0),
    "top right": (0, 1),
    "bottom left": (1, 0),
    "bottom right": (1, 1),
}


class PlacedThing(OneThing):
    """A small thing in a quarter of the picture."""

    id = "placed-thing"
    grade = 1

    def choose(self, rng: Rng) -> dict[str, Any]:
        """A thing, a quarter, the ground."""
        return {**choose_things(rng, "a"), "ground": pick(rng, GROUNDS), "quarter": pick(rng, tuple(_PLACES))}

    def sentence(self, p: Params) -> str:
        """With the quarter, which also limits its size."""
        down, across = p["quarter"].split()
        return (
            f"A small {word(p).singular} in the {p['quarter']} quarter of the picture: all of it is in the {down} half "
            f"and in the {across} half"
        )

    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The place, in each direction."""
        down, across = _PLACES[p["quarter"]]
        height, width = scene.look.cells.shape
        top, left, bottom, right = figure.box if figure is not None else (-1, -1, height + 1, width + 1)
        rows = 2 * top >= height if down else 2 * bottom <= height
        columns = 2 * left >= width if across else 2 * right <= width
        return [("rows", figure is not None and rows), ("columns", figure is not None and columns)]

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """Within the quarter."""
        side = size // 2
        sprite = draw_sprite(p["a"], rng, side, style)
        top, left = (half * (size - side) for half in _PLACES[p["quarter"]])
        return [slot(rng, sprite, top, left, side, side)]


class FramedThing(OneThing):
    """A thing inside a frame."""

    id = "framed-thing"
    grade = 2
    where = (
        ", the most frequent colour of the outermost cells of the picture or, if the frame is there, of those inside it"
    )

    def sentence(self, p: Params) -> str:
        """With the definition of the frame."""
        return (
            f"{capital(word(p).a)} inside {article(p['colour'])} frame: a closed rectangle of lines that are exactly "
            f"one cell wide. At least two cells of background are between the frame and {word(p).the} on every side"
        )

    def scenes(self, look: Look, p: Params) -> Sequence[Scene]:
        """The scene without the frame, which may be the border of the picture: then the ground begins inside."""
        inside = metrics.background(look.cells[1:-1, 1:-1])
        grounds = dict.fromkeys((look.ground, inside))
        return [Scene(look, ground, self._frame(look, ground, p)) for ground in grounds]

    def _frame(self, look: Look, ground: int, p: Params) -> Mask | None:
        """Cells of the frame: the largest closed rectangle of lines in its colour; None if there is none."""
        ink = look.cells != ground
        for piece in sorted(pieces(ink & look.named(p["colour"])), key=lambda piece: -piece.height * piece.width):
            ring = np.ones_like(piece.mask)
            ring[1:-1, 1:-1] = False
            if min(ring.shape) >= 3 and np.array_equal(piece.mask, ring):
                frame: Mask = np.zeros(ink.shape, dtype=np.bool_)
                frame[piece.box] = ring
                return frame
        return None

    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The frame, and the thing inside it."""
        frame = self._frame(scene.look, scene.ground, p)
        if frame is None or figure is None:
            return [("frame", frame is not None), ("inside", False)]
        rows, columns = np.flatnonzero(frame.any(axis=1)), np.flatnonzero(frame.any(axis=0))
        top, left, bottom, right = figure.box
        inside = top >= rows[0] + 3 and bottom <= rows[-1] - 2 and left >= columns[0] + 3 and right <= columns[-1] - 2
        return [("frame", True), ("inside", bool(inside))]

    def backdrop(self, p: Params, rng: Rng, size: int) -> tuple[str, Mask]:
        """A frame at the edge of the picture, or one cell from it."""
        start = int(rng.integers(2))
        cells = np.zeros((size, size), dtype=np.bool_)
        cells[start : size - start, start : size - start] = True
        cells[start + 1 : size - start - 1, start + 1 : size - start - 1] = False
        return pick(rng, SWATCHES[p["colour"]]), cells

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """In the middle."""
        side = size - 8
        return [slot(rng, draw_sprite(p["a"], rng, side, style), 4, 4, side, side)]


class StandingThing(OneThing):
    """A thing on a floor."""

    id = "standing-thing"
    grade = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        """Also how many rows the floor has."""
        return {**super().choose(rng), "rows": 2 + int(rng.integers(3))}

    def sentence(self, p: Params) -> str:
        """With the definition of the floor."""
        return (
            f"{capital(word(p).a)} on {article(p['colour'])} floor: the floor is the bottom {NUMBERS[p['rows']]} rows "
            f"of the picture, all of them {p['colour']} from edge to edge, and the row above is not. "
            f"{capital(word(p).the)} stands right on it, without a gap"
        )

    def scenes(self, look: Look, p: Params) -> Sequence[Scene]:
        """The scene without the floor."""
        floor = np.zeros(look.cells.shape, dtype=np.bool_)
        floor[self._start(look, p) :] = True
        return [Scene(look, look.ground, floor)]

    def _start(self, look: Look, p: Params) -> int:
        """First row of the floor: all rows from it on are of its colour, however many they are."""
        other = np.flatnonzero(~look.named(p["colour"]).all(axis=1))
        return int(other[-1]) + 1 if other.size else 0

    def about(self, scene: Scene, figure: Figure | None, p: Params) -> Conditions:
        """The floor, and that the thing touches it."""
        start, height = self._start(scene.look, p), len(scene.look.cells)
        stands = start < height and figure is not None and figure.box[2] == start
        return [("floor", start == height - p["rows"]), ("on it", stands)]

    def backdrop(self, p: Params, rng: Rng, size: int) -> tuple[str, Mask]:
        """The floor."""
        cells = np.zeros((size, size), dtype=np.bool_)
        cells[size - p["rows"] :] = True
        return pick(rng, SWATCHES[p["colour"]]), cells

    def place(self, p: Params, rng: Rng, size: int, style: Style) -> Placed:
        """On the floor, anywhere across."""
        side = size - p["rows"] - 1
        sprite = draw_sprite(p["a"], rng, side, style)
        height, width = sprite.shape
        return [(sprite, size - p["rows"] - height, int(rng.integers(size - width + 1)))]
