"""Lookup table of nearest palette colours: the candidates for each small cube of the colour space.

The cube of all colours is halved along its axes again and again. A cell inherits the candidates of the cell that it is
a part of, and keeps those that can be nearest somewhere in it. Bounds are conservative, so a decoder that compares the
candidates is exact. Lists are kept for 32³ cells; whether there is but one candidate is known for 64³.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._colours import Colour
from ._oklab import CONES_TO_LAB, cones, oklab
from ._palette import VOID, Labels, void_of

Space = Literal["srgb", "oklab"]
_LISTED = 32
_SPARE = 2
_CHUNK = 1 << 12
_MOST_CANDIDATES = 1 << 21
"""Candidates that are compared at a time, which bounds the memory for large palettes."""


@dataclass(frozen=True)
class Cells:
    """The lookup table; cells are numbered by green, red and blue."""

    winner: Labels
    """For each of 64³ cells the only candidate, or `several`, at `green << 14 | red << 6 | blue`.

    The two unused bits let one multiplication compute this index from a colour's word; the memory pages in between are
    never touched.
    """
    start: npt.NDArray[np.uint32]
    """Offset of the list of each of 32³ cells, `green << 10 | red << 5 | blue`; it ends where the next begins."""
    candidates: npt.NDArray[Any]
    """The concatenated lists, each ascending: `index << 24 | blue << 16 | green << 8 | red`, 32 bits for up to 255
    colours and otherwise 64.

    Reading beyond the end of a list is harmless: it yields palette colours that are not nearer. Two more entries follow
    the last list.
    """

    @property
    def several(self) -> int:
        """The largest value of `winner`, which is no index: the cell has several candidates."""
        return void_of(self.winner)


@dataclass(frozen=True)
class _Lists:
    """Candidate lists of some cells, concatenated."""

    counts: npt.NDArray[np.int64]
    candidates: Labels

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.counts)

    def of(self, cells: npt.NDArray[np.int64]) -> _Lists:
        """The lists of these cells, with repetition."""
        counts = self.counts[cells]
        shift = (self.ends - self.counts)[cells] - (np.cumsum(counts) - counts)
        return _Lists(counts, self.candidates[np.repeat(shift, counts) + np.arange(counts.sum())])


@lru_cache(maxsize=32)
def cells_of(colours: tuple[Colour, ...], space: Space) -> Cells:
    """The lookup table of a palette; takes some hundredths of a second, and is cached."""
    palette = np.array(colours, dtype=np.uint8)
    few = len(palette) <= VOID
    geometry = _Geometry.of(palette, space)
    lists, side = _Lists(np.array([len(palette)]), np.arange(len(palette), dtype=np.uint8 if few else np.uint16)), 1
    while side < _LISTED:
        side *= 2
        every = np.arange(side**3)
        lists = geometry.halved(lists, every, side)
    start = np.zeros(side**3 + 1, dtype=np.uint32)
    start[1:] = lists.ends
    finest = np.arange((2 * side) ** 3)
    outer = _outer(finest, 2 * side)
    only = lists.candidates[start[:-1]][outer]
    several = finest[lists.counts[outer] > 1]
    if len(several):
        found = geometry.halved(lists, several, 2 * side)
        only[several] = np.where(found.counts == 1, found.candidates[found.ends - 1], void_of(only))
    winner = np.zeros((2 * side, 4, 2 * side, 2 * side), dtype=only.dtype)
    winner[:, 0] = only.reshape((2 * side,) * 3)
    places = np.array([1, 1 << 8, 1 << 16], dtype=np.uint64)
    words = np.arange(len(palette), dtype=np.uint64) << np.uint64(24) | palette @ places
    words = words.astype(np.uint32) if few else words
    cells = Cells(winner.ravel(), start, words[np.append(lists.candidates, [0] * _SPARE)])
    for array in (cells.winner, cells.start, cells.candidates):
        array.flags.writeable = False  # the cache hands out the same arrays
    return cells


def _outer(cells: npt.NDArray[np.int64], side: int) -> npt.NDArray[np.int64]:
    """The parent cells, at half the resolution."""
    green, red, blue = np.unravel_index(cells, (side,) * 3)
    return np.asarray(np.ravel_multi_index((green // 2, red // 2, blue // 2), (side // 2,) * 3))


@dataclass(frozen=True)
class _Geometry:
    """Palette colours in the space where distance is measured, and the axes along which cells are boxes.

    How much nearer a point is to one colour than to another changes linearly, so that its extremes over a box are
    known. A colour is a candidate in a cell if somewhere in the cell's box it is as near as the one that is nearest
    in the middle.
    """

    space: Space
    points: npt.NDArray[np.float64]
    axes: npt.NDArray[np.float64]
    """Axes along which cells are boxes, as columns."""
    slack: float
    """Tolerance above rounding errors; 0 in sRGB, where all numbers are exact."""

    @classmethod
    def of(cls, palette: npt.NDArray[np.uint8], space: Space) -> _Geometry:
        srgb = space == "srgb"
        points, axes = (palette.astype(np.float64), np.eye(3)) if srgb else (oklab(palette), CONES_TO_LAB)
        return cls(space, points, axes, 0.0 if srgb else 1e-9)

    def halved(self, lists: _Lists, cells: npt.NDArray[np.int64], side: int) -> _Lists:
        """Candidate lists of cells from those of their parents, in chunks to bound the memory."""
        size = min(_CHUNK, max(1, _MOST_CANDIDATES // int(lists.counts.max())))
        parts = [cells[begin : begin + size] for begin in range(0, len(cells), size)]
        made = [self._possible(lists.of(_outer(part, side)), part, side) for part in parts]
        return _Lists(
            np.concatenate([part.counts for part in made]), np.concatenate([part.candidates for part in made])
        )

    def _possible(self, lists: _Lists, cells: npt.NDArray[np.int64], side: int) -> _Lists:
        """Keep the candidates that can be nearest somewhere in their cell."""
        centre, reach = self._boxes(cells, side)
        owner, first = np.repeat(np.arange(len(cells)), lists.counts), lists.ends - lists.counts
        apart = _sum3((centre[owner] - self.points[lists.candidates]) ** 2)
        least = np.minimum.reduceat(apart, first)[owner]
        nearest = np.flatnonzero(apart == least)
        best = lists.candidates[nearest[np.searchsorted(owner[nearest], np.arange(len(cells)))]]
        # Slope of the difference of both distances along each axis.
        slopes = 2 * np.abs((self.points[best[owner]] - self.points[lists.candidates]) @ self.axes)
        change = _sum3(slopes * reach[owner])
        kept = apart - least <= change + self.slack
        return _Lists(np.add.reduceat(kept.astype(np.int64), first), lists.candidates[kept])

    def _boxes(
        self, cells: npt.NDArray[np.int64], side: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Bounding boxes of cells: centres, and half extents along each axis.

        In OKLab the axes are the cones, which grow with red, green and blue: two corners of a cell bound them.
        """
        size = 256 // side
        green, red, blue = np.unravel_index(cells, (side,) * 3)
        corner = np.stack([red, green, blue], axis=-1) * size
        if self.space == "srgb":
            return corner.astype(np.float64) + (size - 1) / 2, np.full(corner.shape, (size - 1) / 2, dtype=np.float64)
        low, high = (cones(levels.astype(np.uint8)) for levels in (corner, corner + size - 1))
        return (low + high) / 2 @ CONES_TO_LAB.T, (high - low) / 2


def _sum3(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return np.asarray(values[:, 0] + values[:, 1] + values[:, 2])
