"""The RGB layer: lighting, shading, anti-aliasing and tone mapping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._scene import Scene

from ._bounce import Screen
from ._edges import find_edges, nearest_pixel
from ._hits import Hits, Lens
from ._lamps import lamps
from ._lighting import EFFORTS, Light, Studio, light_on_pixels, light_on_points
from ._painting import surface_colours
from ._sampling import blocks, square
from ._shading import diffuse, finish, outgoing
from ._structure import Structure
from ._tone import encode_srgb, tone_map
from ._window import Window

Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]


def render_rgb(
    scene: Scene, kept: Structure, lens: Lens, hits: Hits, quality: str, steady: bool, window: Window
) -> npt.NDArray[np.uint8]:
    """Render the RGB image of a scene, given what the pixel centres hit; pixels outside of the window are undefined.

    If steady, all samples of a pixel depend on the pixel alone, and not on what other pixels show.
    """
    exposure = scene.environment.exposure
    studio = Studio(
        kept.mesh, lens, kept.caster, lamps(scene), finish(kept.mesh), kept.paints, kept.labels, EFFORTS[quality]
    )
    tilted, colours = _paint(studio, hits)
    light, screen = light_on_pixels(studio, hits, colours, window)
    if window.whole:
        shown = tone_map(_shade(studio, tilted, colours, light), exposure)
    else:
        near = np.flatnonzero(window.pixels(1))  # edges take colours from neighbours
        shown = np.zeros((len(hits.surface), 3), np.float32)
        shown[near] = tone_map(_shade(studio, tilted.at(near), colours[near], light.at(near)), exposure)
    edges = find_edges(hits.surface, hits.points, hits.normals, lens.width, lens.pixel)
    rims = np.flatnonzero(edges & window.pixels())
    parts = blocks(len(rims), studio.effort.edge)
    mixed = [_supersample(studio, hits, shown, screen, rims[part], exposure, steady) for part in parts]
    shown[rims] = np.concatenate([np.empty((0, 3), np.float32), *mixed])
    return encode_srgb(shown).reshape(lens.height, lens.width, 3)


def _paint(studio: Studio, hits: Hits) -> tuple[Hits, Singles]:
    """The hits with bump-mapped normals, and their colours."""
    lens = studio.lens
    colours, tilted = surface_colours(
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


def _supersample(
    studio: Studio, hits: Hits, shown: Singles, screen: Screen, rims: Places, exposure: float, steady: bool
) -> Singles:
    """Colours of edge pixels, averaged over several rays; a ray takes the colour of a similar neighbouring pixel."""
    lens, count = studio.lens, studio.effort.edge
    pixels = np.repeat(rims, count)
    inside = np.tile(square(count), (len(rims), 1))
    rays = lens.rays(pixels % lens.width + inside[:, 0], pixels // lens.width + inside[:, 1])
    triangle = studio.caster.intersect(np.zeros_like(rays), rays)
    fine = Hits.of(studio.mesh, rays, triangle)
    like = nearest_pixel(
        hits.surface, hits.points, hits.normals, lens.width, pixels, fine.surface, fine.points, fine.normals
    )
    colours = shown[like]
    alone = np.flatnonzero(like < 0)
    own = fine.at(alone)
    tilted, paint = _paint(studio, own)
    places = (pixels[alone] + alone % count if steady else np.arange(len(alone))).astype(np.int32) % 16
    colours[alone] = tone_map(_shade(studio, tilted, paint, light_on_points(studio, screen, own, places)), exposure)
    return np.asarray(colours.reshape(len(rims), count, 3).mean(axis=1))
