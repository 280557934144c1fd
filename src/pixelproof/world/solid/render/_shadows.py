"""How much of each lamp is seen from points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats

from ._caster import Caster
from ._compiled import compiled
from ._hits import Hits, Lens
from ._lamps import Lamps, towards
from ._sampling import blocks, disc, probes
from ._smooth import smooth
from ._vectors import along, beside, dot, put, row

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

_FAR = 100.0
_UNKNOWN = -1.0


def shadows(caster: Caster, lamps: Lamps, hits: Hits, lens: Lens, places: Ints, first: int, more: int) -> Singles:
    """The share of each lamp that is seen from each pixel, of shape (n, lamps).

    Rays from a quarter of the pixels say where all is light or all is shadow; elsewhere, rays are
    cast from every pixel.

    Args:
        caster: Of the scene.
        lamps: Of the scene.
        hits: What the centres of all pixels meet.
        lens: Of the picture.
        places: (n,) of the pixels in their tiles.
        first: Rays from each of that quarter, per lamp.
        more: Rays from each pixel elsewhere, per lamp.
    """
    seen = np.zeros((len(hits.surface), len(lamps.place)), np.float32)
    for lamp in range(len(lamps.place)):
        lit = facing(lamps, lamp, hits.surface, hits.points, hits.normals)
        share = np.full((len(lit), 1), _UNKNOWN, np.float32)
        quarter = _quarter(lit, lens.width)
        share[quarter, 0] = visible(caster, lamps, lamp, hits, quarter, places, probes(first))
        cast = np.zeros(len(lit), np.bool_)
        chosen = np.flatnonzero(_settle(share[:, 0], lit, hits.surface, lens.width))
        while len(chosen):
            share[chosen, 0] = visible(caster, lamps, lamp, hits, chosen, places, disc(more))
            cast[chosen] = True
            chosen = _doubtful(share[:, 0], lit, cast, chosen, hits.surface, lens.width)
        smooth(share, lit, cast, hits.points, hits.normals, lens.width, 1, 3 * lens.pixel, 0.8)
        seen[:, lamp] = np.where(lit, share[:, 0], 0)
    return seen


def visible(
    caster: Caster, lamps: Lamps, lamp: int, hits: Hits, chosen: Places, places: Ints, pattern: Floats
) -> Singles:
    """The share of a lamp that is seen from chosen points: of the points of a pattern that is (16, rays, 2)."""
    count, share = pattern.shape[1], np.empty(len(chosen), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _rays(lamps, lamp, hits.lifted, hits.normals, chosen[block], places, pattern)
        # Rays to a lamp are as long as the way to it, those to the sun have length one.
        blocked = caster.blocked(origins, directions, _FAR if lamps.sun[lamp] else 1.0)
        share[block] = 1 - blocked.reshape(-1, count).sum(axis=1, dtype=np.uint8) / np.float32(count)
    return share


@compiled
def facing(lamps: Lamps, lamp: int, surface: Ints, points: Singles, normals: Singles) -> Bools:
    """Which points are turned towards a lamp."""
    result = np.zeros(len(surface), np.bool_)
    for index in range(len(surface)):
        if surface[index] >= 0:
            direction, _, _ = towards(lamps, lamp, row(points, index))
            result[index] = dot(direction, row(normals, index)) > 0
    return result


@compiled
def _quarter(lit: Bools, width: int) -> Places:
    """Lit pixels in even rows and columns."""
    return np.array([i for i in range(len(lit)) if lit[i] and i % width % 2 == 0 and i // width % 2 == 0], np.int64)


@compiled
def _settle(share: Singles, lit: Bools, surface: Ints, width: int) -> Bools:
    """Fill in what is certain: where all known pixels around agree and one of them is on the same surface.

    Returns:
        The lit pixels that are still open.
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
def _doubtful(share: Singles, lit: Bools, cast: Bools, latest: Places, surface: Ints, width: int) -> Places:
    """Pixels that were filled in although close to one in half-shadow, of those that were cast from latest."""
    height = len(share) // width
    found, count = np.empty(49 * len(latest), np.int64), 0
    new = np.zeros(len(share), np.bool_)
    for index in latest:
        if share[index] == 0 or share[index] == 1:
            continue
        x, y = index % width, index // width
        for v in range(max(0, y - 3), min(height, y + 4)):
            for u in range(max(0, x - 3), min(width, x + 4)):
                other = v * width + u
                if lit[other] and not cast[other] and not new[other] and surface[other] == surface[index]:
                    new[other], found[count], count = True, other, count + 1
    return found[:count]


@compiled
def _rays(
    lamps: Lamps, lamp: int, lifted: Singles, normals: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """Rays from each chosen point to points of the disc that a lamp looks like from there."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point = row(lifted, index)
        start = along(point, row(normals, index), 3e-5 * dot(point, point) ** 0.5)
        middle, far, _ = towards(lamps, lamp, start)
        one, two = beside(middle)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            way = middle[0] * far, middle[1] * far, middle[2] * far
            way = along(along(way, one, u * lamps.radius[lamp]), two, v * lamps.radius[lamp])
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, way)
    return origins, directions
