"""Which triangle the ray through the centre of each pixel meets first, in double precision."""

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
    """Fill the depth, the index of the triangle and the amodal masks of a picture.

    A pixel is covered where the ray through its centre passes all edges of a triangle on the same side. These are
    signs of determinants, so triangles that reach behind the camera need no clipping and neighbours leave no gap.

    Args:
        vertices: (v, 3) homogeneous pixels: K times coordinates in the camera's frame.
        faces: (t, 3) indices.
        thing: (t,) the mask that a triangle belongs to; -1 for none.
        depth: (h, w) along the optical axis, infinite at first.
        triangle: (h, w) index, -1 at first.
        amodal: (n, h, w) false at first.
    """
    height, width = depth.shape
    for index in range(len(faces)):
        a, b, c = row(vertices, faces[index, 0]), row(vertices, faces[index, 1]), row(vertices, faces[index, 2])
        left, top, right, bottom = _box(a, b, c, width, height)
        if left >= right or top >= bottom:
            continue
        # A function of (x, y, 1) per edge; seen from the front, all three are positive inside, from behind negative.
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
    """Pixels that a triangle may cover: left, top, and one beyond right and bottom; all, where it reaches behind."""
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
    # A vertex just in front of the camera may have no pixel at all.
    return int(left), int(top), int(math.ceil(right)), int(math.ceil(bottom))


@compiled
def _span(one: Vector, two: Vector, three: Vector, sign: float, y: float, left: int, right: int) -> tuple[int, int]:
    """The columns of a row that may be inside, one more on either side than rounding can take away."""
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
