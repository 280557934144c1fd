"""Which palette colours can be the nearest one, for each small cube of colours.

The cube of all colours is cut into 32³ cells of 8³ colours. Most cells lie wholly nearest to one palette colour; the
others keep a short list of candidates. Bounds are conservative, so a decoder that compares the candidates is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ._colours import Colour
from ._oklab import CONES_TO_LAB, cones, oklab

Space = Literal["srgb", "oklab"]
SIDE = 32
SEVERAL = 255
"""In a table of winners: the cell has several candidates. Palettes have at most 255 colours, so no index is lost."""


@dataclass(frozen=True)
class Cells:
    """For each of 32³ cells, numbered by red, green and blue: its one candidate, or where its list lies."""

    winner: npt.NDArray[np.uint8]
    """The only candidate, or SEVERAL."""
    start: npt.NDArray[np.int32]
    """Where the list of a cell begins in `candidates`; it ends where the next one begins."""
    candidates: npt.NDArray[np.uint8]
    """The lists one after another, each in ascending order, so that the first of equals is the lowest index."""


@lru_cache(maxsize=64)
def cells_of(colours: tuple[Colour, ...], space: Space) -> Cells:
    """The table of a palette, made in milliseconds and kept for the next picture.

    How much nearer a point is to one colour than to another changes linearly, so that its extremes over a box are
    known. A colour is a candidate in a cell if somewhere in the cell's box it is as near as the one that is nearest
    in the middle.
    """
    palette = np.array(colours, dtype=np.uint8)
    points, axes = (palette.astype(np.float64), np.eye(3)) if space == "srgb" else (oklab(palette), CONES_TO_LAB)
    slopes = 2 * np.abs((points[:, None] - points) @ axes).transpose(2, 0, 1).copy()
    counts, candidates = [], []
    for red in range(SIDE):
        corner = np.stack(np.broadcast_arrays(red, *np.mgrid[:SIDE, :SIDE]), axis=-1).reshape(-1, 3) * 8
        centre, reach = _boxes(corner, space)
        apart = np.add.reduce([(centre[:, axis, None] - points[:, axis]) ** 2 for axis in range(3)])
        best = apart.argmin(axis=1)
        change = np.add.reduce([slopes[axis][best] * reach[:, axis, None] for axis in range(3)])
        possible = apart - apart.min(axis=1, keepdims=True) <= change + _SLACK[space]
        counts.append(possible.sum(axis=1))
        candidates.append(np.nonzero(possible)[1].astype(np.uint8))
    return _packed(np.concatenate(counts), np.concatenate(candidates))


_SLACK: dict[Space, float] = {"srgb": 0.0, "oklab": 1e-9}  # in sRGB all numbers are quarters, without rounding


def _boxes(corner: npt.NDArray[np.int64], space: Space) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Boxes around the colours of cells: their middles, and half their lengths along each axis.

    In OKLab the axes are the cones, which grow with red, green and blue: two corners of a cell bound them.
    """
    if space == "srgb":
        return corner.astype(np.float64) + 3.5, np.full(corner.shape, 3.5, dtype=np.float64)
    low, high = cones(corner), cones(corner + 7)
    return (low + high) / 2 @ CONES_TO_LAB.T, (high - low) / 2


def _packed(counts: npt.NDArray[np.int64], candidates: npt.NDArray[np.uint8]) -> Cells:
    start = np.zeros(SIDE**3 + 1, dtype=np.int32)
    np.cumsum(counts, out=start[1:])
    winner = np.where(counts == 1, candidates[start[:-1]], SEVERAL).astype(np.uint8)
    for array in (winner, start, candidates):
        array.flags.writeable = False  # shared by all who ask for this palette
    return Cells(winner, start, candidates)
