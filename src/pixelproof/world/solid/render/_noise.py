"""Noise functions by integer hashing: the same values on every machine."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Vector

from ._compiled import compiled

Singles = npt.NDArray[np.float32]


_MIX = 0xD6E8FEB86659FD93
_AXES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@compiled
def cell_hash(x: int, y: int, z: int) -> float:
    """Pseudo-random number from 0 to 1 of a grid cell."""
    code = np.uint64(x) * np.uint64(_AXES[0]) ^ np.uint64(y) * np.uint64(_AXES[1]) ^ np.uint64(z) * np.uint64(_AXES[2])
    code = (code ^ (code >> np.uint64(32))) * np.uint64(_MIX)
    code = (code ^ (code >> np.uint64(32))) * np.uint64(_MIX)
    return float(np.int64(code >> np.uint64(12))) * 2.0**-52


def _table(side: int) -> Singles:
    """Pseudo-random numbers from -1 to 1 for the cells of a cube, by the same hash."""
    x, y, z = (np.arange(side, dtype=np.uint64) * np.uint64(axis) for axis in _AXES)
    code = x[:, None, None] ^ y[:, None] ^ z
    for _ in range(2):
        code = (code ^ (code >> np.uint64(32))) * np.uint64(_MIX)
    return np.asarray((code >> np.uint64(12)) * 2.0**-51 - 1, np.float32)


_TABLE = _table(32)  # a lookup is faster than hashing the eight corners of a cell


@compiled
def noise(x: float, y: float, z: float) -> float:
    """Value noise from -1 to 1 with features of about length 1; periodic with period 32."""
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    u, v, w = x - i, y - j, z - k
    u, v, w = u * u * (3 - 2 * u), v * v * (3 - 2 * v), w * w * (3 - 2 * w)
    a, b, c = int(i) & 31, int(j) & 31, int(k) & 31
    d, e, f = (a + 1) & 31, (b + 1) & 31, (c + 1) & 31
    low = _mix(_mix(_TABLE[a, b, c], _TABLE[d, b, c], u), _mix(_TABLE[a, e, c], _TABLE[d, e, c], u), v)
    high = _mix(_mix(_TABLE[a, b, f], _TABLE[d, b, f], u), _mix(_TABLE[a, e, f], _TABLE[d, e, f], u), v)
    return _mix(low, high, w)


@compiled
def fractal_noise(place: Vector, width: float, octaves: int) -> float:
    """Fractal noise: octaves of half the length and amplitude each; octaves finer than a pixel fade out."""
    total, strength, size = 0.0, 0.5, 1.0
    for _ in range(octaves):
        kept = fade(width * size)
        if kept <= 0:
            break
        total += strength * kept * noise(place[0] * size, place[1] * size, place[2] * size)
        strength, size = strength / 2, size * 2
    return total


@compiled
def cells(x: float, y: float, z: float) -> tuple[float, float]:
    """Worley noise: distance to the nearest feature point (one per cell), and a random number of that point."""
    i, j, k = int(math.floor(x - 0.5)), int(math.floor(y - 0.5)), int(math.floor(z - 0.5))
    best, number = 9.0, 0.0
    # Points keep a distance from the walls of their cells, so the nearest is in one of eight cells.
    for a in range(i, i + 2):
        for b in range(j, j + 2):
            for c in range(k, k + 2):
                one = cell_hash(a, b, c)
                u, v, w = a - x + 0.2 + 0.6 * one, b - y + 0.2 + 0.6 * _rest(one * 61.7), c - z + 0.2
                w += 0.6 * _rest(one * 977.3)
                square = u * u + v * v + w * w
                if square < best:
                    best, number = square, _rest(one * 7919.9)
    return math.sqrt(best), number


@compiled
def _rest(x: float) -> float:
    return x - math.floor(x)


@compiled
def fade(width: float) -> float:
    """Contrast that remains of a pattern of period 1 when filtered by a pixel of a width."""
    return min(1.0, max(0.0, 1.6 - 1.6 * width))


@compiled
def band(x: float, duty: float, width: float) -> float:
    """Box-filtered square wave of period 1 and a duty cycle: exact for any pixel width."""
    width = max(width, 1e-6)
    return (_area(x + width / 2, duty) - _area(x - width / 2, duty)) / width


@compiled
def _area(x: float, duty: float) -> float:
    whole = math.floor(x)
    return whole * duty + min(x - whole, duty)


@compiled
def _mix(a: float, b: float, share: float) -> float:
    return a + (b - a) * share
