"""Regions by k-means over colour and place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.cluster.vq import vq

from pixelproof.benches.arena._case import Pixels
from pixelproof.pixels import oklab

Floats = npt.NDArray[np.float64]
Regions = npt.NDArray[np.intp]

_PLACE = 0.2
"""From one side of the picture to the other is as far as a fifth of the way from black to white."""
_SEEN = 16384
"""Pixels, drawn by chance, that centres are fitted to; the others only find their nearest centre."""
_ROUNDS = 30


def kmeans(photo: Pixels, count: int, rng: np.random.Generator) -> Regions:
    """A number from 0 to count - 1 for every pixel: which centre in colour (OKLab) and place is nearest.

    Args:
        photo: RGB.
        count: How many regions; there may be fewer in a picture of few pixels.
        rng: Draws the pixels that are seen and the first centres.

    >>> photo = np.zeros((2, 4, 3), np.uint8)
    >>> photo[:, 2:] = 255
    >>> regions = kmeans(photo, 2, np.random.default_rng(0))
    >>> [len(np.unique(half)) for half in (regions[:, :2], regions[:, 2:], regions)]
    [1, 1, 2]
    """
    points = _points(photo)
    seen = points[rng.permutation(len(points))[:_SEEN]]
    centres = lloyd(seen, spread_out(seen, min(count, len(seen)), rng))
    nearest, _ = vq(points, centres)
    return np.asarray(nearest, np.intp).reshape(photo.shape[:2])


def spread_out(points: Floats, count: int, rng: np.random.Generator) -> Floats:
    """First centres: each is a point, likely one that is far from those before it (k-means++)."""
    chosen = [points[rng.integers(len(points))]]
    away = np.full(len(points), np.inf)
    while len(chosen) < count:
        away = np.minimum(away, ((points - chosen[-1]) ** 2).sum(axis=1))
        reach = np.cumsum(away)
        place = np.searchsorted(reach, rng.random() * reach[-1], side="right")
        chosen.append(points[min(int(place), len(points) - 1)])
    return np.stack(chosen)


def lloyd(points: Floats, centres: Floats) -> Floats:
    """Centres that moved to the mean of their points until none moves; one that has no points stays."""
    for _ in range(_ROUNDS):
        nearest, _ = vq(points, centres)
        sizes = np.bincount(nearest, minlength=len(centres))[:, None]
        sums = np.stack([np.bincount(nearest, column, len(centres)) for column in points.T], axis=1)
        moved = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _points(photo: Pixels) -> Floats:
    """Lightness, two colours and the place of every pixel."""
    height, width = photo.shape[:2]
    y, x = np.mgrid[:height, :width] * (_PLACE / max(height, width))
    return np.dstack([oklab(photo), y, x]).reshape(-1, 5)
