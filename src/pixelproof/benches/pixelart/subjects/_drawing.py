"""Drawings: a palette and a grid of its indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import oklab

Grid = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rng = np.random.Generator
T = TypeVar("T")


@dataclass(frozen=True)
class Drawing:
    """A palette of six-digit hexadecimal colours and a grid of indices."""

    palette: tuple[str, ...]
    grid: tuple[tuple[int, ...], ...]

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The rendered image, one RGB pixel per cell.

        >>> Drawing(("000000", "ff8000"), ((0, 1),)).pixels().tolist()
        [[[0, 0, 0], [255, 128, 0]]]
        """
        return np.asarray(rgb_of(self.palette)[np.array(self.grid)])


def rgb_of(palette: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Hexadecimal colours as an array of shape (k, 3)."""
    return np.array([tuple(bytes.fromhex(colour)) for colour in palette], dtype=np.uint8).reshape(-1, 3)


def compact(palette: Sequence[str], grid: Grid) -> Drawing:
    """The drawing with a palette of only the used colours, each once, in their order.

    >>> compact(("ffffff", "000000", "ffffff"), np.array([[2, 0, 1]]))
    Drawing(palette=('ffffff', '000000'), grid=((0, 0, 1),))
    """
    first = np.array([palette.index(colour) for colour in palette])
    used, indices = np.unique(first[grid], return_inverse=True)
    rows = indices.reshape(grid.shape)
    return Drawing(tuple(palette[index] for index in used), tuple(tuple(row.tolist()) for row in rows))


EXAMPLE = Drawing(
    ("87ceeb", "228b22", "8b4513", "ff4500"),  # sky blue, green, brown, orange-red
    ((0, 0, 0, 3), (0, 1, 1, 0), (0, 2, 2, 0), (1, 1, 1, 1)),
)
"""The example of the format in prompts."""


def reduce_colours(drawing: Drawing, colours: int) -> Drawing:
    """Merge the two closest colours, the rarer into the more frequent, until `colours` are left.

    Near means that the eye misses little: a small step in OKLab, and few cells to repaint.

    >>> reduce_colours(Drawing(("000000", "050505", "ffffff"), ((0, 0, 1), (2, 2, 2))), 2)
    Drawing(palette=('000000', 'ffffff'), grid=((0, 0, 0), (1, 1, 1)))
    """
    grid = np.array(drawing.grid)
    lab = oklab(rgb_of(drawing.palette))
    while len(left := np.unique(grid)) > colours:
        cells = {index: np.count_nonzero(grid == index) for index in left}
        pairs = [(rare, other) for rare in left for other in left if (cells[rare], rare) < (cells[other], other)]
        gone, kept = min(pairs, key=lambda pair: cells[pair[0]] ** 0.5 * np.sum((lab[pair[0]] - lab[pair[1]]) ** 2))
        grid[grid == gone] = kept
    return compact(drawing.palette, grid)


def pick(rng: Rng, options: Sequence[T]) -> T:
    """A random element, by one integer draw."""
    return options[int(rng.integers(len(options)))]


def several(rng: Rng, options: Sequence[T], count: int) -> list[T]:
    """A random sample without replacement, by integer draws only: equal under every version of numpy.

    >>> sorted(several(np.random.default_rng(0), "abc", 3))
    ['a', 'b', 'c']
    """
    left = list(options)
    return [left.pop(int(rng.integers(len(left)))) for _ in range(count)]
