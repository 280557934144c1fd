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

Space = Literal["srgb", "oklab"]
SEVERAL = 255
"""In `Cells.winner`: the cell has several candidates. Palettes have at most 255 colours, so no index is lost."""
_LISTED = 32
_SPARE = 2
_CHUNK = 1 << 12


@dataclass(frozen=True)
class Cells:
    """The lookup table; cells are numbered by green, red and blue."""

    winner: npt.NDArray[np.uint8]
    """For each of 64³ cells the only candidate, or SEVERAL, at `green << 14 | red << 6 | blue`.

    The two unused bits let one multiplication compute this index from a colour's word; the memory pages in between are
    never touched.
    """
    start: npt.NDArray[np.uint32]
    """Offset of the list of each of 32³ cells, `green << 10 | red << 5 | blue`; it ends where the next begins."""
    candidates: npt.NDArray[np.uint32]
    """The concatenated lists, each ascending: `index << 24 | blue << 16 | green << 8 | red`.

    Reading beyond the end of a list is harmless: it yields palette colours that are not nearer. Two more entries follow
    the last list.
    """


@dataclass(frozen=True)
class _Lists:
    """Candidate lists of some cells, concatenated."""

    counts: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.uint8]

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
    geometry = _Geometry.of(palette, space)
    lists, side = _Lists(np.array([len(palette)]), np.arange(len(palette), dtype=np.uint8)), 1
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
        only[several] = np.where(found.counts == 1, found.candidates[found.ends - 1], SEVERAL)
    winner = np.zeros((2 * side, 4, 2 * side, 2 * side), dtype=np.uint8)
    winner[:, 0] = only.reshape((2 * side,) * 3)
    words = np.arange(len(palette), dtype=np.uint32) << 24 | palette @ np.array([1, 1 << 8, 1 << 16], dtype=np.uint32)
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
    slopes: npt.NDArray[np.float64]
    """Slope of the distance difference of each pair of colours along each axis, shape (colours, colours, axes)."""
    slack: float
    """Tolerance above rounding errors; 0 in sRGB, where all numbers are exact."""

    @classmethod
    def of(cls, palette: npt.NDArray[np.uint8], space: Space) -> _Geometry:
        srgb = space == "srgb"
        points, axes = (palette.astype(np.float64), np.eye(3)) if srgb else (oklab(palette), CONES_TO_LAB)
        return cls(space, points, 2 * np.abs((points[:, None] - points) @ axes), 0.0 if srgb else 1e-9)

    def halved(self, lists: _Lists, cells: npt.NDArray[np.int64], side: int) -> _Lists:
        """Candidate lists of cells from those of their parents, in chunks to bound the memory."""
        parts = [cells[begin : begin + _CHUNK] for begin in range(0, len(cells), _CHUNK)]
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
        change = _sum3(self.slopes[best[owner], lists.candidates] * reach[owner])
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
