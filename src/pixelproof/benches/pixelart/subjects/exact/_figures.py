"""Figures that point somewhere."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, pick
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, pieces
from pixelproof.benches.pixelart.subjects._paint import DIRECTIONS, contrasting, place, turned, whole


def _side(to: str) -> str:
    return f"straight {to}" if to in ("up", "down") else f"to the {to}"


_STRAIGHT = (
    "Each of the two sides from base to tip is straight: a straight line that passes through none of their "
    "centres parts the cells inside from those outside. The two lines may meet beyond the tip"
)


class _Pointing(ExactKind):
    """Figures in one colour that point somewhere."""

    family = "shapes"
    colours = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"to": pick(rng, DIRECTIONS)}

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        found = pieces(look.figure)
        if len(found) != 1:
            return ()
        turned_right = [np.rot90(found[0].mask, -turn) for turn in range(len(DIRECTIONS))]
        ways = [way for mask, way in zip(turned_right, DIRECTIONS, strict=True) if self._points_right(mask)]
        exact = p["to"] in ways and self._is_exact(turned_right[DIRECTIONS.index(p["to"])])
        return bool(ways), p["to"] in ways, exact

    @abstractmethod
    def _points_right(self, mask: Mask) -> bool:
        """Whether the figure is of this kind and points to the right."""

    @abstractmethod
    def _is_exact(self, mask: Mask) -> bool:
        """Whether a figure that points to the right has the proportions that the text states."""


def _extents(mask: Mask) -> npt.NDArray[np.int64]:
    """For every column: the number of cells from its first to its last."""
    first = mask.argmax(axis=0)
    last = mask.shape[0] - 1 - mask[::-1].argmax(axis=0)
    return np.asarray(last - first + 1, dtype=np.int64)


def _is_wedge(extents: npt.NDArray[np.int64]) -> bool:
    """Whether the columns of a symmetric figure narrow along straight sides from a base to a tip of one or two cells.

    Straight: a line a·i + b parts the cells inside from those outside, that is floor(a·i + b) cells are gone from
    either side of column i. Such a line exists if every two columns leave a common slope a.
    """
    gone = (extents[0] - extents) // 2
    if len(extents) < 2 or extents[-1] > 2 or extents[0] < 3 or (extents - extents[0]).max() > 0:
        return False
    columns, other = np.triu_indices(len(gone), 1)
    rise, run = gone[other] - gone[columns], other - columns
    return bool(((rise - 1) / run).max() < ((rise + 1) / run).min())


def _wedge(base: int, length: int) -> Mask:
    """A triangle that points to the right, with a tip of one or two cells."""
    steps = (base - 1) // 2
    extents = base - 2 * (steps * np.arange(length) // (length - 1))
    return np.asarray(np.abs(2 * np.arange(base)[:, None] - (base - 1)) < extents)


class Arrow(_Pointing):
    """An arrow with a shaft and a head."""

    id, grade = "arrow", 2
    conditions = ("an arrow", "its direction", "proportions, and a filled head")

    def rule(self, p: Params) -> str:
        return (
            f"One arrow in one colour on a plain ground, pointing {_side(p['to'])}: a straight shaft of constant "
            "thickness, at least 2 cells long, and a head at its end. The head is a filled triangle, at least 3 cells "
            "long from base to tip, whose base sticks out by at least 2 cells on each side of the shaft and whose tip "
            f"is one or two cells wide. {_STRAIGHT}. The two halves of the arrow on both sides of its axis are "
            "mirror images"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        shaft = whole(rng, 1, size // 8)
        base = shaft + 2 * whole(rng, 2, (size - shaft) // 2)
        head = _wedge(base, whole(rng, 3, size - 2))
        length = whole(rng, 2, size - head.shape[1])
        tail = np.zeros((base, length), dtype=np.bool_)
        tail[(base - shaft) // 2 : (base + shaft) // 2] = True
        mask = np.concatenate([tail, head], axis=1)
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extents = _extents(mask)
        shaft = _shaft(extents)
        solid = bool((mask[:, :shaft].sum(axis=0) == extents[0]).all())
        mirrored = np.array_equal(mask, mask[::-1])
        return solid and mirrored and shaft >= 2 and len(np.unique(extents[shaft:])) >= 3 and _is_wedge(extents[shaft:])

    def _is_exact(self, mask: Mask) -> bool:
        extents = _extents(mask)
        shaft = _shaft(extents)
        wide = len(extents) - shaft >= 3 and extents[shaft] >= extents[0] + 4
        return bool(wide and (mask.sum(axis=0) == extents).all())


def _shaft(extents: npt.NDArray[np.int64]) -> int:
    """Number of columns before the first that differs."""
    return int(np.argmax(extents != extents[0]))


class Triangle(_Pointing):
    """A filled triangle."""

    id, grade = "triangle", 1
    conditions = ("a filled triangle", "its direction", "size")

    def rule(self, p: Params) -> str:
        return (
            f"One filled triangle in one colour on a plain ground, pointing {_side(p['to'])}: its straight base is at "
            "least 5 cells wide, its tip one or two cells wide, and it is at least 3 cells long from base to tip. "
            f"{_STRAIGHT}. Its two halves on both sides of its axis are mirror images"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        mask = _wedge(whole(rng, size // 3, size - 2), whole(rng, size // 3, size - 2))
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extents = _extents(mask)
        solid = bool((mask.sum(axis=0) == extents).all())
        return solid and np.array_equal(mask, mask[::-1]) and _is_wedge(extents)

    def _is_exact(self, mask: Mask) -> bool:
        return bool(mask.shape[0] >= 5 and mask.shape[1] >= 3)
