"""Soft shadows: the visible share of each lamp."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._poses import Floats

from ._compiled import Bools, Ints, Places, Singles, compiled
from ._hits import Hits, Lens
from ._shading import Lamps, direction_to
from ._smooth import blocks, disc, probes, smooth
from ._structure import Caster
from ._vectors import add_scaled, dot, put, row, tangent_basis

_FAR = 100.0
_UNKNOWN = -1.0


def shadows(caster: Caster, lamps: Lamps, hits: Hits, lens: Lens, places: Ints, first: int, more: int) -> Singles:
    """Visible share of each lamp at each pixel, (n, lamps).

    Rays from a quarter of the pixels find regions of full light and full shadow; elsewhere, every pixel casts rays.

    Args:
        caster: Ray caster of the scene.
        lamps: Lights of the scene.
        hits: Surface points at the centres of all pixels.
        lens: Camera with image size.
        places: (n,) index of each pixel in its tile.
        first: Rays per lamp from each pixel of the quarter.
        more: Rays per lamp from each pixel elsewhere.
    """
    seen = np.zeros((len(hits.surface), len(lamps.place)), np.float32)
    for lamp in range(len(lamps.place)):
        lit = facing(lamps, lamp, hits.surface, hits.points, hits.normals)
        share = np.full((len(lit), 1), _UNKNOWN, np.float32)
        quarter = _quarter(lit, lens.width)
        share[quarter, 0] = visible(caster, lamps, lamp, hits, quarter, places, probes(first))
        cast = np.zeros(len(lit), np.bool_)
        chosen = np.flatnonzero(_fill_uniform(share[:, 0], lit, hits.surface, lens.width))
        while len(chosen):
            share[chosen, 0] = visible(caster, lamps, lamp, hits, chosen, places, disc(more))
            cast[chosen] = True
            chosen = _near_penumbra(share[:, 0], lit, cast, chosen, hits.surface, lens.width)
        smooth(share, lit, cast, hits.points, hits.normals, lens.width, 1, 3 * lens.pixel, 0.8)
        seen[:, lamp] = np.where(lit, share[:, 0], 0)
    return seen


def visible(
    caster: Caster, lamps: Lamps, lamp: int, hits: Hits, chosen: Places, places: Ints, pattern: Floats
) -> Singles:
    """Visible share of a lamp at chosen points, sampled with a pattern of shape (16, rays, 2)."""
    count, share = pattern.shape[1], np.empty(len(chosen), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _rays(lamps, lamp, hits.lifted, hits.normals, chosen[block], places, pattern)
        # Directions to a lamp have the length of the distance; those to the sun have length 1.
        blocked = caster.blocked(origins, directions, _FAR if lamps.sun[lamp] else 1.0)
        share[block] = 1 - blocked.reshape(-1, count).sum(axis=1, dtype=np.uint8) / np.float32(count)
    return share


@compiled
def facing(lamps: Lamps, lamp: int, surface: Ints, points: Singles, normals: Singles) -> Bools:
    """Mask of points whose normal faces a lamp."""
    result = np.zeros(len(surface), np.bool_)
    for index in range(len(surface)):
        if surface[index] >= 0:
            direction, _, _ = direction_to(lamps, lamp, row(points, index))
            result[index] = dot(direction, row(normals, index)) > 0
    return result


@compiled
def _quarter(lit: Bools, width: int) -> Places:
    """Lit pixels in even rows and columns."""
    return np.array([i for i in range(len(lit)) if lit[i] and i % width % 2 == 0 and i // width % 2 == 0], np.int64)


@compiled
def _fill_uniform(share: Singles, lit: Bools, surface: Ints, width: int) -> Bools:
    """Fill pixels whose known neighbours agree on full light or full shadow, one of them on the same surface.

    Returns:
        Mask of the pixels that are still unknown.
    """
    height = len(share) // width
    agreed = np.full(len(share), _UNKNOWN, np.float32)
    for y in range(0, height, 2):
        for x in range(0, width, 2):
            low, high = 1.0, 0.0
            for v in range(max(0, y - 4), min(height, y + 5), 2):
                for u in range(max(0, x - 4), min(width, x + 5), 2):
                    if share[v * width + u] >= 0:
                        low, high = min(low, share[v * width + u]), max(high, share[v * width + u])
            if share[y * width + x] >= 0 and low == high and (low == 0 or low == 1):
                agreed[y * width + x] = low
    still = np.zeros(len(share), np.bool_)
    for index in range(len(share)):
        if not lit[index]:
            continue
        x, y = index % width // 2 * 2, index // width // 2 * 2
        share[index], still[index] = _UNKNOWN, True
        for v in range(y, min(height, y + 3), 2):
            for u in range(x, min(width, x + 3), 2):
                if still[index] and agreed[v * width + u] >= 0 and surface[v * width + u] == surface[index]:
                    share[index], still[index] = agreed[v * width + u], False
    return still


@compiled
def _near_penumbra(share: Singles, lit: Bools, cast: Bools, latest: Places, surface: Ints, width: int) -> Places:
    """Pixels that were filled in but are close to a penumbra pixel among the latest ones."""
    height = len(share) // width
    pixels, count = np.empty(49 * len(latest), np.int64), 0
    new = np.zeros(len(share), np.bool_)
    for index in latest:
        if share[index] == 0 or share[index] == 1:
            continue
        x, y = index % width, index // width
        for v in range(max(0, y - 3), min(height, y + 4)):
            for u in range(max(0, x - 3), min(width, x + 4)):
                other = v * width + u
                if lit[other] and not cast[other] and not new[other] and surface[other] == surface[index]:
                    new[other], pixels[count], count = True, other, count + 1
    return pixels[:count]


@compiled
def _rays(
    lamps: Lamps, lamp: int, lifted: Singles, normals: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """Shadow rays from each chosen point to samples of the disc of a lamp: origins, directions."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point = row(lifted, index)
        start = add_scaled(point, row(normals, index), 3e-5 * dot(point, point) ** 0.5)
        middle, far, _ = direction_to(lamps, lamp, start)
        one, two = tangent_basis(middle)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            way = middle[0] * far, middle[1] * far, middle[2] * far
            way = add_scaled(add_scaled(way, one, u * lamps.radius[lamp]), two, v * lamps.radius[lamp])
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, way)
    return origins, directions
