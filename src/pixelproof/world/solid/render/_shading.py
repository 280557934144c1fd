"""How much light surfaces send to the camera."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled, inlined
from ._lamps import REACHING, Lamps, half_sky, sky, towards
from ._meshes import Meshes
from ._vectors import along, dot, put, row, unit

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


SATIN = 0.35
"""Share of the light that metals scatter, so that their colour is seen on all sides."""


class Finish(NamedTuple):
    """How each surface answers to light, (s,) each."""

    roughness: Floats
    specular: Floats
    metallic: Floats


def finish(mesh: Meshes) -> Finish:
    """The finish of each surface."""
    table = np.array([(one.roughness, one.specular, one.metallic) for one in mesh.materials]).reshape(-1, 3)
    return Finish(*np.ascontiguousarray(table.T))


@compiled
def sky_guess(lamps: Lamps, normals: Singles) -> Singles:
    """The light from around that is likely to reach points with some normals, of shape (n, 3)."""
    light = np.empty((len(normals), 3), np.float32)
    for index in range(len(normals)):
        whole = half_sky(lamps, normals[index, 2])
        put(light, index, (whole[0] * REACHING, whole[1] * REACHING, whole[2] * REACHING))
    return light


@compiled
def diffuse(
    lamps: Lamps, surface: Ints, points: Singles, normals: Singles, colours: Singles, seen: Singles, around: Singles
) -> Singles:
    """Light that surfaces send to all sides, were none of them metal: (n, 3).

    Args:
        lamps: Of the scene.
        surface: (n,) -1 for none.
        points: (n, 3).
        normals: (n, 3).
        colours: (n, 3) linear RGB.
        seen: (n, lamps) share of each lamp that is seen.
        around: (n, 3) mean light from everywhere else.
    """
    light = np.zeros((len(surface), 3), np.float32)
    for index in range(len(surface)):
        if surface[index] < 0:
            continue
        point, normal, total = row(points, index), row(normals, index), row(around, index)
        for lamp in range(len(lamps.place)):
            if seen[index, lamp] > 0:
                direction, _, share = towards(lamps, lamp, point)
                cosine = max(0.0, dot(direction, normal))
                total = along(total, row(lamps.power, lamp), cosine * share * seen[index, lamp])
        put(light, index, (total[0] * colours[index, 0], total[1] * colours[index, 1], total[2] * colours[index, 2]))
    return light


@compiled
def outgoing(
    lamps: Lamps,
    finish: Finish,
    surface: Ints,
    points: Singles,
    normals: Singles,
    rays: Singles,
    colours: Singles,
    seen: Singles,
    spread: Singles,
    mirrored: Singles,
) -> Singles:
    """Light that surfaces send to the camera, and that of the sky where there is none: (n, 3).

    Args:
        lamps: Of the scene.
        finish: Of its surfaces.
        surface: (n,) -1 for none.
        points: (n, 3).
        normals: (n, 3).
        rays: (n, 3) from the camera.
        colours: (n, 3) linear RGB.
        seen: (n, lamps) share of each lamp that is seen.
        spread: (n, 3) what `diffuse` gives.
        mirrored: (n, 3) light that comes from the mirrored direction.
    """
    light = np.empty((len(surface), 3), np.float32)
    for index in range(len(surface)):
        here, ray = surface[index], row(rays, index)
        if here < 0:
            put(light, index, sky(lamps, ray[2]))
            continue
        point, normal, colour = row(points, index), row(normals, index), row(colours, index)
        metal, rough = finish.metallic[here], finish.roughness[here]
        plain = finish.specular[here] * (1 - metal)
        if metal > 0:
            # Metals mirror most of the light whatever their colour, so a dark word is not a dark mirror.
            colour = colour[0] ** 0.6, colour[1] ** 0.6, colour[2] ** 0.6
        base = along((plain, plain, plain), colour, metal * (1 - SATIN))
        facing = max(0.02, -dot(normal, ray))
        # Fresnel: all surfaces mirror more at a slant, rough ones less so.
        away = (1 - facing) * (1 - facing)
        slanted = away * away * (1 - facing) * (1 - rough) * (1 - rough)
        share = along(base, (1 - base[0], 1 - base[1], 1 - base[2]), slanted)
        total = row(spread, index)
        keep = 1 - share[1] if metal == 0 else 1 - metal * (1 - SATIN)
        total = total[0] * keep, total[1] * keep, total[2] * keep
        glance = _highlights(lamps, point, normal, ray, rough, facing, seen, index)
        for axis in range(3):
            light[index, axis] = total[axis] + share[axis] * (mirrored[index, axis] + glance[axis])
    return light


@inlined
def _highlights(
    lamps: Lamps, point: Vector, normal: Vector, ray: Vector, rough: float, facing: float, seen: Singles, index: int
) -> Vector:
    """Light of the lamps that is mirrored by tiny facets, after Trowbridge and Reitz."""
    total = 0.0, 0.0, 0.0
    for lamp in range(len(lamps.place)):
        if seen[index, lamp] == 0:
            continue
        direction, far, power = towards(lamps, lamp, point)
        cosine = dot(direction, normal)
        if cosine <= 0:
            continue
        alpha = max(rough * rough, 0.002)
        # A lamp that is not a point makes a wider, weaker highlight.
        wide = min(1.0, alpha + 0.5 * lamps.radius[lamp] / far)
        half = dot(unit((direction[0] - ray[0], direction[1] - ray[1], direction[2] - ray[2])), normal)
        spread = half * half * (wide * wide - 1) + 1
        facets = wide * wide / (math.pi * spread * spread) * (alpha / wide) ** 2
        bulk = (rough + 1) ** 2 / 8
        hidden = 4 * (cosine * (1 - bulk) + bulk) * (facing * (1 - bulk) + bulk)
        total = along(total, row(lamps.power, lamp), math.pi * cosine * power * seen[index, lamp] * facets / hidden)
    return total
