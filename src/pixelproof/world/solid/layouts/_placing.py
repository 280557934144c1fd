"""Placement of things on level grounds: without overlap, inside the ground and visible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._memo import Memo
from pixelproof.world.solid._category import Surface
from pixelproof.world.solid._poses import Floats, Vector, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._scene import Camera, Thing
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid._surfaces import surfaces_of

from ._sight import Sketch

Spot = tuple[Vector, float]
"""Position on a ground, and rotation in degrees."""
LIFT = 1e-4
"""Initial height of a thing above its ground, in metres."""


@dataclass(frozen=True)
class Ground:
    """A level rectangle in the world on which things can stand."""

    owner: str
    centre: Vector
    x: Floats
    """Unit vector along its width, in the horizontal plane."""
    width: float
    depth: float
    clearance: float = 10.0

    def at(self, u: float, v: float) -> Vector:
        """The point at u, v from -1 to 1 along its width and depth."""
        along, across = self.x * (u * self.width / 2), np.array([-self.x[1], self.x[0]]) * (v * self.depth / 2)
        x, y = (np.asarray(self.centre[:2]) + along + across).tolist()
        return (x, y, self.centre[2])

    def inset(self, outline: Floats) -> float:
        """Distance of an outline from the edge; negative if it overhangs."""
        local = (outline - self.centre[:2]) @ np.column_stack([self.x, (-self.x[1], self.x[0])])
        return float(np.min(np.array([self.width, self.depth]) / 2 - np.abs(local).max(axis=0)))


def grounds(thing: Thing) -> list[Ground]:
    """Grounds of a thing, in the world; none unless it is upright."""
    turn = rotation_matrix(thing.rotation)
    return [_ground(thing, surface, turn) for surface in surfaces_of(thing)] if turn[2, 2] > 0.999 else []


def _ground(thing: Thing, surface: Surface, turn: Floats) -> Ground:
    x, y, z = (turn @ np.asarray(surface.centre) * thing.scale + thing.position).tolist()
    along = turn[:2, 0] / np.linalg.norm(turn[:2, 0])
    width, depth, clearance = surface.width * thing.scale, surface.depth * thing.scale, surface.clearance * thing.scale
    return Ground(thing.id, (x, y, z), along, width, depth, clearance)


_outlines = Memo[Floats](600)


def outline(thing: Thing) -> Floats:
    """Convex outline of a thing seen from above, anticlockwise, (n, 2)."""

    def made() -> Floats:
        points = np.concatenate(corners(thing))[:, :2]
        return np.asarray(points[ConvexHull(points).vertices])

    return _outlines.get(thing, made)


def area(outline: Floats) -> float:
    """Area of a convex outline in m²."""
    x, y = outline.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def gap(first: Floats, second: Floats) -> float:
    """Lower bound of the distance between two convex outlines; negative if they overlap.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> gap(square, square + 3.0), gap(square, square + [0.75, 0.0])
    (2.0, -0.25)
    """
    return max(_beyond(first, second), _beyond(second, first))


def is_inside(point: Floats, outline: Floats) -> bool:
    """Whether a point (2,) is inside a convex outline.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> is_inside(np.array([0.5, 0.9]), square), is_inside(np.array([0.5, 1.1]), square)
    (True, False)
    """
    return _beyond(outline, point[None]) < 0


def nearer(first: Floats, second: Floats, apart: float) -> bool:
    """Whether the distance of two outlines is below `apart`."""
    boxes = max(*(first.min(axis=0) - second.max(axis=0)), *(second.min(axis=0) - first.max(axis=0)))
    return boxes < apart and gap(first, second) < apart  # boxes decide most cases, which is faster


def _beyond(first: Floats, second: Floats) -> float:
    ways = np.roll(first, -1, axis=0) - first
    normals = np.column_stack([ways[:, 1], -ways[:, 0]]) / np.linalg.norm(ways, axis=1, keepdims=True)
    return float(np.max(np.min(second @ normals.T, axis=0) - np.sum(first * normals, axis=1)))


class Arrangement:
    """A scene under construction: things are placed one by one."""

    def __init__(self, surroundings: Sequence[Thing], sketch: Sketch, least: float) -> None:
        self.things = list(surroundings)
        self._sketch = sketch
        self._least = least
        self._outlines: dict[str, list[Floats]] = {}

    @property
    def movable(self) -> list[Thing]:
        """The things that are not part of the surroundings."""
        return [thing for thing in self.things if not thing.fixed]

    @property
    def camera(self) -> Camera:
        """The camera used while placing things."""
        return self._sketch.camera

    def lay(self, fixture: Thing, ground: Ground, apart: float) -> bool:
        """Add a flat part of the surroundings, such as a rug, to a free area; False if it is occupied."""
        area, standing = outline(fixture), self._outlines.setdefault(_key(ground), [])
        if ground.inset(area) < apart or any(nearer(area, other, apart) for other in standing):
            return False
        standing.append(area)
        self.things.append(fixture)
        return True

    def put(self, thing: Thing, ground: Ground, spots: Iterable[Spot], apart: float, edge: float = 0.01) -> bool:
        """Place a thing on a ground at the first free and visible spot; False if there is none.

        Args:
            thing: The thing, at the origin.
            ground: The ground to place it on.
            spots: Spots to try.
            apart: Minimum distance to others on the same ground, in metres.
            edge: Minimum distance to the edge of the ground, in metres.
        """
        standing = self._outlines.setdefault(_key(ground), [])
        heights = np.concatenate(corners(thing))[:, 2]
        if np.ptp(heights) + 0.01 > ground.clearance:
            return False
        own, base = outline(thing), rotation_matrix(thing.rotation)
        for place, degrees in spots:
            cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            foot = own @ np.array([[cosine, sine], [-sine, cosine]]) + place[:2]
            if ground.inset(foot) < edge or any(nearer(foot, other, apart) for other in standing):
                continue
            turn = rotation_matrix(yaw(degrees))
            position = (place[0], place[1], place[2] - float(heights.min()) + LIFT)
            put = replace(thing, position=position, rotation=quaternion(turn @ base), support=ground.owner)
            if self._sketch.add(put, self._least):
                standing.append(foot)
                self.things.append(put)
                return True
        return False


def _key(ground: Ground) -> str:
    return f"{ground.owner}/{ground.centre}"
