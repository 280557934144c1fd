"""Low-discrepancy sample points for the pixels of a tile, and edge-preserving smoothing of the noisy light.

A tile is 4 × 4 pixels. Each pixel uses another block of one sequence, so each has few, well separated samples, and any
4 × 4 pixels have all of them: their mean has little noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import Bools, Singles, compiled, inlined
from ._vectors import add_scaled, dot, put, row, subtract

TILE = 4


@cache
def square(count: int) -> Floats:
    """The first points of the Sobol sequence, (count, 2), each centred in its cell.

    >>> square(4).tolist()
    [[0.125, 0.125], [0.625, 0.625], [0.375, 0.875], [0.875, 0.375]]
    """
    one = two = 1 << 31
    codes = np.zeros((count, 2), np.uint64)
    for bit in range(max(1, (count - 1).bit_length())):
        chosen = (np.arange(count) >> bit & 1).astype(bool)
        codes[chosen] ^= np.array([one >> bit, two], np.uint64)
        two ^= two >> 1
    return np.asarray(codes / 2.0**32 + 0.5 / count)


@cache
def disc(count: int) -> Floats:
    """Points of the unit disc for each pixel of a tile, (16, count, 2)."""
    x, y = (square(TILE * TILE * count) * 2 - 1).T
    wide = np.abs(x) > np.abs(y)
    radius = np.where(wide, x, y)
    angle = np.where(wide, y / np.where(wide, x, 1), 2 - x / np.where(wide, 1, y)) * np.pi / 4
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(TILE * TILE, count, 2)


@cache
def probes(count: int) -> Floats:
    """Points of the unit disc for each pixel of a tile, (16, count, 2), alternating between radius 1 and 0.5.

    They test whether a disc is entirely visible or entirely occluded.
    """
    order = square(TILE * TILE)[:, :1] / count + np.arange(count) / count
    far = np.where((np.arange(TILE * TILE)[:, None] + np.arange(count)) % 2, 0.5, 1.0)
    return np.stack([far * np.cos(2 * np.pi * order), far * np.sin(2 * np.pi * order)], axis=-1)


def tile_places(width: int, height: int, step: int) -> npt.NDArray[np.int32]:
    """Index of each pixel in its tile, 0 to 15 in Z-order, (height · width,).

    Args:
        width: Width of the image in pixels.
        height: Height of the image in pixels.
        step: Spacing of the pixels that form tiles.

    >>> tile_places(4, 2, 1).reshape(2, 4).tolist()
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """
    x, y = np.arange(width, dtype=np.int32) // step, np.arange(height, dtype=np.int32)[:, None] // step
    return ((x & 1 | (x & 2) << 1) | ((y & 1) << 1 | (y & 2) << 2)).reshape(-1)


def blocks(count: int, rays: int) -> Iterator[slice]:
    """Slices of `count` points, so that each slice casts a bounded number of rays.

    >>> [(block.start, block.stop) for block in blocks(100_000, 4)]
    [(0, 65536), (65536, 131072)]
    """
    step = max(1, (1 << 18) // rays)
    return (slice(start, start + step) for start in range(0, count, step))


@compiled
def smooth(
    values: Singles,
    known: Bools,
    wanted: Bools,
    points: Singles,
    normals: Singles,
    width: int,
    step: int,
    near: float,
    likeness: float,
) -> None:
    """Set wanted pixels to the mean over the known pixels of the tile around them on the same smooth surface.

    Where there are few of these, as at an edge, the window is twice as large.

    Args:
        values: (n, channels), valid at known pixels; overwritten at wanted pixels.
        known: (n,) mask of pixels with a value, in rows and columns that are multiples of `step`.
        wanted: (n,) mask, a subset of known.
        points: (n, 3).
        normals: (n, 3).
        width: Width of the image in pixels.
        step: Spacing of known pixels.
        near: Maximum distance from the tangent plane, per metre from the camera.
        likeness: Minimum cosine between normals.
    """
    old, channels = values.copy(), values.shape[1]
    height = len(values) // width
    total = np.empty(channels)
    for index in range(len(values)):
        if not wanted[index]:
            continue
        x, y = index % width // step, index // width // step
        point, normal = row(points, index), row(normals, index)
        limit = near * dot(point, point) ** 0.5
        count = 0
        for reach in (2, 4):
            if reach == 4 and count >= 10:
                break
            total[:] = 0.0
            count = 0
            for v in range(max(0, y - reach) * step, min(height, (y + reach) * step), step):
                for u in range(max(0, x - reach) * step, min(width, (x + reach) * step), step):
                    other = v * width + u
                    if known[other] and _same_surface(point, normal, points, normals, other, limit, likeness):
                        count += 1
                        for channel in range(channels):
                            total[channel] += old[other, channel]
        for channel in range(channels):
            values[index, channel] = total[channel] / count


@compiled
def interpolate(
    values: Singles,
    known: Bools,
    wanted: Bools,
    points: Singles,
    normals: Singles,
    width: int,
    step: int,
    near: float,
    likeness: float,
) -> Bools:
    """Set wanted pixels by bilinear interpolation over the known grid pixels on the same smooth surface.

    The arguments are those of `smooth`, but wanted pixels need not be known.

    Returns:
        (n,) mask of wanted pixels without such a neighbour; their values are unchanged.
    """
    height = len(values) // width
    isolated = np.zeros(len(values), np.bool_)
    for index in range(len(values)):
        if not wanted[index] or known[index]:
            continue
        x, y = index % width // step * step, index // width // step * step
        point, normal = row(points, index), row(normals, index)
        limit, whole, total = near * dot(point, point) ** 0.5, 0.0, (0.0, 0.0, 0.0)
        for v in (y, y + step):
            for u in (x, x + step):
                other = v * width + u
                weight = (step - abs(index % width - u)) * (step - abs(index // width - v))
                if u >= width or v >= height or weight <= 0 or not known[other]:
                    continue
                if _same_surface(point, normal, points, normals, other, limit, likeness):
                    whole += weight
                    total = add_scaled(total, row(values, other), weight)
        isolated[index] = whole == 0
        if whole > 0:
            put(values, index, (total[0] / whole, total[1] / whole, total[2] / whole))
    return isolated


@inlined
def _same_surface(
    point: Vector, normal: Vector, points: Singles, normals: Singles, other: int, limit: float, likeness: float
) -> bool:
    """Whether another pixel lies on the same smooth surface."""
    if dot(normal, row(normals, other)) < likeness:
        return False
    return abs(dot(normal, subtract(row(points, other), point))) <= limit
