"""Low-discrepancy sample points, distributed among the pixels of a tile.

A tile is 4 × 4 pixels. Each pixel uses another block of one sequence, so each has few, well separated samples, and any
4 × 4 pixels have all of them: their mean has little noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats

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
