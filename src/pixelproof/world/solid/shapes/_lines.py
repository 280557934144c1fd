"""2-D and 3-D curves that solids are built from."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats

Points: TypeAlias = npt.ArrayLike


def curve(points: Points, steps: int = 6, closed: bool = False) -> Floats:
    """Centripetal Catmull–Rom spline through 2-D or 3-D points, with `steps` per span.

    >>> curve([(0, 0), (1, 1), (2, 0)], steps=2).round(3).tolist()
    [[0.0, 0.0], [0.5, 0.625], [1.0, 1.0], [1.5, 0.625], [2.0, 0.0]]
    """
    from scipy.interpolate import CubicHermiteSpline  # takes a while to import

    knots = np.asarray(points, dtype=np.float64)
    if closed:
        knots = np.concatenate([knots[-2:], knots, knots[:3]])
    spans = np.sqrt(np.linalg.norm(np.diff(knots, axis=0), axis=1))
    times = np.concatenate([[0.0], np.cumsum(spans)])
    slopes = np.gradient(knots, times, axis=0)
    first, last = (2, len(knots) - 3) if closed else (0, len(knots) - 1)
    at = [np.linspace(times[i], times[i + 1], steps, endpoint=False) for i in range(first, last)]
    line = CubicHermiteSpline(times, knots, slopes)(np.concatenate(at))
    return line if closed else np.concatenate([line, knots[-1:]])


def rounded(outline: Points, radius: float, steps: int = 4, closed: bool = True) -> Floats:
    """A 2-D or 3-D polyline with rounded corners; corners between short sides get a smaller radius."""
    corners = np.asarray(outline, dtype=np.float64)
    line: list[Floats] = []
    for index, corner in enumerate(corners):
        if not closed and index in (0, len(corners) - 1):
            line.append(corner[None])
            continue
        back, on = corners[index - 1] - corner, corners[(index + 1) % len(corners)] - corner
        reach = min(radius, 0.49 * float(np.linalg.norm(back)), 0.49 * float(np.linalg.norm(on)))
        start, end = (corner + way / np.linalg.norm(way) * reach for way in (back, on))
        t = np.linspace(0.0, 1.0, steps + 1)[:, None]
        line.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    return np.concatenate(line)


def circle(radius: float, count: int = 48, ratio: float = 1.0) -> Floats:
    """Vertices of a circle, or of an ellipse with a depth-to-width ratio."""
    angles = 2 * math.pi * np.arange(count) / count
    return np.column_stack([radius * np.cos(angles), radius * ratio * np.sin(angles)])
