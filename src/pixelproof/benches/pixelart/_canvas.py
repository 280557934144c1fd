"""A small canvas for drawings that are planned on 24 × 24 units and wanted on any grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

UNITS = 24
_SAMPLES = 4  # points per unit cell and side; the majority colour of a cell's points is the cell's

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Drawing:
    """A palette of six-digit hexadecimal colours and the grid of their indices."""

    palette: tuple[str, ...]
    grid: tuple[tuple[int, ...], ...]


class Canvas:
    """Shapes are masks in units of 24 to the side, painted one over the other in flat colours."""

    def __init__(self, size: int, ground: str) -> None:
        points = (np.arange(size * _SAMPLES) + 0.5) * UNITS / (size * _SAMPLES)
        self.size = size
        self.x, self.y = np.meshgrid(points, points)
        self._palette = [ground]
        self._paint = np.zeros(self.x.shape, dtype=np.int64)

    def paint(self, mask: Mask, colour: str) -> None:
        """Paint a shape over what is there."""
        if colour not in self._palette:
            self._palette.append(colour)
        self._paint[mask] = self._palette.index(colour)

    def box(self, left: float, top: float, right: float, bottom: float) -> Mask:
        """A rectangle."""
        return (self.x >= left) & (self.x < right) & (self.y >= top) & (self.y < bottom)

    def disc(self, x: float, y: float, rx: float, ry: float | None = None, tilt: float = 0.0) -> Mask:
        """An ellipse, turned by `tilt` degrees; a circle where only one radius is given."""
        angle = np.deg2rad(tilt)
        along = (self.x - x) * np.cos(angle) + (self.y - y) * np.sin(angle)
        across = (self.y - y) * np.cos(angle) - (self.x - x) * np.sin(angle)
        return np.asarray((along / rx) ** 2 + (across / (ry or rx)) ** 2 <= 1.0)

    def triangle(self, *corners: tuple[float, float]) -> Mask:
        """The points on the same side of all three edges."""
        sides = []
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            sides.append((bx - ax) * (self.y - ay) - (by - ay) * (self.x - ax))
        return np.asarray(np.all(np.stack(sides) >= 0, axis=0) | np.all(np.stack(sides) <= 0, axis=0))

    def drawing(self) -> Drawing:
        """The majority colour of every cell."""
        blocks = self._paint.reshape(self.size, _SAMPLES, self.size, _SAMPLES)
        votes = [(blocks == index).sum(axis=(1, 3)) for index in range(len(self._palette))]
        return compact(self._palette, np.argmax(np.stack(votes), axis=0))


def compact(palette: Sequence[str], grid: npt.NDArray[np.int64]) -> Drawing:
    """A drawing whose palette holds the colours in use, in their old order."""
    used, indices = np.unique(grid, return_inverse=True)
    rows = indices.reshape(grid.shape)
    return Drawing(tuple(palette[index] for index in used), tuple(tuple(map(int, row)) for row in rows))


def reduce_colours(drawing: Drawing, colours: int) -> Drawing:
    """Merge the two nearest colours, the rarer into the more frequent, until `colours` are left.

    Near means that the eye misses little: a small step in OKLab, and few cells to repaint.

    >>> reduce_colours(Drawing(("000000", "050505", "ffffff"), ((0, 0, 1), (2, 2, 2))), 2)
    Drawing(palette=('000000', 'ffffff'), grid=((0, 0, 0), (1, 1, 1)))
    """
    grid = np.array(drawing.grid)
    lab = _oklab(drawing.palette)
    while len(left := np.unique(grid)) > colours:
        cells = {index: np.count_nonzero(grid == index) for index in left}
        pairs = [(rare, other) for rare in left for other in left if (cells[rare], rare) < (cells[other], other)]
        gone, kept = min(pairs, key=lambda pair: cells[pair[0]] ** 0.5 * np.sum((lab[pair[0]] - lab[pair[1]]) ** 2))
        grid[grid == gone] = kept
    return compact(drawing.palette, grid)


def _oklab(palette: Sequence[str]) -> npt.NDArray[np.float64]:
    """Colours in Ottosson's OKLab, where distance is close to what the eye sees."""
    srgb = np.array([tuple(bytes.fromhex(colour)) for colour in palette]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    cones = np.cbrt(linear @ _RGB_TO_CONES.T)
    return np.asarray(cones @ _CONES_TO_LAB.T)


_RGB_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_CONES_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
