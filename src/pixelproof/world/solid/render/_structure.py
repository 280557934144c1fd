"""Triangles and ray-casting structures of scenes, kept as long as their scene exists."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property, partial

from pixelproof.world.solid._scene import Scene

from ._caster import Caster
from ._labels import Labels, labels
from ._meshes import Meshes, ShapeOf, meshes
from ._paints import Paints, paints


@dataclass(frozen=True, eq=False)
class Structure:
    """What rendering needs of a scene, whatever the size of the image."""

    mesh: Meshes
    paints: Paints
    labels: Labels

    @cached_property
    def caster(self) -> Caster:
        """Ray caster; images without RGB do not need it."""
        return Caster(self.mesh.vertices, self.mesh.faces)


_kept: dict[int, tuple[weakref.ref[Scene], ShapeOf, Structure]] = {}


def structure_of(scene: Scene, shape_of: ShapeOf) -> Structure:
    """The structure of a scene; the same scene object gives the same one, which is freed with the scene."""
    known = _kept.get(id(scene))
    if known is None or known[0]() is not scene or known[1] is not shape_of:
        mesh = meshes(scene, shape_of)
        made = Structure(mesh, paints(scene, mesh), labels(scene, shape_of))
        known = weakref.ref(scene, partial(_forget, _kept, id(scene))), shape_of, made
        _kept[id(scene)] = known
    return known[2]


def _forget(kept: dict[int, tuple[weakref.ref[Scene], ShapeOf, Structure]], key: int, gone: weakref.ref[Scene]) -> None:
    if key in kept and kept[key][0] is gone:
        del kept[key]
