"""Noise by integer hashing, and procedural textures in a thing's frame, filtered to the width of a pixel.

A texture returns the brightness of a point (mean 1) and the share of the surface's second colour.
"""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._poses import Vector

from ._compiled import Singles, compiled

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


TEXTURES = (
    "", "wood", "fibre", "weave", "leather", "speckle", "marble", "tiles", "bricks", "stripes", "checks", "dots",
    "mottle", "plaster",
)  # fmt: skip
SECOND = {"marble": 0.06, "tiles": 0.06, "bricks": 0.17, "stripes": 0.4, "checks": 0.36, "dots": 0.25}
"""Mean share of the second colour."""
JOINTED = (TEXTURES.index("tiles"), TEXTURES.index("bricks"))
"""Textures whose bump map is in their narrow joints."""


@compiled
def pattern(kind: int, place: Vector, normal: Vector, width: float, boards: float) -> tuple[float, float]:
    """Brightness and share of the second colour at a point, in units of the texture's grain.

    Args:
        kind: Index in `TEXTURES`.
        place: Point in the thing's frame; the first axis is the longest of the part.
        normal: Normal at the point.
        width: Width of a pixel.
        boards: Width of floor boards; zero for none.
    """
    x, y, z = place
    if kind == 1:
        return _wood(x, y, z, width, boards), 0.0
    if kind == 2:
        return 1 + 0.16 * fractal_noise((x, y, z * 3), width, 3) + 0.05 * noise(x / 9, y / 9, z / 9), 0.0
    if kind == 4:
        far, _ = cells(x, y, z)
        return 1 + 0.5 * (0.52 - far) * fade(width), 0.0
    if kind == 5:
        far, number = cells(x, y, z)
        dot = max(0.0, min(1.0, (0.5 - far) * 8)) * fade(width)
        return 1 + dot * (number - 0.5) * 0.6 + 0.06 * noise(x / 3, y / 3, z / 3), 0.0
    if kind == 6:
        return _marble(x, y, z, width)
    if kind == 9:
        return 1.0, band(z, 0.4, width)
    if kind == 12:
        return 1 + 0.22 * fractal_noise((x, y, z), width, 3), 0.0
    if kind == 13:
        return 1 + 0.05 * fractal_noise((x, y, z), width, 4), 0.0
    bright, second, whole = 0.0, 0.0, 0.0
    # Triplanar mapping.
    for axis in range(3):
        weight = max(0.0, abs(normal[axis]) - 0.3) ** 4 + 1e-9
        if weight < 1e-4:
            continue
        u, v = (y, z) if axis == 0 else (x, z) if axis == 1 else (x, y)
        one, two = _flat(kind, u, v, width)
        bright, second, whole = bright + weight * one, second + weight * two, whole + weight
    return bright / whole, second / whole


@compiled
def _wood(x: float, y: float, z: float, width: float, boards: float) -> float:
    tone, seam = 1.0, 0.0
    if boards > 0:
        board = math.floor(y / boards)
        seam = band(y / boards, 0.02, width / boards)
        length = 12 * boards
        x += 97.3 * cell_hash(int(board), 3, 1)
        seam = max(seam, band(x / length, 0.02 * boards / length, width / length))
        tone = 0.9 + 0.2 * cell_hash(int(board), int(math.floor(x / length)), 7)
        y, z = y + 5 * board, z + 31.7 * cell_hash(int(board), int(math.floor(x / length)), 5)
    bend = 0.7 * noise(x / 14, y / 4, z / 4) + 0.12 * noise(x / 5, y, z)
    ring = math.sqrt((y - 1.7) ** 2 + (z + 6.3) ** 2) + bend
    part = ring - math.floor(ring)
    # Annual rings darken gradually and end abruptly.
    year = part * part if part < 0.8 else 0.64 * (1 - part) / 0.2
    fine, fibre = fade(width * 9), 0.6 * noise(x / 6, y * 3, z * 3) * fade(width * 3)
    if fine > 0:
        fibre += fine * noise(x / 2.5, y * 9, z * 9)
    clear = 0.6 + 0.4 * noise(x / 20, y / 3, z / 3)
    return tone * (1 - 0.36 * clear * (year - 0.235) * fade(width * 1.5) + 0.07 * fibre) * (1 - 0.55 * seam)


@compiled
def _marble(x: float, y: float, z: float, width: float) -> tuple[float, float]:
    bend = fractal_noise((x, y, z), width, 5)
    wave = abs(math.sin(math.pi * (0.7 * x + 0.5 * y + 0.6 * z + 1.5 * bend)))
    fine = abs(math.sin(math.pi * (1.1 * x - 1.3 * y + 0.9 * z + 2.3 * bend)))
    # Veins vary in strength.
    strong = max(0.0, min(1.0, 0.5 + 1.6 * noise(x / 2 + 9, y / 2, z / 2)))
    vein = strong * max(0.0, 1 - 4 * wave) + 0.3 * (1 - strong) * max(0.0, 1 - 7 * fine)
    return 1 + 0.12 * bend, vein * (0.35 + 0.65 * fade(width * 4))


@compiled
def _flat(kind: int, u: float, v: float, width: float) -> tuple[float, float]:
    """2-D textures."""
    if kind == 3:
        over = (int(math.floor(u)) + int(math.floor(v))) % 2 == 0
        thread = abs(math.sin(math.pi * (v if over else u))) ** 0.7
        return 1 + 0.32 * (thread - 0.69) * fade(width * 1.5), 0.0
    if kind == 7:
        joint = 1 - (1 - band(u, 0.03, width)) * (1 - band(v, 0.03, width))
        tone = (cell_hash(int(math.floor(u)), int(math.floor(v)), 11) - 0.5) * 0.12
        return 1 + tone * fade(width), joint
    if kind == 8:
        course = math.floor(v * 3)
        u += 0.5 * (course % 2)
        joint = 1 - (1 - band(u, 0.05, width)) * (1 - band(v * 3, 0.13, width * 3))
        tone = (cell_hash(int(math.floor(u)), int(course), 5) - 0.5) * 0.36 + 0.12 * noise(u * 9, v * 9, 0.5) * fade(
            width * 9
        )
        return 1 + tone * fade(width), joint
    if kind == 10:
        return 1.0, 0.5 * (band(u, 0.36, width) + band(v, 0.36, width))
    row = math.floor(v)
    across, down = (u + 0.5 * (row % 2)) % 1.0 - 0.5, v - row - 0.5
    far = math.sqrt(across * across + down * down)
    soft = max(width, 0.02)
    inside = max(0.0, min(1.0, (0.282 - far) / soft + 0.5))
    kept = fade(width)
    return 1.0, inside * kept + 0.25 * (1 - kept)
