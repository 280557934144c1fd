"""A canvas for drawings designed on 24 × 24 units and rendered on any grid, in any pose, by a hand that varies them."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, reduce_colours, rgb_of
from pixelproof.pixels import oklab

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


T = TypeVar("T")

_GROUNDS = (
    "ffffff", "000000", "a9defc", "101432", "f6ecd0", "7cc453", "c9ccd6", "ffd3e0", "2f5d3f", "5c4a8f", "1f3a6e",
    "e8b04a", "3a3a42", "4aa8d8", "d9f2d0", "8c5a3c",
)  # fmt: skip
_CONTRAST = 0.2  # in OKLab, between a figure's rim and what lies behind it


class Hand:
    """Random choices for a drawing. Without a generator: the middle, the first, the plain option."""

    def __init__(self, rng: Rng | None = None) -> None:
        self.rng = rng

    def between(self, low: float, high: float) -> float:
        """A number from an interval."""
        return (low + high) / 2 if self.rng is None else low + (high - low) * float(self.rng.random())

    def pick(self, *options: T) -> T:
        """One of several."""
        return options[0 if self.rng is None else int(self.rng.integers(len(options)))]

    def maybe(self, chance: float = 0.5) -> bool:
        """Whether to add a detail."""
        return self.rng is None or float(self.rng.random()) < chance

    def tint(self, *colours: str) -> str:
        """One of several colours, slightly perturbed."""
        colour = self.pick(*colours)
        if self.rng is None:
            return colour
        hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in bytes.fromhex(colour)))
        hue += self.between(-0.02, 0.02)
        saturation *= self.between(0.8, 1.15)
        value *= self.between(0.88, 1.08)
        varied = colorsys.hsv_to_rgb(hue % 1.0, min(1.0, saturation), min(1.0, value))
        return bytes(round(255 * part) for part in varied).hex()

    def shade(self, colour: str, factor: float = 0.75) -> str:
        """A darker tone of a colour (a lighter one, for factors above 1)."""
        parts = (round(part * factor if factor < 1 else 255 - (255 - part) / factor) for part in bytes.fromhex(colour))
        return bytes(parts).hex()

    def pose(self, size: int, scene: bool) -> Pose:
        """A random position, scale and mirroring; scenes stay about in place, figures stay legible."""
        if self.rng is None:
            return Pose()
        if scene:
            scale = self.between(0.8, 1.1)
            right, down = self.between(-2, 2), self.between(-1, 1)
            return Pose(scale * self.between(0.95, 1.05), scale, right, down, flip=self.maybe())
        scale = self.between(float(np.clip(17 / size, 0.6, 0.95)), 1.0)
        width, height = scale * self.between(0.9, 1.0), scale * self.between(0.9, 1.0)
        room = UNITS / 2 + 0.5
        right, down = (self.between(-1, 1) * room * (1 - length) for length in (width, height))
        tilt = self.between(-9, 9) if self.maybe(0.2) else 0.0
        return Pose(width, height, right, down, tilt, self.maybe())


def draw(
    plan: Callable[[Canvas, Hand], None], rng: Rng | None, size: int, colours: int, scene: str | None = None
) -> Drawing:
    """Draw a plan: randomly varied and posed, or, without a generator, exactly as planned.

    Args:
        plan: Paints the figure on a canvas.
        rng: Where chance comes from; None for a steady hand.
        size: Cells to the side.
        colours: The most that the palette may hold.
        scene: The ground, where it is part of the plan; without one, the plan is a figure to be put before a backdrop.
    """
    hand = Hand(rng)
    art = Canvas(size, scene and hand.tint(scene), hand.pose(size, scene is not None))
    plan(art, hand)
    palette, grid = art.painted()
    if scene is None:
        palette, grid = _outlined(hand, palette, grid)
        palette, grid = _before_backdrop(hand, palette, grid)
    return reduce_colours(compact(palette, grid), 3 if colours > 3 and rng is not None and hand.maybe(0.1) else colours)


def _outlined(hand: Hand, palette: list[str], grid: Grid) -> tuple[list[str], Grid]:
    if hand.rng is None or not hand.maybe(0.25):
        return palette, grid
    rim = ndimage.binary_dilation(grid > 0) & (grid == 0)
    return [*palette, hand.pick("000000", "1c1c28", "3b2314")], np.where(rim, len(palette), grid)


def _before_backdrop(hand: Hand, palette: list[str], grid: Grid) -> tuple[list[str], Grid]:
    free = grid == 0
    touching = np.unique(grid[ndimage.binary_dilation(free) & ~free])
    rim = oklab(rgb_of([palette[index] for index in touching]))
    distances = [np.linalg.norm(rim - shade, axis=1).min(initial=1.0) for shade in oklab(rgb_of(_GROUNDS))]
    fitting = [colour for colour, distance in zip(_GROUNDS, distances, strict=True) if distance >= _CONTRAST]
    ground = hand.tint(*(fitting or [_GROUNDS[int(np.argmax(distances))]]))
    second = hand.tint(*fitting) if fitting and hand.maybe(0.5) else hand.shade(ground, hand.pick(0.85, 1.3))
    behind = free & _pattern(hand, grid.shape[0])
    return [ground, *palette[1:], second], np.where(behind, len(palette), grid)


def _pattern(hand: Hand, size: int) -> Mask:
    """Mask of a backdrop's second colour: none, a floor, stars, or the lower half of a sky."""
    style = hand.pick("plain", "plain", "plain", "floor", "stars", "dusk") if hand.rng is not None else "plain"
    rows = np.arange(size)[:, None] * np.ones((1, size))
    if style == "floor":
        return np.asarray(rows >= size * hand.between(0.72, 0.92))
    if style == "dusk":
        return np.asarray(rows >= size * hand.between(0.3, 0.6))
    if style == "stars" and hand.rng is not None:
        return hand.rng.random((size, size)) < hand.between(0.01, 0.04)
    return np.zeros((size, size), dtype=np.bool_)
