"""A canvas for drawings designed on 24 × 24 units and rendered on any grid, in any pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, compact

UNITS = 24
_SAMPLES = 4  # points per cell and side; the majority colour of a cell's points is the cell's

Point = tuple[float, float]


@dataclass(frozen=True)
class Pose:
    """Transformation from plan to grid: scale about the centre, rotation, mirroring, translation."""

    width: float = 1.0
    height: float = 1.0
    right: float = 0.0
    down: float = 0.0
    tilt: float = 0.0
    flip: bool = False


class Canvas:
    """Shapes are masks in units, 24 per side, painted over one another in flat colours.

    The ground, index 0, is whatever is not painted; its colour may be left open.
    """

    def __init__(self, size: int, ground: str | None = None, pose: Pose | None = None) -> None:
        pose = pose or Pose()
        points = (np.arange(size * _SAMPLES) + 0.5) * UNITS / (size * _SAMPLES)
        x, y = np.meshgrid(points, points)
        self.size = size
        self.cell = UNITS / size / min(pose.width, pose.height)
        """Size of a cell in units."""
        self.ground = ground
        self._palette = ["ground"]
        self._paint = np.zeros(x.shape, dtype=np.int64)
        self.x, self.y = _unposed(x, y, pose) if pose != Pose() else (x, y)

    def paint(self, mask: Mask, colour: str) -> None:
        """Paint a shape."""
        if colour not in self._palette and colour != self.ground:
            self._palette.append(colour)
        self._paint[mask] = 0 if colour == self.ground else self._palette.index(colour)

    def erase(self, mask: Mask) -> None:
        """Erase a shape to the background."""
        self._paint[mask] = 0

    def box(self, left: float, top: float, right: float, bottom: float) -> Mask:
        """A rectangle."""
        return (self.x >= left) & (self.x < right) & (self.y >= top) & (self.y < bottom)

    def disc(self, x: float, y: float, rx: float, ry: float | None = None, tilt: float = 0.0) -> Mask:
        """An ellipse, rotated by `tilt` degrees; a circle if only one radius is given."""
        angle = np.deg2rad(tilt)
        along = (self.x - x) * np.cos(angle) + (self.y - y) * np.sin(angle)
        across = (self.y - y) * np.cos(angle) - (self.x - x) * np.sin(angle)
        return np.asarray((along / rx) ** 2 + (across / (ry or rx)) ** 2 <= 1.0)

    def triangle(self, *corners: Point) -> Mask:
        """A triangle: the points on the same side of all three edges."""
        sides = []
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            sides.append((bx - ax) * (self.y - ay) - (by - ay) * (self.x - ax))
        return np.asarray(np.all(np.stack(sides) >= 0, axis=0) | np.all(np.stack(sides) <= 0, axis=0))

    def polygon(self, *corners: Point) -> Mask:
        """A polygon, by the even-odd rule."""
        inside = np.zeros(self.x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            if ay != by:
                crossed = (self.y >= min(ay, by)) & (self.y < max(ay, by))
                inside ^= crossed & (self.x < ax + (self.y - ay) * (bx - ax) / (by - ay))
        return inside

    def line(self, *points: Point, width: float = 1.0) -> Mask:
        """A polyline with round ends, at least one cell wide."""
        radius = max(width, 1.1 * self.cell) / 2
        mask = np.zeros(self.x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(points, points[1:], strict=False):
            dx, dy = bx - ax, by - ay
            along = np.clip(((self.x - ax) * dx + (self.y - ay) * dy) / (dx * dx + dy * dy or 1.0), 0.0, 1.0)
            mask |= (self.x - ax - along * dx) ** 2 + (self.y - ay - along * dy) ** 2 <= radius**2
        return mask

    def dot(self, x: float, y: float, radius: float = 0.5) -> Mask:
        """A dot that covers at least one cell."""
        mask = self.disc(x, y, radius)
        row, column = np.unravel_index(np.argmin((self.x - x) ** 2 + (self.y - y) ** 2), self.x.shape)
        top, left = int(row) // _SAMPLES * _SAMPLES, int(column) // _SAMPLES * _SAMPLES
        mask[top : top + _SAMPLES, left : left + _SAMPLES] = True
        return mask

    def painted(self) -> tuple[list[str], Grid]:
        """The palette, background first, and the majority colour of every cell."""
        blocks = self._paint.reshape(self.size, _SAMPLES, self.size, _SAMPLES)
        votes = [(blocks == index).sum(axis=(1, 3)) for index in range(len(self._palette))]
        return [self.ground or "ffffff", *self._palette[1:]], np.argmax(np.stack(votes), axis=0)

    def drawing(self) -> Drawing:
        """The finished drawing."""
        return compact(*self.painted())


def _unposed(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], pose: Pose) -> tuple[npt.NDArray[np.float64], ...]:
    """Plan coordinates of the points of a posed image."""
    middle, angle = UNITS / 2, np.deg2rad(pose.tilt)
    x, y = x - middle - pose.right, y - middle - pose.down
    x, y = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    return (-x if pose.flip else x) / pose.width + middle, y / pose.height + middle
