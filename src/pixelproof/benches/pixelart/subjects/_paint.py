"""Helpers that paint exact drawings cell by cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import SWATCHES, Grid, Mask, Rng, rgb_of
from pixelproof.pixels import oklab

_ALL = tuple(colour for group in SWATCHES.values() for colour in group)
_CONTRAST = 0.35  # in OKLab, between figure and ground
DIRECTIONS = ("right", "up", "left", "down")
"""Directions, each a quarter turn to the left of the one before."""


def contrasting(rng: Rng, count: int = 2) -> list[str]:
    """Random colours with sufficient contrast to each other: background, ink, and more."""
    lab = oklab(rgb_of(_ALL))
    while True:
        chosen = [int(rng.integers(len(_ALL))) for _ in range(count)]
        distances = np.linalg.norm(lab[chosen][:, None] - lab[chosen][None], axis=2)
        if distances[np.triu_indices(count, 1)].min() >= (_CONTRAST if count == 2 else 0.15):
            return [_ALL[index] for index in chosen]


def bands(size: int, count: int) -> npt.NDArray[np.int64]:
    """Part of each of `size` cells, when they are divided into `count` nearly equal parts.

    >>> bands(7, 3).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    return np.arange(size) * count // size


def place(rng: Rng, size: int, figure: Grid | Mask) -> Grid:
    """A figure (0 is background) at a random position on the grid."""
    height, width = figure.shape
    grid = np.zeros((size, size), dtype=np.int64)
    top, left = int(rng.integers(size - height + 1)), int(rng.integers(size - width + 1))
    grid[top : top + height, left : left + width] = figure
    return grid


def enlarged(figure: npt.ArrayLike, unit: int) -> Grid:
    """Enlarge every cell to unit × unit cells."""
    return np.asarray(figure, dtype=np.int64).repeat(unit, axis=0).repeat(unit, axis=1)


def stretched(figure: npt.ArrayLike, heights: list[int], widths: list[int]) -> Grid:
    """Expand a layout to the given row heights and column widths."""
    return np.asarray(figure, dtype=np.int64).repeat(heights, axis=0).repeat(widths, axis=1)


def whole(rng: Rng, low: int, high: int) -> int:
    """A random integer from low to high, inclusive."""
    return int(rng.integers(low, high + 1))


def round_mask(diameter: int) -> Mask:
    """A disc on a square of cells."""
    offsets = np.arange(diameter) - (diameter - 1) / 2
    return np.asarray(offsets[:, None] ** 2 + offsets[None] ** 2 <= (diameter / 2) ** 2 - 0.2 * (diameter > 3))


def turned(mask: Mask, direction: str) -> Mask:
    """Rotate a figure that points to the right to another direction."""
    return np.rot90(mask, DIRECTIONS.index(direction))
