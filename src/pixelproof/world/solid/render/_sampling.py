"""Sets of sample points that fill a square, a disc or a hemisphere evenly, shared out among the pixels of a tile.

A tile is 4 × 4 pixels. Each pixel takes another block of one set, so that each has few samples, which lie well apart,
and any 4 × 4 pixels have all of them: their mean has no grain.
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
    """The first points of Sobol's sequence, of shape (count, 2), each in the middle of its cell.

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
    """Points of the unit disc for each pixel of a tile, of shape (16, count, 2)."""
    x, y = (square(TILE * TILE * count) * 2 - 1).T
    wide = np.abs(x) > np.abs(y)
    radius = np.where(wide, x, y)
    angle = np.where(wide, y / np.where(wide, x, 1), 2 - x / np.where(wide, 1, y)) * np.pi / 4
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(TILE * TILE, count, 2)


@cache
def probes(count: int) -> Floats:
    """Points of the unit disc for each pixel of a tile, of shape (16, count, 2): by turns on its rim and half-way in.

    They find out whether all of a disc is seen, or none of it.
    """
    order = square(TILE * TILE)[:, :1] / count + np.arange(count) / count
    far = np.where((np.arange(TILE * TILE)[:, None] + np.arange(count)) % 2, 0.5, 1.0)
    return np.stack([far * np.cos(2 * np.pi * order), far * np.sin(2 * np.pi * order)], axis=-1)


def tile_places(width: int, height: int, step: int) -> npt.NDArray[np.int32]:
    """Which of the 16 places of a tile each pixel has, of shape (height · width,); neighbours have close numbers.

    Args:
        width: Of the picture.
        height: Of the picture.
        step: Distance of the pixels that make up tiles.

    >>> tile_places(4, 2, 1).reshape(2, 4).tolist()
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """
    x, y = np.arange(width, dtype=np.int32) // step, np.arange(height, dtype=np.int32)[:, None] // step
    return ((x & 1 | (x & 2) << 1) | ((y & 1) << 1 | (y & 2) << 2)).reshape(-1)


def blocks(count: int, rays: int) -> Iterator[slice]:
    """Points in blocks that together cast so many rays that memory does not matter.

    >>> [(block.start, block.stop) for block in blocks(100_000, 4)]
    [(0, 65536), (65536, 131072)]
    """
    step = max(1, (1 << 18) // rays)
    return (slice(start, start + step) for start in range(0, count, step))
