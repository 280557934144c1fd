"""Hit points of rays on triangles: position, interpolated normal, origin of secondary rays."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats

from ._compiled import compiled
from ._vectors import add_scaled, cross, dot, normalise, put, row, subtract

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


@compiled
def surfaces(
    vertices: Floats, faces: Ints, corner_normals: Floats, triangle: Ints, rays: Singles
) -> tuple[Singles, Singles, Singles]:
    """Hit points of rays on the triangles that they are known to hit.

    Args:
        vertices: (v, 3).
        faces: (t, 3).
        corner_normals: (3 t, 3) vertex normals of the triangles.
        triangle: (n,) index of the triangle of each ray; -1 for none.
        rays: (n, 3) directions; all rays start at the origin.

    Returns:
        Three arrays (n, 3), zero where a ray hits nothing: the point; its interpolated normal, facing the ray; and the
        point moved onto the smooth surface that the triangles approximate, so that secondary rays do not hit the
        neighbouring triangles.
    """
    count = len(triangle)
    points = np.zeros((count, 3), np.float32)
    normals, lifted = points.copy(), points.copy()
    for index in range(count):
        face = triangle[index]
        if face < 0:
            continue
        ray = row(rays, index)
        a, b, c = row(vertices, faces[face, 0]), row(vertices, faces[face, 1]), row(vertices, faces[face, 2])
        flat = cross(subtract(b, a), subtract(c, a))
        slant = dot(flat, ray)
        away = dot(flat, a) / slant
        point = ray[0] * away, ray[1] * away, ray[2] * away
        one = dot(cross(subtract(c, b), subtract(point, b)), flat) / dot(flat, flat)
        two = dot(cross(subtract(a, c), subtract(point, c)), flat) / dot(flat, flat)
        shares = one, two, 1 - one - two
        normal = (0.0, 0.0, 0.0)
        for corner in range(3):
            normal = add_scaled(normal, row(corner_normals, 3 * face + corner), shares[corner])
        side, length = -1.0 if slant > 0 else 1.0, math.sqrt(dot(normal, normal))
        moved = (0.0, 0.0, 0.0)
        if side > 0 and length < 1 - 1e-9:
            for corner in range(3):
                here = row(corner_normals, 3 * face + corner)
                above = dot(subtract(point, row(vertices, faces[face, corner])), here)
                moved = add_scaled(moved, here, shares[corner] * max(0.0, -above))
        # A larger offset comes from a wide triangle with tilted normals, not from curvature.
        limit, height = 5e-4 * math.sqrt(dot(point, point)), math.sqrt(dot(moved, moved))
        lift = add_scaled(point, moved, limit / height if height > limit else 1.0)
        side /= length
        normal = normal[0] * side, normal[1] * side, normal[2] * side
        beyond = dot(normal, ray)
        if beyond > 0:  # at a silhouette, an interpolated normal may point away from the camera
            normal = normalise(add_scaled(normal, ray, -beyond))
        put(points, index, point)
        put(normals, index, normal)
        put(lifted, index, lift)
    return points, normals, lifted
