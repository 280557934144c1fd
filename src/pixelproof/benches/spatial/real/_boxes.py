"""Things of a photograph as oriented boxes in the camera's frame (OpenCV: x right, y down, z forward), and edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
Vector = tuple[float, float, float]
_SIDES = ((0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7))
"""Pairs of corners that are connected by an edge."""


@dataclass(frozen=True)
class LiftedBox:
    """A thing as an oriented box."""

    label: str
    centre: Vector
    size: Vector
    """Width, height and length."""
    rotation: Matrix
    """Columns: directions of width, height (downwards) and length."""
    score: float = 1.0
    """Confidence of the detector."""

    @property
    def axes(self) -> Floats:
        """The rotation as an array."""
        return np.asarray(self.rotation)

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return float(np.prod(self.size))

    @property
    def down(self) -> Floats:
        """Direction of its height."""
        return np.asarray(self.axes[:, 1])

    def corners(self) -> Floats:
        """The eight corners, shape (8, 3)."""
        halves = np.array(list(product((-0.5, 0.5), repeat=3))) * self.size
        return np.asarray(halves @ self.axes.T + self.centre)

    def moved(self, offset: Floats) -> LiftedBox:
        """The box after a move."""
        x, y, z = (float(value) for value in np.asarray(self.centre) + offset)
        return replace(self, centre=(x, y, z))

    def turned(self, degrees: float) -> LiftedBox:
        """The box after a turn about its vertical axis, anticlockwise as seen from above."""
        angle = np.radians(degrees)
        # Seen from above, `down` points away from the viewer: an anticlockwise turn is one about `-down`.
        x, y, z = -self.down
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        return replace(self, rotation=as_matrix(turn @ self.axes))

    def vector(self) -> tuple[float, ...]:
        """x, y, z, width, height, length and yaw, as GSI-Bench writes boxes."""
        yaw = float(np.arctan2(self.axes[2, 0], self.axes[0, 0]))
        return (*self.centre, *self.size, yaw)


def as_matrix(values: npt.ArrayLike) -> Matrix:
    """A 3 × 3 array as tuples."""
    a, b, c = np.asarray(values, dtype=float).tolist()
    return tuple(a), tuple(b), tuple(c)


def project(points: Floats, intrinsics: Floats) -> Floats:
    """Image coordinates in pixels and depths of points, shape (n, 3)."""
    depth = points[:, 2:3]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.column_stack([(points @ intrinsics.T)[:, :2] / depth, depth])


def box_edges(box: LiftedBox, intrinsics: Floats) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Edges of a box in the image; none if a part of it is behind the camera."""
    shown = project(box.corners(), intrinsics)
    if shown[:, 2].min() <= 0:
        return []
    ends = [(float(x), float(y)) for x, y, _ in shown]
    return [(ends[a], ends[b]) for a, b in _SIDES]


def intersect(a: LiftedBox, b: LiftedBox, slack: float = 0.01) -> bool:
    """Whether two oriented boxes intersect by more than a slack in metres, by the separating axis theorem."""
    axes = [*a.axes.T, *b.axes.T]
    crosses = [np.cross(one, other) for one in a.axes.T for other in b.axes.T]
    axes += [axis / length for axis in crosses if (length := float(np.linalg.norm(axis))) > 1e-6]
    offset = np.subtract(b.centre, a.centre)
    for axis in axes:
        reach = sum(float(np.abs(axis @ box.axes) @ box.size) / 2 for box in (a, b))
        if abs(float(offset @ axis)) > reach - slack:
            return False
    return True


@dataclass(frozen=True)
class RealEdit:
    """A proposed edit of a photograph."""

    operation: str
    """`move`, `placement`, `rotation` or `removal`."""
    text: str
    target: str
    """Name of the thing, as the text has it."""
    before: LiftedBox
    after: LiftedBox | None
    """None for a removal."""
    reference: LiftedBox | None = None
