"""The picture itself: what the light does with the surfaces that are seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._scene import Scene

from ._bounce import Screen
from ._caster import Caster
from ._edges import edges, nearest
from ._hits import Hits, Lens
from ._labels import labels
from ._lamps import lamps
from ._lighting import EFFORTS, Light, Studio, light_on_pixels, light_on_points
from ._meshes import Meshes, ShapeOf
from ._painting import painted
from ._paints import paints
from ._sampling import blocks, square
from ._shading import diffuse, finish, outgoing
from ._tone import displayed, encoded

Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]


def picture(
    scene: Scene, mesh: Meshes, lens: Lens, hits: Hits, quality: str, shape_of: ShapeOf
) -> npt.NDArray[np.uint8]:
    """The picture of a scene whose pixel centres meet certain surfaces."""
    caster, exposure = Caster(mesh.vertices, mesh.faces), scene.environment.exposure
    studio = Studio(
        mesh, lens, caster, lamps(scene), finish(mesh), paints(scene, mesh), labels(scene, shape_of), EFFORTS[quality]
    )
    tilted, colours = _paint(studio, hits)
    light, screen = light_on_pixels(studio, hits, colours)
    shown = displayed(_shade(studio, tilted, colours, light), exposure)
    rims = np.flatnonzero(edges(hits.surface, hits.points, hits.normals, lens.width, lens.pixel))
    parts = blocks(len(rims), studio.effort.edge)
    mixed = [_several(studio, hits, shown, screen, rims[part], exposure) for part in parts]
    shown[rims] = np.concatenate([np.empty((0, 3), np.float32), *mixed])
    return encoded(shown).reshape(lens.height, lens.width, 3)


def _paint(studio: Studio, hits: Hits) -> tuple[Hits, Singles]:
    """The hits with normals tilted by the relief of textures, and their colours."""
    lens = studio.lens
    colours, tilted = painted(
        studio.paints, studio.labels, hits.surface, hits.points, hits.normals, hits.rays, lens.turn, lens.pixel,
        studio.effort.texture,
    )  # fmt: skip
    return replace(hits, normals=tilted), colours


def _shade(studio: Studio, hits: Hits, colours: Singles, light: Light) -> Singles:
    spread = diffuse(studio.lamps, hits.surface, hits.points, hits.normals, colours, light.seen, light.around)
    return outgoing(
        studio.lamps, studio.finish, hits.surface, hits.points, hits.normals, hits.rays, colours, light.seen, spread,
        light.mirrored,
    )  # fmt: skip


def _several(studio: Studio, hits: Hits, shown: Singles, screen: Screen, rims: Places, exposure: float) -> Singles:
    """The colours of pixels, each the mean over several rays, which borrow the colours of the pixels around."""
    lens, count = studio.lens, studio.effort.edge
    pixels = np.repeat(rims, count)
    inside = np.tile(square(count), (len(rims), 1))
    rays = lens.rays(pixels % lens.width + inside[:, 0], pixels // lens.width + inside[:, 1])
    triangle = studio.caster.meet(np.zeros_like(rays), rays)
    fine = Hits.of(studio.mesh, rays, triangle)
    like = nearest(hits.surface, hits.points, hits.normals, lens.width, pixels, fine.surface, fine.points, fine.normals)
    colours = shown[like]
    alone = np.flatnonzero(like < 0)
    own = fine.at(alone)
    tilted, paint = _paint(studio, own)
    colours[alone] = displayed(_shade(studio, tilted, paint, light_on_points(studio, screen, own)), exposure)
    return np.asarray(colours.reshape(len(rims), count, 3).mean(axis=1))
