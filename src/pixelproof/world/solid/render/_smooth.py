"""The mean over the pixels of a tile that lie on the same surface: takes away grain and keeps edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Vector

from ._compiled import compiled, inlined
from ._vectors import along, dot, minus, put, row

Bools = npt.NDArray[np.bool_]
Singles = npt.NDArray[np.float32]


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
    """Give wanted pixels the mean over the known ones of the tile around them that lie on the same smooth surface.

    Where few of these are, as beside an edge, the mean is over twice the tile.

    Args:
        values: (n, channels) of the known pixels; those of the wanted ones are written.
        known: (n,) pixels that have a value, in rows and columns that are multiples of `step`.
        wanted: (n,) some of the known ones.
        points: (n, 3).
        normals: (n, 3).
        width: Of the picture.
        step: Distance of known pixels.
        near: Distance from the tangent plane up to which pixels belong together, for a pixel one metre away.
        likeness: Cosine of the angle between normals up to which they do.
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
                    if known[other] and _alike(point, normal, points, normals, other, limit, likeness):
                        count += 1
                        for channel in range(channels):
                            total[channel] += old[other, channel]
        for channel in range(channels):
            values[index, channel] = total[channel] / count


@compiled
def between(
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
    """Give wanted pixels the mean of the up to four known ones around them that lie on the same smooth surface.

    Args are those of `smooth`, but that wanted pixels need not be known.

    Returns:
        (n,) wanted pixels that have no such neighbour; their values are as before.
    """
    height = len(values) // width
    lonely = np.zeros(len(values), np.bool_)
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
                if _alike(point, normal, points, normals, other, limit, likeness):
                    whole += weight
                    total = along(total, row(values, other), weight)
        lonely[index] = whole == 0
        if whole > 0:
            put(values, index, (total[0] / whole, total[1] / whole, total[2] / whole))
    return lonely


@inlined
def _alike(
    point: Vector, normal: Vector, points: Singles, normals: Singles, other: int, limit: float, likeness: float
) -> bool:
    """Whether another pixel lies on the same smooth surface."""
    if dot(normal, row(normals, other)) < likeness:
        return False
    return abs(dot(normal, minus(row(points, other), point))) <= limit
