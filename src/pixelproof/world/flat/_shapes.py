"""Shapes of the flat world, defined by their outlines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Points = Sequence[tuple[float, float]]

_FINE = 96
"""Vertices of a full circle: the error at a diameter of 200 pixels is at most 0.06 pixels."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Outlines with even-odd filling; the smallest circle around the centroid has diameter 1; y points down."""

    outlines: tuple[Floats, ...]

    @cached_property
    def area(self) -> float:
        """Area at size 1; times size², the area of a sprite in pixels."""
        return abs(sum(_signed_area(outline) for outline in self.outlines))

    def outline_at(self, x: float, y: float, size: float, angle: float) -> tuple[Floats, ...]:
        """Its outlines for a centre, a size in pixels and a clockwise rotation in degrees."""
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        turn = np.array([[cos, sin], [-sin, cos]]) * size
        return tuple(outline @ turn + (x, y) for outline in self.outlines)


def _signed_area(outline: Floats) -> float:
    after = np.roll(outline, -1, axis=0)
    return float((outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]).sum() / 2)


def _centroid(outlines: Sequence[Floats]) -> Floats:
    moment, area = np.zeros(2), 0.0
    for outline in outlines:
        after = np.roll(outline, -1, axis=0)
        cross = outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]
        moment += ((outline + after) * cross[:, None]).sum(axis=0) / 6
        area += cross.sum() / 2
    return moment / area


def _shape(*outlines: Points | Floats) -> Shape:
    """Make a shape from outlines at any position and scale; holes have the opposite orientation."""
    arrays = [np.array(outline, dtype=np.float64) for outline in outlines]
    centre = _centroid(arrays)
    radius = max(float(np.hypot(*(outline - centre).T).max()) for outline in arrays)
    return Shape(tuple((outline - centre) / (2 * radius) for outline in arrays))


def _arc(radius: float, start: float, stop: float, x: float = 0.0, y: float = 0.0) -> Floats:
    """Points on a circle from one angle to another, in degrees."""
    angles = np.radians(np.linspace(start, stop, max(2, round(_FINE * abs(stop - start) / 360) + 1)))
    return np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)])


def _regular(corners: int) -> Shape:
    return _shape(np.array([_arc(1.0, turn, turn)[0] for turn in -90.0 + 360.0 * np.arange(corners) / corners]))


def _circle() -> Shape:
    return _shape(_arc(1.0, 0, 360)[:-1])


def _star() -> Shape:
    radii = np.where(np.arange(10) % 2, 0.42, 1.0)
    return _shape(
        np.array([_arc(radius, turn, turn)[0] for radius, turn in zip(radii, -90 + 36.0 * np.arange(10), strict=True)])
    )


def _cross() -> Shape:
    quarter = np.array([(0.34, -1.0), (0.34, -0.34), (1.0, -0.34)])
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    return _shape(np.concatenate([quarter @ np.linalg.matrix_power(turn, turns) for turns in range(4)]))


def _ring() -> Shape:
    return _shape(_arc(1.0, 0, 360)[:-1], _arc(0.58, 360, 0)[:-1])


def _heart() -> Shape:
    t = np.radians(np.linspace(0, 360, _FINE, endpoint=False))
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return _shape(np.column_stack([16 * np.sin(t) ** 3, -y]))


def _arrow() -> Shape:
    return _shape([(1.0, 0.0), (0.1, 0.75), (0.1, 0.27), (-0.9, 0.27), (-0.9, -0.27), (0.1, -0.27), (0.1, -0.75)])


def _crescent() -> Shape:
    """A disc minus a smaller one to its right."""
    inner, apart = 0.82, 0.48
    x = (1 + apart**2 - inner**2) / (2 * apart)
    tip = math.degrees(math.atan2(math.sqrt(1 - x * x), x))
    tip_inside = math.degrees(math.atan2(math.sqrt(1 - x * x), x - apart))
    return _shape(np.concatenate([_arc(1.0, tip, 360 - tip), _arc(inner, 360 - tip_inside, tip_inside, apart)[1:-1]]))


def _drop() -> Shape:
    tangent = math.degrees(math.asin(1 / 2.2))  # the sides touch the round part
    return _shape(np.concatenate([_arc(1.0, -tangent, 180 + tangent), [(0.0, -2.2)]]))


_MAKERS: dict[str, Callable[[], Shape]] = {
    "circle": _circle,
    "square": lambda: _regular(4),
    "triangle": lambda: _regular(3),
    "star": _star,
    "cross": _cross,
    "ring": _ring,
    "heart": _heart,
    "arrow": _arrow,
    "crescent": _crescent,
    "pentagon": lambda: _regular(5),
    "hexagon": lambda: _regular(6),
    "bar": lambda: _shape([(-1.0, -0.24), (1.0, -0.24), (1.0, 0.24), (-1.0, 0.24)]),
    "diamond": lambda: _shape([(0.0, -1.0), (0.52, 0.0), (0.0, 1.0), (-0.52, 0.0)]),
    "semicircle": lambda: _shape(_arc(1.0, 180, 360)),
    "drop": _drop,
}
SHAPES: dict[str, Shape] = {name: make() for name, make in _MAKERS.items()}
"""All shapes by name. Any two are distinguishable at any rotation."""
