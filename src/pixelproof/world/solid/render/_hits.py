"""Camera rays and the surface points that they hit."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Camera

from ._compiled import compiled
from ._meshes import Meshes
from ._surfaces import surfaces

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


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
