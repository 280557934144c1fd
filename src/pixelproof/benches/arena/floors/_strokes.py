"""Which lines to paint without a look: parallel strokes where contours are likeliest."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy import ndimage

Floats = npt.NDArray[np.float64]

SHARE, SPACING = 0.3, 0.02
"""Share of the image that is hatched, and the distance of strokes as a share of the diagonal."""


def contour_density(maps: Iterable[npt.NDArray[np.integer]]) -> Floats:
    """How often each cell has a border, over maps of objects of one size, smoothed."""
    total, count = np.zeros(0), 0
    for objects in maps:
        border = np.zeros(objects.shape)
        border[:, :-1] += objects[:, 1:] != objects[:, :-1]
        border[:-1] += objects[1:] != objects[:-1]
        total = border if not count else total + border
        count += 1
    return np.asarray(ndimage.gaussian_filter(total / max(count, 1), 1.5))


def strokes(
    density: Floats, shape: tuple[int, int], share: float = SHARE, spacing: float = SPACING
) -> npt.NDArray[np.bool_]:
    """Horizontal strokes over the share of the image with the highest density.

    >>> int(strokes(np.eye(4), (64, 64), 0.25, 0.1).any(axis=1).sum())
    7
    """
    height, width = shape
    rows, columns = (np.arange(side) * cells // side for side, cells in zip(shape, density.shape, strict=True))
    likely = density >= np.quantile(density, 1 - share)
    step = max(2, round(spacing * math.hypot(height, width)))
    lines = np.arange(height) % step == step // 2
    return np.asarray(likely[rows[:, None], columns] & lines[:, None])
