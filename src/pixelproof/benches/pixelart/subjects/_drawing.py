"""Drawings: a palette and a grid of its indices; colour names as ranges of lightness, chroma and hue in OKLab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
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


@dataclass(frozen=True)
class _Range:
    """Ranges of lightness, chroma and hue (degrees, counted upwards, modulo 360)."""

    light: tuple[float, float]
    chroma: tuple[float, float]
    hue: tuple[float, float] = (0.0, 360.0)

    def holds(self, lightness: float, chroma: float, hue: float) -> bool:
        """Whether a colour lies within the ranges."""
        around = (hue - self.hue[0]) % 360 <= (self.hue[1] - self.hue[0])
        in_light = self.light[0] <= lightness <= self.light[1]
        return bool(around and in_light and self.chroma[0] <= chroma <= self.chroma[1])


# Neighbouring ranges overlap on purpose: tomato may pass for red and for orange, as it does among people.
_RANGES: dict[str, tuple[_Range, ...]] = {
    "black": (_Range((0.0, 0.36), (0.0, 0.06)),),
    "white": (_Range((0.92, 1.0), (0.0, 0.045)),),
    "grey": (_Range((0.3, 0.9), (0.0, 0.04)),),
    "red": (_Range((0.34, 0.72), (0.12, 0.4), (5, 43)),),
    "orange": (_Range((0.6, 0.86), (0.1, 0.4), (38, 82)),),
    "yellow": (_Range((0.74, 1.0), (0.1, 0.4), (80, 116)),),
    "green": (_Range((0.3, 0.95), (0.06, 0.4), (116, 178)),),
    "blue": (_Range((0.2, 0.85), (0.07, 0.4), (212, 294)),),
    "purple": (_Range((0.22, 0.8), (0.08, 0.4), (286, 338)),),
    "pink": (_Range((0.66, 0.96), (0.04, 0.4), (325, 385)), _Range((0.55, 0.96), (0.15, 0.4), (340, 367))),
}
SWATCHES = {
    "black": ("000000", "0d0d12", "161616"),
    "white": ("ffffff", "fafafa", "f4f4f0"),
    "grey": ("808080", "9a9a9e", "6e7074"),
    "red": ("e02020", "d8261c", "c41e3a", "ff0000"),
    "orange": ("ff8c1a", "f68b1f", "ffa500"),
    "yellow": ("ffde3b", "ffe600", "f7d914"),
    "green": ("1f9d3a", "2fae49", "008000", "4cc552"),
    "blue": ("1f4fd8", "2f6fd6", "0000ff", "2b3fae"),
    "purple": ("7b3fa8", "800080", "8a2be2"),
    "pink": ("ff9ec4", "ffb6c1", "ff8fb8"),
}
"""Unambiguous examples of each colour name."""
NAMES = tuple(_RANGES)
VIVID = ("red", "yellow", "green", "blue", "purple", "orange")


def is_called(rgb: npt.ArrayLike, name: str) -> bool:
    """Whether a colour has a name.

    >>> is_called((200, 30, 40), "red"), is_called((200, 30, 40), "blue"), is_called((20, 20, 24), "black")
    (True, False, True)
    """
    return _is_called(tuple(np.asarray(rgb).tolist()), name)


@lru_cache(maxsize=65536)
def _is_called(rgb: tuple[float, ...], name: str) -> bool:
    lightness, a, b = (float(part) for part in oklab(rgb))
    chroma, hue = float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)))
    return any(part.holds(lightness, chroma, hue) for part in _RANGES[name])


def swatch(rng: Rng, name: str) -> str:
    """A random example of a colour name."""
    return pick(rng, SWATCHES[name])
