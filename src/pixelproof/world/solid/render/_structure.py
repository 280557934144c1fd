"""Ray casting with Embree: triangles and structures of scenes, kept as long as their scene exists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pixelproof.world._extra import need
from pixelproof.world._memo import Memo
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid._scene import Scene

from ._compiled import Ints, Singles
from ._labels import Labels, labels
from ._meshes import Meshes, ShapeOf, meshes
from ._painting import Paints, paints


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


PANE = 0.9
"""Share of light from which a sheet of glass casts no shadow."""


@dataclass(frozen=True, eq=False)
class Structure:
    """What rendering needs of a scene, whatever the size of the image; parts are made on first use."""

    scene: Scene
    """A copy: a structure must not keep alive the scene with which it is freed."""
    shape_of: ShapeOf
    mesh: Meshes

    @cached_property
    def paints(self) -> Paints:
        """Paints of all surfaces."""
        return paints(self.scene, self.mesh)

    @cached_property
    def labels(self) -> Labels:
        """Texts on all things."""
        return labels(self.scene, self.shape_of)

    @cached_property
    def clear(self) -> Floats:
        """(s,) share of light that passes each surface; 0 for opaque ones."""
        return np.array([material.clear for material in self.mesh.materials], np.float64)

    @cached_property
    def opaque(self) -> Caster:
        """Ray caster without glass, for light; images without RGB need none."""
        if np.any(self.clear > 0):
            return self._caster_of(self.clear == 0)
        return Caster(self.mesh.vertices, self.mesh.faces)

    @cached_property
    def _glass(self) -> Caster:
        """Ray caster of all glass."""
        return self._caster_of(self.clear > 0)

    @cached_property
    def shading_glass(self) -> Caster | None:
        """Ray caster of the glass that casts faint shadows, which panes do not; None if there is none."""
        dims = (self.clear > 0) & (self.clear < PANE)
        return self._caster_of(dims) if dims.any() else None

    def first_hit(self, origins: Singles, directions: Singles) -> Ints:
        """Index of the first triangle that each ray hits, of glass or not; -1 for none."""
        solid = self.opaque.intersect(origins, directions)
        if not np.any(self.clear > 0):
            return solid
        glass = self._glass.intersect(origins, directions)
        both = np.flatnonzero((solid >= 0) & (glass >= 0))
        near, far = (self._distance(hit[both], origins[both], directions[both]) for hit in (glass, solid))
        first = np.where(glass >= 0, glass, solid)
        first[both] = np.where(near < far, glass[both], solid[both])
        return first

    def _distance(self, triangle: Ints, origins: Singles, directions: Singles) -> Floats:
        """Distance along rays to the planes of triangles, in units of the directions."""
        a, b, c = np.moveaxis(self.mesh.vertices[self.mesh.faces[triangle]], 1, 0)
        normal = np.cross(b - a, c - a)
        slant = np.sum(normal * directions, axis=1)
        return np.asarray(np.sum(normal * (a - origins), axis=1) / np.where(slant == 0, 1e-30, slant))

    def _caster_of(self, surfaces: npt.NDArray[np.bool_]) -> Caster:
        chosen = np.flatnonzero(surfaces[self.mesh.surface]).astype(np.int32)
        return Caster(self.mesh.vertices, self.mesh.faces, chosen)


_MOST = 12
"""Number of scenes whose structures are kept: they take megabytes each."""
_kept = Memo[Structure](_MOST)


def structure_of(scene: Scene, shape_of: ShapeOf) -> Structure:
    """The structure of a scene; the same scene object gives the same one, which is freed with the scene."""

    def made() -> Structure:
        return Structure(replace(scene), shape_of, meshes(scene, shape_of))

    known = _kept.get(scene, made)
    return known if known.shape_of is shape_of else made()
