"""Indirect light from other surfaces and the sky: diffuse (one bounce) and specular."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import Ints, Places, Singles, compiled
from ._hits import Hits
from ._meshes import Meshes
from ._shading import REACHING, Lamps, direction_to, hemisphere_sky, sky
from ._smooth import blocks, disc
from ._structure import Caster
from ._vectors import add_scaled, cross, dot, normalise, put, row, subtract, tangent_basis


class Screen(NamedTuple):
    """The image rendered so far; rays that hit a visible surface take their radiance from it."""

    glow: Singles
    """(n, 3) diffuse radiance of each pixel."""
    surface: Ints
    points: Singles
    normals: Singles
    width: int
    turn: Floats
    matrix: Floats


def gather(
    caster: Caster, mesh: Meshes, lamps: Lamps, screen: Screen, hits: Hits, chosen: Places, places: Ints, count: int
) -> Singles:
    """Mean incoming radiance over the hemisphere of each chosen point, with `count` rays each: (chosen, 3)."""
    light = np.empty((len(chosen), 3), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _hemisphere_rays(hits.lifted, hits.normals, chosen[block], places, disc(count))
        light[block] = _trace(caster, mesh, lamps, screen, origins, directions, count)
    return light


def reflect(
    caster: Caster,
    mesh: Meshes,
    lamps: Lamps,
    screen: Screen,
    hits: Hits,
    roughness: Singles,
    chosen: Places,
    places: Ints,
    count: int,
) -> Singles:
    """Mean radiance from the mirror direction of each chosen point, with `count` rays each: (chosen, 3).

    `roughness` has a value for each hit, and spreads the rays.
    """
    light = np.empty((len(chosen), 3), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _reflected_rays(
            hits.lifted, hits.normals, hits.rays, roughness, chosen[block], places, disc(count)
        )
        light[block] = _trace(caster, mesh, lamps, screen, origins, directions, count)
    return light


def _trace(
    caster: Caster, mesh: Meshes, lamps: Lamps, screen: Screen, origins: Singles, directions: Singles, count: int
) -> Singles:
    """Trace rays; returns the mean radiance of each group of `count` consecutive rays."""
    triangle = caster.intersect(origins, directions)
    return _mean_radiance(
        triangle, origins, directions, mesh.vertices, mesh.faces, mesh.surface, mesh.colours, lamps, screen, count
    )


@compiled
def _hemisphere_rays(
    lifted: Singles, normals: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """Cosine-weighted hemisphere rays, one per sample of the pattern and chosen point: origins, directions."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point, normal = row(lifted, index), row(normals, index)
        start = add_scaled(point, normal, 1e-4 * dot(point, point) ** 0.5)
        one, two = tangent_basis(normal)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            up = math.sqrt(max(0.0, 1 - u * u - v * v)) + 1e-3
            way = normal[0] * up, normal[1] * up, normal[2] * up
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, add_scaled(add_scaled(way, one, u), two, v))
    return origins, directions


@compiled
def _reflected_rays(
    lifted: Singles, normals: Singles, rays: Singles, roughness: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """Reflected camera rays of the chosen points, spread by the roughness of the surface: origins, directions."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point, normal, ray = row(lifted, index), row(normals, index), row(rays, index)
        start = add_scaled(point, normal, 1e-4 * dot(point, point) ** 0.5)
        one, two = tangent_basis(normal)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            # Slope of a microfacet.
            slope = roughness[index] ** 2 / math.sqrt(1 - min(u * u + v * v, 0.95))
            facet = normalise(add_scaled(add_scaled(normal, one, u * slope), two, v * slope))
            out = add_scaled(ray, facet, -2 * dot(ray, facet))
            above = dot(out, normal)
            if above < 0.01:
                out = add_scaled(out, normal, 0.02 - above)
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, out)
    return origins, directions


@compiled
def _mean_radiance(
    triangle: Ints,
    origins: Singles,
    directions: Singles,
    vertices: Floats,
    faces: Ints,
    surface: Ints,
    colours: Floats,
    lamps: Lamps,
    screen: Screen,
    count: int,
) -> Singles:
    """Mean radiance of each group of `count` rays, given the triangle that each ray hits (-1: the sky)."""
    light = np.zeros((len(triangle) // count, 3), np.float32)
    for index in range(len(triangle)):
        ray, face = row(directions, index), triangle[index]
        if face < 0:
            radiance = sky(lamps, normalise(ray)[2])
        else:
            a, b, c = row(vertices, faces[face, 0]), row(vertices, faces[face, 1]), row(vertices, faces[face, 2])
            flat, origin = normalise(cross(subtract(b, a), subtract(c, a))), row(origins, index)
            if dot(flat, ray) > 0:
                flat = -flat[0], -flat[1], -flat[2]
            point = add_scaled(origin, ray, dot(flat, subtract(a, origin)) / min(dot(flat, ray), -1e-9))
            pixel = _pixel(screen, point, flat, surface[face])
            radiance = (
                row(screen.glow, pixel)
                if pixel >= 0
                else _estimate_radiance(lamps, point, flat, row(colours, surface[face]))
            )
        put(light, index // count, add_scaled(row(light, index // count), radiance, 1 / count))
    return light


@compiled
def _pixel(screen: Screen, point: Vector, normal: Vector, surface: int) -> int:
    """Index of the pixel that shows a point of a surface; -1 if none does."""
    turn, matrix = screen.turn, screen.matrix
    depth = point[0] * turn[0, 2] + point[1] * turn[1, 2] + point[2] * turn[2, 2]
    if depth <= 0:
        return -1
    x = (point[0] * turn[0, 0] + point[1] * turn[1, 0] + point[2] * turn[2, 0]) / depth * matrix[0, 0] + matrix[0, 2]
    y = (point[0] * turn[0, 1] + point[1] * turn[1, 1] + point[2] * turn[2, 1]) / depth * matrix[1, 1] + matrix[1, 2]
    if not (0 <= x < screen.width and 0 <= y < len(screen.surface) // screen.width):
        return -1
    pixel = int(y) * screen.width + int(x)
    if screen.surface[pixel] != surface or dot(normal, row(screen.normals, pixel)) < 0.5:
        return -1
    way = subtract(row(screen.points, pixel), point)
    return pixel if dot(way, way) < (0.02 * depth) ** 2 else -1


@compiled
def _estimate_radiance(lamps: Lamps, point: Vector, normal: Vector, colour: Vector) -> Vector:
    """Estimated radiance of a surface outside the image, without tracing shadows."""
    light = hemisphere_sky(lamps, normal[2])
    for lamp in range(len(lamps.place)):
        direction, _, share = direction_to(lamps, lamp, point)
        light = add_scaled(light, row(lamps.power, lamp), max(0.0, dot(direction, normal)) * share)
    return light[0] * colour[0] * REACHING, light[1] * colour[1] * REACHING, light[2] * colour[2] * REACHING
