"""Reflection models: diffuse, Fresnel and microfacet highlights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled, inlined
from ._lamps import REACHING, Lamps, direction_to, hemisphere_sky, sky
from ._meshes import Meshes
from ._vectors import add_scaled, dot, normalise, put, row

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


SATIN = 0.35
"""Diffuse share of metals, so that their colour shows from all sides."""


class Finish(NamedTuple):
    """Reflection parameters of the surfaces, (s,) each."""

    roughness: Floats
    specular: Floats
    metallic: Floats


def finish(mesh: Meshes) -> Finish:
    """Reflection parameters of all surfaces."""
    table = np.array(
        [(material.roughness, material.specular, material.metallic) for material in mesh.materials]
    ).reshape(-1, 3)
    return Finish(*np.ascontiguousarray(table.T))


@compiled
def sky_guess(lamps: Lamps, normals: Singles) -> Singles:
    """Estimated diffuse indirect light at points with given normals, (n, 3)."""
    light = np.empty((len(normals), 3), np.float32)
    for index in range(len(normals)):
        whole = hemisphere_sky(lamps, normals[index, 2])
        put(light, index, (whole[0] * REACHING, whole[1] * REACHING, whole[2] * REACHING))
    return light


@compiled
def diffuse(
    lamps: Lamps, surface: Ints, points: Singles, normals: Singles, colours: Singles, seen: Singles, around: Singles
) -> Singles:
    """Diffuse radiance, as if no surface were metal: (n, 3).

    Args:
        lamps: Lights of the scene.
        surface: (n,) index of the surface; -1 for none.
        points: (n, 3).
        normals: (n, 3).
        colours: (n, 3) linear RGB.
        seen: (n, lamps) visible share of each lamp.
        around: (n, 3) diffuse indirect light.
    """
    light = np.zeros((len(surface), 3), np.float32)
    for index in range(len(surface)):
        if surface[index] < 0:
            continue
        point, normal, total = row(points, index), row(normals, index), row(around, index)
        for lamp in range(len(lamps.place)):
            if seen[index, lamp] > 0:
                direction, _, share = direction_to(lamps, lamp, point)
                cosine = max(0.0, dot(direction, normal))
                total = add_scaled(total, row(lamps.power, lamp), cosine * share * seen[index, lamp])
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
    """Radiance towards the camera; sky radiance where there is no surface: (n, 3).

    Args:
        lamps: Lights of the scene.
        finish: Reflection parameters of its surfaces.
        surface: (n,) index of the surface; -1 for none.
        points: (n, 3).
        normals: (n, 3).
        rays: (n, 3) from the camera.
        colours: (n, 3) linear RGB.
        seen: (n, lamps) visible share of each lamp.
        spread: (n, 3) result of `diffuse`.
        mirrored: (n, 3) specular indirect light.
    """
    light = np.empty((len(surface), 3), np.float32)
    for index in range(len(surface)):
        here, ray = surface[index], row(rays, index)
        if here < 0:
            seen_sky = sky(lamps, ray[2])
            for axis in range(3):
                light[index, axis] = seen_sky[axis] * lamps.outdoors[axis]
            continue
        point, normal, colour = row(points, index), row(normals, index), row(colours, index)
        metal, rough = finish.metallic[here], finish.roughness[here]
        plain = finish.specular[here] * (1 - metal)
        if metal > 0:
            # Metals reflect most of the light whatever their colour word.
            colour = colour[0] ** 0.6, colour[1] ** 0.6, colour[2] ** 0.6
        base = add_scaled((plain, plain, plain), colour, metal * (1 - SATIN))
        facing = max(0.02, -dot(normal, ray))
        # Fresnel: reflectance grows at grazing angles, less so on rough surfaces.
        away = (1 - facing) * (1 - facing)
        slanted = away * away * (1 - facing) * (1 - rough) * (1 - rough)
        share = add_scaled(base, (1 - base[0], 1 - base[1], 1 - base[2]), slanted)
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
    """Specular highlights of the lamps: Trowbridge–Reitz (GGX) microfacets."""
    total = 0.0, 0.0, 0.0
    for lamp in range(len(lamps.place)):
        if seen[index, lamp] == 0:
            continue
        direction, far, power = direction_to(lamps, lamp, point)
        cosine = dot(direction, normal)
        if cosine <= 0:
            continue
        alpha = max(rough * rough, 0.002)
        # An area light makes a wider, weaker highlight.
        wide = min(1.0, alpha + 0.5 * lamps.radius[lamp] / far)
        half = dot(normalise((direction[0] - ray[0], direction[1] - ray[1], direction[2] - ray[2])), normal)
        spread = half * half * (wide * wide - 1) + 1
        facets = wide * wide / (math.pi * spread * spread) * (alpha / wide) ** 2
        bulk = (rough + 1) ** 2 / 8
        hidden = 4 * (cosine * (1 - bulk) + bulk) * (facing * (1 - bulk) + bulk)
        total = add_scaled(
            total, row(lamps.power, lamp), math.pi * cosine * power * seen[index, lamp] * facets / hidden
        )
    return total
