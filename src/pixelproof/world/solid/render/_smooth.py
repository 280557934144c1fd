"""Edge-preserving smoothing and interpolation of noisy light."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Vector

from ._compiled import compiled, inlined
from ._vectors import add_scaled, dot, put, row, subtract

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
