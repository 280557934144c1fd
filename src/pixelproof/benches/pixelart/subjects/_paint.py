"""Small tools with which exact drawings are made, cell by cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Grid, Mask, Rng, rgb_of
from pixelproof.benches.pixelart.subjects._names import SWATCHES
from pixelproof.pixels import oklab

_ALL = tuple(colour for group in SWATCHES.values() for colour in group)
_CONTRAST = 0.35  # in OKLab, between figure and ground
DIRECTIONS = ("right", "up", "left", "down")
"""Each a quarter turn to the left of the one before."""


def contrasting(rng: Rng, count: int = 2) -> list[str]:
    """Different colours that stand out from each other: ground and ink, or more."""
    lab = oklab(rgb_of(_ALL))
    while True:
        chosen = [int(rng.integers(len(_ALL))) for _ in range(count)]
        distances = np.linalg.norm(lab[chosen][:, None] - lab[chosen][None], axis=2)
        if distances[np.triu_indices(count, 1)].min() >= (_CONTRAST if count == 2 else 0.15):
            return [_ALL[index] for index in chosen]


def bands(size: int, count: int) -> npt.NDArray[np.int64]:
    """Which of `count` parts, as equal as can be, each of `size` cells belongs to.

    >>> bands(7, 3).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    return np.arange(size) * count // size


def place(rng: Rng, size: int, figure: Grid | Mask) -> Grid:
    """A figure (0 is ground) somewhere on the grid."""
    height, width = figure.shape
    grid = np.zeros((size, size), dtype=np.int64)
    top, left = int(rng.integers(size - height + 1)), int(rng.integers(size - width + 1))
    grid[top : top + height, left : left + width] = figure
    return grid


def enlarged(figure: npt.ArrayLike, unit: int) -> Grid:
    """Every cell as unit × unit cells."""
    return np.asarray(figure, dtype=np.int64).repeat(unit, axis=0).repeat(unit, axis=1)


def stretched(figure: npt.ArrayLike, heights: list[int], widths: list[int]) -> Grid:
    """A layout with its sizes given back."""
    return np.asarray(figure, dtype=np.int64).repeat(heights, axis=0).repeat(widths, axis=1)


def whole(rng: Rng, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(rng.integers(low, high + 1))


def round_mask(diameter: int) -> Mask:
    """A disc on a square of cells."""
    offsets = np.arange(diameter) - (diameter - 1) / 2
    return np.asarray(offsets[:, None] ** 2 + offsets[None] ** 2 <= (diameter / 2) ** 2 - 0.2 * (diameter > 3))


def turned(mask: Mask, direction: str) -> Mask:
    """What points to the right, turned to point elsewhere."""
    return np.rot90(mask, DIRECTIONS.index(direction))
