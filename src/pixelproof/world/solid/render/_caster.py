"""Ray casting against the triangles of a scene, with Embree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.world._extra import need
from pixelproof.world.solid._poses import Floats

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


class Caster:
    """Intersects rays with triangles. Origins and directions are float32 arrays of shape (n, 3)."""

    def __init__(self, vertices: Floats, faces: Ints, chosen: Ints | None = None) -> None:
        """Build the structure of all triangles, or of chosen ones, which keep their indices."""
        self._scene, self._chosen = None, chosen
        faces = faces if chosen is None else np.ascontiguousarray(faces[chosen])
        if len(faces):
            # Robust, so that no ray slips through between two triangles.
            self._scene = need("embreex.rtcore_scene").EmbreeScene(robust=True)
            need("embreex.mesh_construction").TriangleMesh(self._scene, vertices.astype(np.float32), faces)

    def intersect(self, origins: Singles, directions: Singles) -> Ints:
        """Index of the first triangle that each ray hits; -1 for none."""
        if self._scene is None or not len(origins):
            return np.full(len(origins), -1, np.int32)
        found = np.asarray(self._scene.run(origins, directions, query="INTERSECT"), np.int32)
        return found if self._chosen is None else np.append(self._chosen, np.int32(-1))[found]

    def blocked(self, origins: Singles, directions: Singles, reach: float) -> npt.NDArray[np.bool_]:
        """Whether each ray hits anything within `reach` times the length of its direction."""
        if self._scene is None or not len(origins):
            return np.zeros(len(origins), np.bool_)
        return np.asarray(self._scene.run(origins, directions, dists=reach, query="OCCLUDED") >= 0)
