"""Anti-aliasing: finds the pixels that need several rays, and pixels to take their colours from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._compiled import compiled
from ._vectors import dot, row, subtract

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


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
