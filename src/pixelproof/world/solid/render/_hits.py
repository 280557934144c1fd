"""Camera rays, and the points that rays hit: position, interpolated normal, origin of secondary rays."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Camera

from ._compiled import Ints, Singles, compiled
from ._meshes import Meshes
from ._vectors import add_scaled, cross, dot, normalise, put, row, subtract


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


@dataclass(frozen=True)
class Lens:
    """A camera with an image size."""

    width: int
    height: int
    turn: Floats
    """(3, 3) rotation from the camera frame to the world."""
    matrix: Floats
    """(3, 3) intrinsics K."""

    @classmethod
    def of(cls, camera: Camera, width: int, height: int) -> Lens:
        """The lens of a camera."""
        return cls(width, height, rotation_matrix(camera.rotation), camera.intrinsics(width, height))

    def cropped(self, left: int, top: int, right: int, bottom: int) -> Lens:
        """The lens of a part of the image."""
        matrix = self.matrix.copy()
        matrix[:2, 2] -= (left, top)
        return Lens(right - left, bottom - top, self.turn, matrix)

    @property
    def pixel(self) -> float:
        """Width of a pixel at a distance of one metre."""
        return float(1 / self.matrix[0, 0])

    def centres(self) -> Singles:
        """Unit rays through the centres of all pixels, (height · width, 3)."""
        x, y = np.arange(self.width) + 0.5, np.arange(self.height) + 0.5
        return self.rays(np.tile(x, self.height), np.repeat(y, self.width))

    def rays(self, x: Floats, y: Floats) -> Singles:
        """Unit rays through image coordinates, (n, 3)."""
        return _rays(x, y, self.matrix, self.turn)

    def to_camera(self, directions: Singles) -> Singles:
        """Rotate world directions into the camera frame, (n, 3)."""
        return _to_camera(directions, self.turn)


@compiled
def _to_camera(directions: Singles, turn: Floats) -> Singles:
    # A matrix product would start threads.
    result = np.empty((len(directions), 3), np.float32)
    for index in range(len(directions)):
        x, y, z = directions[index]
        for axis in range(3):
            result[index, axis] = x * turn[0, axis] + y * turn[1, axis] + z * turn[2, axis]
    return result


@compiled
def _rays(x: Floats, y: Floats, matrix: Floats, turn: Floats) -> Singles:
    rays = np.empty((len(x), 3), np.float32)
    for index in range(len(x)):
        right = (x[index] - matrix[0, 2]) / matrix[0, 0]
        down = (y[index] - matrix[1, 2]) / matrix[1, 1]
        length = (1 + right * right + down * down) ** 0.5
        for axis in range(3):
            rays[index, axis] = (turn[axis, 0] * right + turn[axis, 1] * down + turn[axis, 2]) / length
    return rays


@dataclass(frozen=True)
class Hits:
    """Surface points hit by rays from the camera, which is the origin; one row per ray."""

    rays: Singles
    """(n, 3) unit directions."""
    surface: Ints
    """(n,) index of the surface; -1 where a ray hits nothing, where the other arrays are zero."""
    points: Singles
    normals: Singles
    """Interpolated normals, facing the camera."""
    lifted: Singles
    """Points on the smooth surface that the triangles approximate: origins of secondary rays."""

    @classmethod
    def of(cls, mesh: Meshes, rays: Singles, triangle: Ints) -> Hits:
        """Points, normals and surfaces where rays hit given triangles."""
        points, normals, lifted = surfaces(mesh.vertices, mesh.faces, mesh.normals.reshape(-1, 3), triangle, rays)
        surface = np.where(triangle >= 0, mesh.surface[triangle], -1) if len(mesh.faces) else triangle
        return cls(rays, surface.astype(np.int32, copy=False), points, normals, lifted)

    def at(self, places: npt.NDArray[np.int64]) -> Hits:
        """A subset."""
        return Hits(*(getattr(self, field.name)[places] for field in fields(self)))
