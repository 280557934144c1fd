"""The RGB layer: lighting, shading, anti-aliasing and tone mapping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._scene import Scene

from ._bounce import Screen
from ._edges import find_edges, nearest_pixel
from ._glass import Behind, clear_of, look_behind
from ._hits import Hits, Lens
from ._lamps import lamps
from ._lighting import Effort, Light, Studio, light_on_pixels, light_on_points
from ._painting import surface_colours
from ._sampling import blocks, square
from ._shading import diffuse, finish, outgoing
from ._shared import Shared
from ._structure import Structure
from ._tone import encode_srgb, tone_map
from ._window import Window

Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]


def render_rgb(
    scene: Scene,
    kept: Structure,
    lens: Lens,
    shared: Shared,
    effort: Effort,
    spacing: int,
    steady: bool,
    window: Window,
) -> npt.NDArray[np.uint8]:
    """Render the RGB image of a scene, given what the pixel centres hit; pixels outside of the window are undefined.

    The colours of the pixels are added to what is shared.

    If steady, all samples of a pixel depend on the pixel alone, and not on what other pixels show.
    """
    exposure, hits = scene.environment.exposure, shared.hits
    studio = Studio(kept, lens, lamps(scene), finish(kept.mesh), effort, spacing)
    tilted, colours = _paint_pixels(studio, shared)
    light, screen = light_on_pixels(studio, hits, colours, window)
    if window.whole:
        radiance = _shade(studio, tilted, colours, light)
    else:
        near = np.flatnonzero(window.pixels(1))  # edges take colours from neighbours
        radiance = np.zeros((len(hits.surface), 3), np.float32)
        radiance[near] = _shade(studio, tilted.at(near), colours[near], light.at(near))
    _add_behind_pixels(studio, hits, screen, window, radiance)
    shown = tone_map(radiance, exposure)
    edges = find_edges(hits.surface, hits.points, hits.normals, lens.width, lens.pixel)
    rims = np.flatnonzero(edges & window.pixels())
    parts = blocks(len(rims), studio.effort.edge)
    mixed = [_supersample(studio, hits, shown, screen, rims[part], exposure, steady) for part in parts]
    shown[rims] = np.concatenate([np.empty((0, 3), np.float32), *mixed])
    return encode_srgb(shown).reshape(lens.height, lens.width, 3)


def _paint_pixels(studio: Studio, shared: Shared) -> tuple[Hits, Singles]:
    """The hits of all pixels with bump-mapped normals, and their colours; those of a first picture are not new."""
    hits = shared.hits
    if shared.new is None or len(shared.colours) != len(hits.surface):
        tilted, shared.colours = _paint(studio, hits)
        shared.normals = tilted.normals
        return tilted, shared.colours
    own, colours = _paint(studio, hits.at(shared.new))
    shared.normals, shared.colours = shared.normals.copy(), shared.colours.copy()
    shared.normals[shared.new], shared.colours[shared.new] = own.normals, colours
    return replace(hits, normals=shared.normals), shared.colours


def _paint(studio: Studio, hits: Hits) -> tuple[Hits, Singles]:
    """The hits with bump-mapped normals, and their colours."""
    lens, kept = studio.lens, studio.kept
    colours, tilted = surface_colours(
        kept.paints, kept.labels, hits.surface, hits.points, hits.normals, hits.rays, lens.turn, lens.pixel,
        studio.effort.texture,
    )  # fmt: skip
    if kept.clear.any():  # the rest of its light passes
        colours *= (1 - clear_of(studio, hits.surface)).astype(np.float32)[:, None]
    return replace(hits, normals=tilted), colours


def _through_glass(studio: Studio, hits: Hits) -> tuple[Places, Hits, Behind] | None:
    """Indices of the hits of glass, these hits, and what is behind them; None if there is no glass."""
    chosen = np.flatnonzero(clear_of(studio, hits.surface) > 0)
    if not len(chosen):
        return None
    front = hits.at(chosen)
    return chosen, front, look_behind(studio, front)


def _add_behind_pixels(studio: Studio, hits: Hits, screen: Screen, window: Window, radiance: Singles) -> None:
    """Add what is seen through glass to the radiance of all pixels."""
    glass = _through_glass(studio, hits)
    if glass is None:
        return
    chosen, front, seen = glass
    if np.any(seen.triangle >= 0):
        triangle = np.full(len(hits.surface), -1, np.int32)
        triangle[chosen] = seen.triangle
        back = Hits.of(studio.mesh, hits.rays, triangle)
        tilted, colours = _paint(studio, back)
        light, _ = light_on_pixels(studio, back, colours, window, screen)
        beyond = _shade(studio, tilted.at(chosen), colours[chosen], light.at(chosen))
    else:  # a window with nothing but the sky behind it
        back = Hits.of(studio.mesh, front.rays, seen.triangle)
        dark = np.zeros((len(chosen), 3), np.float32)
        shares = np.zeros((len(chosen), len(studio.lamps.place)), np.float32)
        beyond = _shade(studio, back, dark, Light(shares, dark, dark))
    radiance[chosen] += seen.through * beyond + seen.added


def _add_behind_points(studio: Studio, hits: Hits, screen: Screen, places: Ints, radiance: Singles) -> None:
    """Add what is seen through glass to the radiance of single points."""
    glass = _through_glass(studio, hits)
    if glass is None:
        return
    chosen, front, seen = glass
    back = Hits.of(studio.mesh, front.rays, seen.triangle)
    tilted, colours = _paint(studio, back)
    beyond = _shade(studio, tilted, colours, light_on_points(studio, screen, back, places[chosen]))
    radiance[chosen] += seen.through * beyond + seen.added


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
    triangle = studio.kept.first_hit(np.zeros_like(rays), rays)
    fine = Hits.of(studio.mesh, rays, triangle)
    like = nearest_pixel(
        hits.surface, hits.points, hits.normals, lens.width, pixels, fine.surface, fine.points, fine.normals
    )
    colours = shown[like]
    alone = np.flatnonzero(like < 0)
    own = fine.at(alone)
    tilted, paint = _paint(studio, own)
    places = (pixels[alone] + alone % count if steady else np.arange(len(alone))).astype(np.int32) % 16
    radiance = _shade(studio, tilted, paint, light_on_points(studio, screen, own, places))
    _add_behind_points(studio, own, screen, places, radiance)
    colours[alone] = tone_map(radiance, exposure)
    return np.asarray(colours.reshape(len(rims), count, 3).mean(axis=1))
