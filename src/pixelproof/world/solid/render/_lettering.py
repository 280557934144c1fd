"""Label text as a texture, filtered to the width of a pixel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Vector

from ._compiled import compiled, inlined
from ._labels import LEVELS, SIDE, Labels
from ._vectors import add_scaled, dot, row, subtract

Singles = npt.NDArray[np.float32]


@inlined
def apply_label(labels: Labels, label: int, own: Vector, facing: Vector, width: float, colour: Vector) -> Vector:
    """Blend the ground and ink of a label over a colour, if the point is on the label."""
    frame = labels.frames[label]
    normal = row(frame, 3)
    if dot(normal, facing) < 0.15:
        return colour
    way, right, up = subtract(own, row(frame, 0)), row(frame, 1), row(frame, 2)
    above, half = dot(way, normal), math.sqrt(dot(right, right))
    u, v = dot(way, right) / dot(right, right), dot(way, up) / dot(up, up)
    # On a curved thing the surface lies behind the plane of the label.
    if above > 0.1 * half + 1e-3 or above < -0.6 * half - 1e-3:
        return colour
    tall = math.sqrt(dot(up, up))
    inside = _clamp((1 - abs(u)) * half / width + 0.5) * _clamp((1 - abs(v)) * tall / width + 0.5)
    if inside <= 0:
        return colour
    if labels.ground[label, 3] > 0:
        colour = add_scaled(colour, subtract(row(labels.ground, label), colour), inside)
    longer = max(half, tall)
    # Half a level sharper than the pixel, because bilinear lookup blurs each level.
    size = 0.7 * width * SIDE / (2 * longer)
    ink = _letters(labels.letters, label, 0.5 + 0.5 * u * half / longer, 0.5 - 0.5 * v * tall / longer, size) * inside
    return add_scaled(colour, subtract(row(labels.ink, label), colour), ink)


@compiled
def _clamp(x: float) -> float:
    return min(1.0, max(0.0, x))


@compiled
def _letters(letters: Singles, label: int, u: float, v: float, size: float) -> float:
    """Trilinear lookup of the ink coverage; `size` is the footprint in pixels of the finest level."""
    level = min(max(math.log2(max(size, 1e-6)), 0.0), float(LEVELS))
    low = int(level)
    one = _level(letters, label, u, v, low)
    if low == LEVELS:
        return one
    return one + (_level(letters, label, u, v, low + 1) - one) * (level - low)


@compiled
def _level(letters: Singles, label: int, u: float, v: float, level: int) -> float:
    side = SIDE >> level
    top = 2 * SIDE - 2 * side
    x, y = min(max(u * side - 0.5, 0.0), side - 1.0), min(max(v * side - 0.5, 0.0), side - 1.0)
    i, j = int(x), int(y)
    k, m, p, q = min(i + 1, side - 1), min(j + 1, side - 1), x - i, y - j
    upper = letters[label, top + j, i] * (1 - p) + letters[label, top + j, k] * p
    lower = letters[label, top + m, i] * (1 - p) + letters[label, top + m, k] * p
    return float(upper * (1 - q) + lower * q)
