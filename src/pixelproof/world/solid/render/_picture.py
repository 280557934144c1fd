"""The RGB layer: lighting, shading, glass, anti-aliasing and tone mapping.

Glass does not refract. The ground truth of its pixels is that of the glass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._scene import Scene

from ._bounce import Screen
from ._compiled import Ints, Places, Singles, compiled
from ._hits import Hits, Lens
from ._layers import Window
from ._lighting import Effort, Light, Studio, light_on_pixels, light_on_points
from ._painting import surface_colours
from ._shading import diffuse, finish, lamps, outgoing, sky_guess
from ._shared import Shared
from ._smooth import blocks, square
from ._structure import Structure
from ._tone import encode_srgb, tone_map
from ._vectors import dot, row, subtract


@compiled
def find_edges(surface: Ints, points: Singles, normals: Singles, width: int, pixel: float) -> npt.NDArray[np.bool_]:
    """Mask of pixels that differ from a neighbour in surface, normal or depth.

    Args:
        surface: (n,) index of the surface; -1 for none.
        points: (n, 3).
        normals: (n, 3).
        width: Width of the image in pixels.
        pixel: Size of a pixel at one metre.
    """
    found = np.zeros(len(surface), np.bool_)
    height = len(surface) // width
    for y in range(height):
        for x in range(width):
            here = y * width + x
            for u, v in ((x + 1, y), (x, y + 1)):
                if u == width or v == height:
                    continue
                there = v * width + u
                if surface[here] != surface[there]:
                    found[here] = found[there] = True
                elif surface[here] >= 0:
                    point, normal = row(points, here), row(normals, here)
                    apart = abs(dot(normal, subtract(row(points, there), point)))
                    if dot(normal, row(normals, there)) < 0.9 or apart > 4 * pixel * dot(point, point) ** 0.5:
                        found[here] = found[there] = True
    return found


@compiled
def nearest_pixel(
    surface: Ints,
    points: Singles,
    normals: Singles,
    width: int,
    pixels: Places,
    new: Ints,
    at: Singles,
    facing: Singles,
) -> Places:
    """For each sub-pixel ray, the pixel of its 3 × 3 neighbourhood that shows the most similar point; -1 for none.

    Args:
        surface: (n,) surface at the pixel centres.
        points: (n, 3).
        normals: (n, 3).
        width: Width of the image in pixels.
        pixels: (m,) pixel of each ray.
        new: (m,) surface that each ray hits.
        at: (m, 3) point that it hits.
        facing: (m, 3) normal at that point.
    """
    result = np.full(len(pixels), -1, np.int64)
    height = len(surface) // width
    for index in range(len(pixels)):
        x, y = pixels[index] % width, pixels[index] // width
        best = np.inf
        for v in range(max(0, y - 1), min(height, y + 2)):
            for u in range(max(0, x - 1), min(width, x + 2)):
                other = v * width + u
                if surface[other] != new[index]:
                    continue
                if new[index] < 0:
                    best, result[index] = 0.0, other
                    continue
                bend = dot(row(facing, index), row(normals, other))
                way = subtract(row(points, other), row(at, index))
                cost = dot(way, way) * (2 - bend)
                if bend > 0.7 and cost < best:
                    best, result[index] = cost, other
    return result


_LAYERS = 12
"""Maximum number of glass surfaces behind each other."""
_STEP = 1.5e-4
"""Distance behind a surface from which a ray goes on, per metre from the camera."""


@dataclass(frozen=True)
class Behind:
    """What rays through glass reach: one row per ray."""

    triangle: Ints
    """Index of the first opaque triangle; -1 for none."""
    through: Singles
    """(n, 3) share of its radiance that passes the glass."""
    added: Singles
    """(n, 3) radiance that the glass behind the first surface adds."""


def clear_of(studio: Studio, surface: Ints) -> npt.NDArray[np.float64]:
    """Share of light that passes each of the given surfaces; 0 for opaque ones and for none."""
    return np.append(studio.kept.clear, 0.0)[surface]


def look_behind(studio: Studio, hits: Hits) -> Behind:
    """Follow the rays of hits on glass to what is behind it."""
    count = len(hits.surface)
    triangle, added = np.full(count, -1, np.int32), np.zeros((count, 3), np.float32)
    through = _passed(studio, hits)
    alive, at = np.arange(count), hits
    for _ in range(_LAYERS):
        distance = np.linalg.norm(at.points, axis=1, keepdims=True)
        reached = studio.kept.first_hit(at.points + at.rays * (_STEP * distance).astype(np.float32), at.rays)
        at = Hits.of(studio.mesh, at.rays, reached)
        triangle[alive] = reached
        glass = np.flatnonzero(clear_of(studio, at.surface) > 0)
        alive, at = alive[glass], at.at(glass)
        if not len(alive):
            break
        added[alive] += through[alive] * _own_light(studio, at)
        through[alive] *= _passed(studio, at)
    return Behind(triangle, through, added)


def _fresnel(studio: Studio, hits: Hits) -> Singles:
    """(n, 1) reflected share, as for all surfaces that are no metal."""
    facing = np.clip(-np.sum(hits.normals * hits.rays, axis=1), 0.02, 1.0)
    base, rough = studio.finish.specular[hits.surface], studio.finish.roughness[hits.surface]
    return np.asarray(base + (1 - base) * (1 - facing) ** 5 * (1 - rough) ** 2, np.float32)[:, None]


def _passed(studio: Studio, hits: Hits) -> Singles:
    """(n, 3) share of light that passes one surface; a sheet has two."""
    colours = studio.mesh.colours[hits.surface]
    strongest = colours.max(axis=1, keepdims=True)
    tint = (0.2 + 0.8 * colours / np.maximum(strongest, 1e-6)) * (0.4 + 0.6 * strongest)
    clear = clear_of(studio, hits.surface)[:, None]
    return np.asarray(np.sqrt(clear * tint) * (1 - _fresnel(studio, hits)), np.float32)


def _own_light(studio: Studio, hits: Hits) -> Singles:
    """(n, 3) estimated radiance of inner surfaces of glass: reflections, and the light that its colour scatters."""
    body = (1 - clear_of(studio, hits.surface))[:, None] * studio.mesh.colours[hits.surface]
    return np.asarray(sky_guess(studio.lamps, hits.normals) * (_fresnel(studio, hits) + body), np.float32)


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
