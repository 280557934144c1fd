"""Light sources (lamps, the sun, the sky), and reflection: diffuse, Fresnel and microfacet highlights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector
from pixelproof.world.solid._scene import Scene

from ._compiled import Ints, Singles, compiled, inlined
from ._meshes import Meshes
from ._vectors import add_scaled, dot, normalise, put, row, subtract

REACHING = 0.6
"""Assumed share of unoccluded light, where no rays are traced."""


class Lamps(NamedTuple):
    """All light sources of a scene, for compiled loops; the origin is the camera."""

    place: Floats
    """(l, 3) position of a lamp; direction to the sun."""
    sun: npt.NDArray[np.bool_]
    radius: Floats
    power: Floats
    """(l, 3) linear RGB."""
    sky: Floats
    """(3, 3) linear RGB of ground, horizon and zenith."""
    outdoors: Floats
    """(3,) factor of the sky where the camera sees it."""


def lamps(scene: Scene) -> Lamps:
    """The lights and the environment of a scene."""
    places, sun = np.empty((len(scene.lights), 3)), np.array([light.kind == "sun" for light in scene.lights], np.bool_)
    for index, light in enumerate(scene.lights):
        place = np.array(light.position)
        places[index] = place / np.linalg.norm(place) if sun[index] else place - scene.camera.position
    radius = np.array([light.radius for light in scene.lights], np.float64)
    power = np.array([light.power for light in scene.lights], np.float64).reshape(-1, 3)
    around = scene.environment
    return Lamps(
        places,
        sun,
        radius,
        power,
        np.array([around.ground, around.horizon, around.zenith]),
        np.array(around.outdoors),
    )


@inlined
def direction_to(lamps: Lamps, lamp: int, point: Vector) -> tuple[Vector, float, float]:
    """Unit direction to a lamp, its distance, and the attenuation of its power; (direction, 1, 1) for the sun."""
    place = row(lamps.place, lamp)
    if lamps.sun[lamp]:
        return place, 1.0, 1.0
    way = subtract(place, point)
    square = max(way[0] * way[0] + way[1] * way[1] + way[2] * way[2], 1e-6)
    far = math.sqrt(square)
    return (way[0] / far, way[1] / far, way[2] / far), far, 1 / square


@inlined
def sky(lamps: Lamps, height: float) -> Vector:
    """Sky radiance from a unit direction with z component `height`."""
    horizon = row(lamps.sky, 1)
    if height >= 0:
        return add_scaled(horizon, subtract(row(lamps.sky, 2), horizon), height * (2 - height))
    share = min(1.0, -4 * height)
    return add_scaled(horizon, subtract(row(lamps.sky, 0), horizon), share * (2 - share))


@inlined
def hemisphere_sky(lamps: Lamps, height: float) -> Vector:
    """Mean sky radiance over the hemisphere of a normal with z component `height`."""
    up = 0.5 + 0.5 * height
    ground, horizon, zenith = row(lamps.sky, 0), row(lamps.sky, 1), row(lamps.sky, 2)
    above = add_scaled(zenith, subtract(horizon, zenith), 0.5)
    return add_scaled(ground, subtract(above, ground), up)


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
