"""Rasterisation in double precision: nearest triangle, depth and amodal masks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world._memo import Memo
from pixelproof.world.solid._poses import Floats, Vector, rotation_matrix
from pixelproof.world.solid._scene import Camera, Scene, Thing
from pixelproof.world.solid.shapes import shape_of

from ._compiled import Ints, compiled
from ._hits import Lens
from ._vectors import cross, dot, row, transform


@compiled
def rasterise(
    vertices: Floats, faces: Ints, thing: Ints, depth: Floats, triangle: Ints, amodal: npt.NDArray[np.bool_]
) -> None:
    """Fill the depth, triangle index and amodal masks of an image.

    A pixel is covered if the ray through its centre passes all edges of a triangle on the same side. The test uses
    homogeneous edge functions, so triangles that reach behind the camera need no clipping and neighbours leave no gap.

    Args:
        vertices: (v, 3) homogeneous pixel coordinates: K times camera coordinates.
        faces: (t, 3) indices.
        thing: (t,) index of the amodal mask of each triangle; -1 for none.
        depth: (h, w) along the optical axis, initially infinite.
        triangle: (h, w) index, initially -1.
        amodal: (n, h, w), initially false.
    """
    height, width = depth.shape
    for index in range(len(faces)):
        a, b, c = row(vertices, faces[index, 0]), row(vertices, faces[index, 1]), row(vertices, faces[index, 2])
        left, top, right, bottom = _box(a, b, c, width, height)
        if left >= right or top >= bottom:
            continue
        # Edge functions of (x, y, 1): inside, all three are positive for front faces and negative for back faces.
        one, two, three = cross(b, c), cross(c, a), cross(a, b)
        volume = dot(a, one)
        if volume == 0:
            continue
        sign = 1.0 if volume > 0 else -1.0
        for line in range(top, bottom):
            y = line + 0.5
            start, stop = _span(one, two, three, sign, y, left, right)
            for column in range(start, stop):
                x = column + 0.5
                first = sign * (one[0] * x + one[1] * y + one[2])
                second = sign * (two[0] * x + two[1] * y + two[2])
                third = sign * (three[0] * x + three[1] * y + three[2])
                total = first + second + third
                if first >= 0 and second >= 0 and third >= 0 and total > 0:
                    if thing[index] >= 0:
                        amodal[thing[index], line, column] = True
                    if sign * volume / total < depth[line, column]:
                        depth[line, column], triangle[line, column] = sign * volume / total, index


@compiled
def _box(a: Vector, b: Vector, c: Vector, width: int, height: int) -> tuple[int, int, int, int]:
    """Pixels that a triangle may cover, right and bottom exclusive; the whole image if it reaches behind the camera."""
    if a[2] <= 0 and b[2] <= 0 and c[2] <= 0:
        return 0, 0, 0, 0
    if a[2] <= 0 or b[2] <= 0 or c[2] <= 0:
        return 0, 0, width, height
    ax, bx, cx = a[0] / a[2], b[0] / b[2], c[0] / c[2]
    ay, by, cy = a[1] / a[2], b[1] / b[2], c[1] / c[2]
    left, right = max(min(ax, bx, cx) - 0.5, 0.0), min(max(ax, bx, cx) + 0.5, float(width))
    top, bottom = max(min(ay, by, cy) - 0.5, 0.0), min(max(ay, by, cy) + 0.5, float(height))
    if left >= right or top >= bottom:
        return 0, 0, 0, 0
    # A vertex just in front of the camera may project to infinity.
    return int(left), int(top), int(math.ceil(right)), int(math.ceil(bottom))


@compiled
def _span(one: Vector, two: Vector, three: Vector, sign: float, y: float, left: int, right: int) -> tuple[int, int]:
    """Range of columns of a row that may be inside, with a margin for rounding."""
    low, high = float(left), float(right)
    for edge in (one, two, three):
        slope, value = sign * edge[0], sign * (edge[1] * y + edge[2])
        if slope > 0:
            low = max(low, -value / slope - 1.5)
        elif slope < 0:
            high = min(high, -value / slope + 1.5)
    if not low < high:
        return 0, 0
    return int(low), min(int(high) + 1, right)


@compiled
def image_bounds(vertices: Floats) -> tuple[bool, float, float, float, float]:
    """Whether all vertices (v, 3), in homogeneous pixel coordinates, are in front of the camera, and their bounds.

    The bounds are left, top, right, bottom in pixels; 0 if a vertex is not in front of the camera.
    """
    left, top, right, bottom = math.inf, math.inf, -math.inf, -math.inf
    for index in range(len(vertices)):
        x, y, depth = row(vertices, index)
        if depth <= 0:
            return False, 0.0, 0.0, 0.0, 0.0
        left, right = min(left, x / depth), max(right, x / depth)
        top, bottom = min(top, y / depth), max(bottom, y / depth)
    return True, left, top, right, bottom


class Overview(NamedTuple):
    """The layers `ids` and `visible` of a picture, as in `Layers`."""

    ids: npt.NDArray[np.uint16]
    visible: npt.NDArray[np.float32]


class _Depths(NamedTuple):
    """Depths of a thing alone, in the rectangle of the picture that it fills."""

    top: int
    left: int
    depth: Floats
    """Infinite where it is not."""


_kept = Memo[tuple[tuple[Camera, int], _Depths]](600)


def overview(scene: Scene, side: int) -> Overview:
    """Which thing each pixel of a square picture shows, and how much of each is visible.

    It has the values of `render`, in less time: depths are kept with each thing, so of an edited scene, only the things
    that changed are drawn again.
    """
    nearest = np.full((side, side), np.inf)
    ids = np.zeros((side, side), np.uint16)
    whole = np.zeros(len(scene.things))
    for number, thing in enumerate(scene.things, 1):
        top, left, depth = _depths(scene.camera, thing, side)
        rows, columns = slice(top, top + depth.shape[0]), slice(left, left + depth.shape[1])
        closer = depth < nearest[rows, columns]  # of equal depths, the first counts
        nearest[rows, columns][closer] = depth[closer]
        ids[rows, columns][closer] = number
        whole[number - 1] = 0 if thing.fixed else np.count_nonzero(depth < np.inf)
    seen = np.bincount(ids.reshape(-1), minlength=len(whole) + 1)[1:]
    shares = np.divide(seen, whole, out=np.zeros(len(whole)), where=whole > 0)
    return Overview(ids, shares.astype(np.float32))


def _depths(camera: Camera, thing: Thing, side: int) -> _Depths:
    key = camera, side
    known = _kept.get(thing, lambda: (key, _drawn(camera, thing, side)))
    return known[1] if known[0] == key else _drawn(camera, thing, side)


def _drawn(camera: Camera, thing: Thing, side: int) -> _Depths:
    lens = Lens.of(camera, side, side)
    depth, triangle = np.full((side, side), np.inf), np.full((side, side), -1, np.int32)
    turn, (x, y, z) = rotation_matrix(thing.rotation), np.subtract(thing.position, camera.position).tolist()
    for part in shape_of(thing).parts:
        vertices = transform(part.vertices, turn * thing.scale, (x, y, z))
        pixels = transform(vertices, lens.matrix @ lens.turn.T, (0.0, 0.0, 0.0))
        nothing, faces = np.full(len(part.faces), -1, np.int32), part.faces.copy()  # the loop is compiled for writable
        rasterise(pixels, faces, nothing, depth, triangle, np.zeros((1, 0, 0), np.bool_))
    rows, columns = (np.flatnonzero((triangle >= 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return _Depths(0, 0, np.empty((0, 0)))
    top, left = int(rows[0]), int(columns[0])
    return _Depths(top, left, depth[top : rows[-1] + 1, left : columns[-1] + 1].copy())
