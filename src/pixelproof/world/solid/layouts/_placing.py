"""Placement of things on level grounds: poses, without overlap, inside the ground and visible; camera framing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull

from pixelproof.world._memo import Memo
from pixelproof.world.solid._category import Surface
from pixelproof.world.solid._poses import Floats, Quaternion, Vector, facing, quaternion, rotation_matrix, vector, yaw
from pixelproof.world.solid._scene import Camera, Thing
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid._surfaces import surfaces_of

_HALF = 0.5**0.5
ON_ITS_SIDE: Quaternion = (_HALF, 0.0, _HALF, 0.0)
"""Rotation that puts the up axis along x."""
SPINE_OUT: Quaternion = (0.5, 0.5, 0.5, 0.5)
"""Rotation of a book, which is modelled lying with its spine to the left."""
LYING = {"bottle": 0.15, "jar": 0.08, "salt shaker": 0.1}
"""Category → probability of lying on its side."""


def sample_pose(rng: np.random.Generator, thing: Thing, standing: float = 0.0) -> Thing:
    """A thing in its default pose, or lying with the probability of its category.

    Args:
        rng: Random generator.
        thing: The thing in its default pose.
        standing: Probability that a book stands with its spine to the front.
    """
    if thing.category == "book":
        return replace(thing, rotation=SPINE_OUT) if rng.random() < standing else thing
    return replace(thing, rotation=ON_ITS_SIDE) if rng.random() < LYING.get(thing.category, 0.0) else thing


def turned(thing: Thing, degrees: float) -> Thing:
    """Rotate a thing about the vertical axis."""
    return replace(thing, rotation=quaternion(rotation_matrix(yaw(degrees)) @ rotation_matrix(thing.rotation)))


def turns(rng: np.random.Generator, thing: Thing, azimuth: float, spread: float) -> Iterator[float]:
    """Infinite random rotations of a thing in degrees; a front faces the viewer.

    Args:
        rng: Random generator.
        thing: The thing.
        azimuth: Direction of the viewer in degrees.
        spread: Maximum deviation from facing the viewer in degrees; at most 50 for things with a front.
    """
    reach = min(spread, 50.0) if thing.front is not None else spread
    while True:
        yield azimuth + float(rng.uniform(-reach, reach))


Mask = npt.NDArray[np.bool_]

SIDE = 96
"""Side of a sketch in pixels."""
_SMALL = 0.0006
"""Minimum share of a sketch that a thing covers."""
_LARGE = 0.4
"""Size in metres from which the gaps between a thing's parts matter."""


def frame_points(
    points: Floats, azimuth: float, elevation: float, focal: float, margin: float = 0.06, low: float = 0.0
) -> Camera:
    """The nearest camera in a direction that shows all points in a square image, with a margin.

    Args:
        points: World points, (n, 3).
        azimuth: In degrees, anticlockwise around the points; 0 looks along +y, 90 along -x.
        elevation: In degrees, looking down.
        focal: Focal length in units of the image side.
        margin: Free share of the image side.
        low: Vertical position of the points if they do not fill the image: 0 centred, 1 at the bottom.
    """
    around, down = math.radians(azimuth), math.radians(elevation)
    back = np.array([math.sin(around) * math.cos(down), -math.cos(around) * math.cos(down), math.sin(down)])
    axes = rotation_matrix(facing((0.0, 0.0, 0.0), vector(-back)))
    x, y, z = (np.asarray(points) @ axes).T
    slope = (0.5 - margin) / focal
    # A point is in the image if |x - x0| <= slope * (z - z0), and likewise for y: take the smallest such z0.
    right, left = float(np.max(x - slope * z)), float(np.max(-x - slope * z))
    lower, upper = float(np.max(y - slope * z)), float(np.max(-y - slope * z))
    depth = -max(right + left, lower + upper) / (2 * slope)
    spare = -depth * slope - (lower + upper) / 2
    position = axes @ np.array([(right - left) / 2, (lower - upper) / 2 - low * spare, depth])
    return Camera(vector(position), facing((0.0, 0.0, 0.0), vector(-back)), focal)


def silhouette(thing: Thing, camera: Camera) -> Mask:
    """Mask of a thing in a sketch: the hull of a small thing, the hulls of all pieces of a large one."""
    canvas = Image.new("1", (SIDE, SIDE))
    draw = ImageDraw.Draw(canvas)
    groups = corners(thing)
    for group in groups if max(thing.size) > _LARGE else [np.concatenate(groups)]:
        seen = camera.project(group, SIDE, SIDE)
        if np.all(seen[:, 2] > 0.01):
            outline = seen[ConvexHull(seen[:, :2], qhull_options="QJ").vertices, :2]
            draw.polygon([tuple(point) for point in (outline - 0.5).tolist()], fill=1)
    return np.asarray(canvas)


class Sketch:
    """Approximate occlusion: silhouettes painted from far to near.

    A thing is in front of its support; otherwise the one with the nearer foot is in front. It is used to choose
    positions; the exact visibility is computed by the renderer.

    Args:
        camera: The camera.
        smallest: Minimum share of the sketch that a thing covers.
    """

    def __init__(self, camera: Camera, smallest: float = _SMALL) -> None:
        self.camera = camera
        self._smallest = smallest
        self._order: list[tuple[float, ...]] = []
        self._whole: list[Mask] = []
        self._depths: dict[str, tuple[float, ...]] = {}

    def add(self, thing: Thing, least: float) -> bool:
        """Add a thing, unless it or a thing that it occludes would have a visible share below `least`."""
        mask = silhouette(thing, self.camera)
        order = (*self._depths.get(thing.support or "", ()), -self._depth(thing))
        if mask.sum() < self._smallest * SIDE**2 or self._least((*self._order, order), (*self._whole, mask)) < least:
            return False
        self._order.append(order)
        self._whole.append(mask)
        self._depths[thing.id] = order
        return True

    def _depth(self, thing: Thing) -> float:
        return float(self.camera.project([thing.position], SIDE, SIDE)[0, 2])

    def _least(self, order: Sequence[tuple[float, ...]], masks: Sequence[Mask]) -> float:
        covered = np.zeros((SIDE, SIDE), bool)
        least = 1.0
        for index in sorted(range(len(order)), key=lambda index: order[index], reverse=True):
            least = min(least, float((masks[index] & ~covered).sum() / masks[index].sum()))
            covered |= masks[index]
        return least


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
