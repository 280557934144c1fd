"""What two pictures of almost the same scene share: points and colours of pixels that show the same triangle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from pixelproof.world.solid._scene import Scene, Thing

from ._compiled import Ints, Places, Singles
from ._hits import Hits
from ._meshes import Meshes


@dataclass
class Shared:
    """Points and colours of the pixels of a picture, for a second picture with the same camera, size and quality."""

    scene: Scene
    mesh: Meshes
    triangle: Ints
    """(n,) triangle that each pixel shows; -1 for none."""
    hits: Hits
    normals: Singles = field(default_factory=lambda: np.empty((0, 3), np.float32))
    colours: Singles = field(default_factory=lambda: np.empty((0, 3), np.float32))
    """(n, 3) bump-mapped normals and linear RGB of all pixels, once they are painted."""
    new: Places | None = None
    """Pixels that show another triangle than in the first picture; None: this is the first picture."""

    @classmethod
    def of(cls, scene: Scene, mesh: Meshes, rays: Singles, triangle: Ints, first: Self | None = None) -> Self:
        """Hit points of a picture; those that the first picture has are taken from there, if there is one."""
        if first is None or first.scene.camera != scene.camera or len(first.triangle) != len(triangle):
            return cls(scene, mesh, triangle, Hits.of(mesh, rays, triangle))
        triangles, surfaces = _same(first, scene, mesh)
        changed = np.flatnonzero(triangles[first.triangle] != triangle)
        surface = surfaces[first.hits.surface]
        points, normals, lifted = (one.copy() for one in (first.hits.points, first.hits.normals, first.hits.lifted))
        own = Hits.of(mesh, rays[changed], triangle[changed])
        surface[changed], points[changed], normals[changed], lifted[changed] = (
            own.surface, own.points, own.normals, own.lifted,
        )  # fmt: skip
        hits = Hits(rays, surface, points, normals, lifted)
        return cls(scene, mesh, triangle, hits, first.normals, first.colours, changed)


def _same(first: Shared, scene: Scene, mesh: Meshes) -> tuple[Ints, Ints]:
    """Triangle of the first scene → that of the second, -2 if it is not the same; the same for surfaces.

    The last entry is for pixels that show nothing, whose index is -1.
    """
    triangles = np.full(len(first.mesh.faces) + 1, -2, np.int32)
    surfaces = np.full(len(first.mesh.thing) + 1, -2, np.int32)
    triangles[-1] = surfaces[-1] = -1
    places = {thing.id: number for number, thing in enumerate(scene.things)}
    for number, thing in enumerate(first.scene.things):
        other = places.get(thing.id)
        if other is None or not _looks_the_same(thing, scene.things[other]):
            continue
        for own, mine, theirs in (
            (surfaces, first.mesh.thing, mesh.thing),
            (triangles, first.mesh.thing[first.mesh.surface], mesh.thing[mesh.surface]),
        ):
            here, there = np.searchsorted(mine, (number, number + 1)), np.searchsorted(theirs, other)
            own[here[0] : here[1]] = np.arange(there, there + here[1] - here[0])
    return triangles, surfaces


def _looks_the_same(one: Thing, other: Thing) -> bool:
    return one is other or replace(one, support=other.support) == other
