"""Rasterisation in double precision: nearest triangle, depth and amodal masks."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled
from ._vectors import cross, dot, row

Ints = npt.NDArray[np.int32]


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
