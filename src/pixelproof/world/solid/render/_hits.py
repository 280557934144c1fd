"""What rays from the camera meet."""

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
    """A camera that takes a picture of a certain size."""

    width: int
    height: int
    turn: Floats
    """(3, 3) the camera's axes as columns, in the world."""
    matrix: Floats
    """(3, 3) the intrinsics K."""

    @classmethod
    def of(cls, camera: Camera, width: int, height: int) -> Lens:
        """The lens of a camera."""
        return cls(width, height, rotation_matrix(camera.rotation), camera.intrinsics(width, height))

    @property
    def pixel(self) -> float:
        """Size of a pixel at one metre."""
        return float(1 / self.matrix[0, 0])

    def centres(self) -> Singles:
        """Rays through the centres of all pixels, of shape (height · width, 3) and length one."""
        x, y = np.arange(self.width) + 0.5, np.arange(self.height) + 0.5
        return self.rays(np.tile(x, self.height), np.repeat(y, self.width))

    def rays(self, x: Floats, y: Floats) -> Singles:
        """Rays through places of the picture, of shape (n, 3) and length one."""
        return _rays(x, y, self.matrix, self.turn)

    def seen(self, directions: Singles) -> Singles:
        """Directions of the world in the camera's frame, of shape (n, 3)."""
        return _seen(directions, self.turn)


@compiled
def _seen(directions: Singles, turn: Floats) -> Singles:
    # Not a product of matrices, which would start threads for so many rows.
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
    """Where rays from the camera, which is the origin, meet surfaces; all arrays have a row for each ray."""

    rays: Singles
    """(n, 3) of length one."""
    surface: Ints
    """(n,) index of the surface; -1 where a ray meets nothing, and there all that follows is zero."""
    points: Singles
    normals: Singles
    """Smooth, on the side of the camera."""
    lifted: Singles
    """Points on the smooth surface that the triangles stand for: light is sought from here."""

    @classmethod
    def of(cls, mesh: Meshes, rays: Singles, triangle: Ints) -> Hits:
        """What is where rays meet triangles."""
        points, normals, lifted = surfaces(mesh.vertices, mesh.faces, mesh.normals.reshape(-1, 3), triangle, rays)
        surface = np.where(triangle >= 0, mesh.surface[triangle], -1) if len(mesh.faces) else triangle
        return cls(rays, surface.astype(np.int32, copy=False), points, normals, lifted)

    def at(self, places: npt.NDArray[np.int64]) -> Hits:
        """Some of them."""
        return Hits(*(getattr(self, one.name)[places] for one in fields(self)))
