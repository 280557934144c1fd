"""Procedural textures in a thing's frame, each filtered to the width of a pixel.

A texture returns the brightness of a point (mean 1) and the share of the surface's second colour.
"""

from __future__ import annotations

import math

from pixelproof.world.solid._poses import Vector

from ._compiled import compiled
from ._noise import band, cell_hash, cells, fade, fractal_noise, noise

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
