"""Light that comes from other surfaces and from the sky: gathered evenly, or mirrored."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._caster import Caster
from ._compiled import compiled
from ._hits import Hits
from ._lamps import REACHING, Lamps, half_sky, sky, towards
from ._meshes import Meshes
from ._sampling import blocks, disc
from ._vectors import along, beside, cross, dot, minus, put, row, unit

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


class Screen(NamedTuple):
    """The picture so far, in which rays find the light of what they meet, where that is in the picture."""

    glow: Singles
    """(n, 3) light that each pixel sends out."""
    surface: Ints
    points: Singles
    normals: Singles
    width: int
    turn: Floats
    matrix: Floats


def gather(
    caster: Caster, mesh: Meshes, lamps: Lamps, screen: Screen, hits: Hits, chosen: Places, places: Ints, count: int
) -> Singles:
    """The mean light that falls on chosen points from all sides, of shape (chosen, 3)."""
    light = np.empty((len(chosen), 3), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _around(hits.lifted, hits.normals, chosen[block], places, disc(count))
        light[block] = _mean(caster, mesh, lamps, screen, origins, directions, count)
    return light


def mirror(
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
    """The mean light that chosen points mirror, of shape (chosen, 3); `roughness` is that of each hit."""
    light = np.empty((len(chosen), 3), np.float32)
    for block in blocks(len(chosen), count):
        origins, directions = _mirrored(
            hits.lifted, hits.normals, hits.rays, roughness, chosen[block], places, disc(count)
        )
        light[block] = _mean(caster, mesh, lamps, screen, origins, directions, count)
    return light


def _mean(
    caster: Caster, mesh: Meshes, lamps: Lamps, screen: Screen, origins: Singles, directions: Singles, count: int
) -> Singles:
    """The mean light that comes back along each so many rays."""
    triangle = caster.meet(origins, directions)
    return _sent(
        triangle, origins, directions, mesh.vertices, mesh.faces, mesh.surface, mesh.colours, lamps, screen, count
    )


@compiled
def _around(
    lifted: Singles, normals: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """Rays from each point into the half-space above it, more often along the normal than beside it."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point, normal = row(lifted, index), row(normals, index)
        start = along(point, normal, 1e-4 * dot(point, point) ** 0.5)
        one, two = beside(normal)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            up = math.sqrt(max(0.0, 1 - u * u - v * v)) + 1e-3
            way = normal[0] * up, normal[1] * up, normal[2] * up
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, along(along(way, one, u), two, v))
    return origins, directions


@compiled
def _mirrored(
    lifted: Singles, normals: Singles, rays: Singles, roughness: Singles, chosen: Places, places: Ints, pattern: Floats
) -> tuple[Singles, Singles]:
    """The mirrored ray of each point, scattered by the roughness of its surface."""
    count = pattern.shape[1]
    origins = np.empty((len(chosen) * count, 3), np.float32)
    directions = np.empty((len(chosen) * count, 3), np.float32)
    for place, index in enumerate(chosen):
        point, normal, ray = row(lifted, index), row(normals, index), row(rays, index)
        start = along(point, normal, 1e-4 * dot(point, point) ** 0.5)
        one, two = beside(normal)
        for sample in range(count):
            u, v = pattern[places[index], sample, 0], pattern[places[index], sample, 1]
            # The slope of the tiny facets that a rough surface is thought to consist of.
            slope = roughness[index] ** 2 / math.sqrt(1 - min(u * u + v * v, 0.95))
            facet = unit(along(along(normal, one, u * slope), two, v * slope))
            out = along(ray, facet, -2 * dot(ray, facet))
            above = dot(out, normal)
            if above < 0.01:
                out = along(out, normal, 0.02 - above)
            put(origins, place * count + sample, start)
            put(directions, place * count + sample, out)
    return origins, directions


@compiled
def _sent(
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
    """The mean light that comes back along each so many rays from the triangles that they meet."""
    light = np.zeros((len(triangle) // count, 3), np.float32)
    for index in range(len(triangle)):
        ray, face = row(directions, index), triangle[index]
        if face < 0:
            sent = sky(lamps, unit(ray)[2])
        else:
            a, b, c = row(vertices, faces[face, 0]), row(vertices, faces[face, 1]), row(vertices, faces[face, 2])
            flat, origin = unit(cross(minus(b, a), minus(c, a))), row(origins, index)
            if dot(flat, ray) > 0:
                flat = -flat[0], -flat[1], -flat[2]
            point = along(origin, ray, dot(flat, minus(a, origin)) / min(dot(flat, ray), -1e-9))
            pixel = _pixel(screen, point, flat, surface[face])
            sent = row(screen.glow, pixel) if pixel >= 0 else _guess(lamps, point, flat, row(colours, surface[face]))
        put(light, index // count, along(row(light, index // count), sent, 1 / count))
    return light


@compiled
def _pixel(screen: Screen, point: Vector, normal: Vector, surface: int) -> int:
    """The pixel that shows a point of a surface; -1 where none does."""
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
    way = minus(row(screen.points, pixel), point)
    return pixel if dot(way, way) < (0.02 * depth) ** 2 else -1


@compiled
def _guess(lamps: Lamps, point: Vector, normal: Vector, colour: Vector) -> Vector:
    """The light that a surface sends back, if some of it reaches it."""
    light = half_sky(lamps, normal[2])
    for lamp in range(len(lamps.place)):
        direction, _, share = towards(lamps, lamp, point)
        light = along(light, row(lamps.power, lamp), max(0.0, dot(direction, normal)) * share)
    return light[0] * colour[0] * REACHING, light[1] * colour[1] * REACHING, light[2] * colour[2] * REACHING
