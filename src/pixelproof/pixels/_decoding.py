"""From colours to labels: each pixel to the nearest colour of a palette, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ._cells import SEVERAL, Cells, Space, cells_of
from ._compiled import kernels
from ._oklab import oklab
from ._palette import Palette

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]
Points = npt.NDArray[Any]
"""Colours where distance is measured: whole numbers in sRGB, floats in OKLab."""
_CHUNK = 1 << 15  # pixels at a time: intermediate arrays stay in the cache, and memory stays flat


def nearest(rgb: Pixels, palette: Palette, space: Space = "srgb") -> Labels:
    """Index of the palette colour that is nearest to each pixel; of equally near ones, the lowest.

    Args:
        rgb: A picture, uint8, shape (height, width, 3).
        palette: The colours to choose from.
        space: Where distance is measured: `srgb` (0 to 255 per channel) or `oklab`.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> nearest(np.array([[[80, 150, 250], [0, 10, 100]]], np.uint8), palette).tolist()
    [[0, 1]]
    """
    pixels = _flat(rgb)
    cells = cells_of(palette.colours, space)
    labels = np.empty(len(pixels), dtype=np.uint8)
    if (loops := _loops(space)) is not None:
        colours = palette.array.astype(np.int32)
        loops.nearest(pixels, colours, cells.winner, cells.start, cells.candidates, labels)
    else:
        points = _points(palette.array, space)
        for part in _parts(len(pixels)):
            labels[part] = _chosen(pixels[part], points, cells, space)
    return labels.reshape(rgb.shape[:2])


def nearest_distance(rgb: Pixels, palette: Palette, space: Space = "srgb") -> tuple[Labels, npt.NDArray[np.float32]]:
    """As `nearest`, and how far each pixel is from the colour that it was given.

    Distances are in units of a channel in sRGB (0 to 441), and in OKLab in hundredths of the way from black to white.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> labels, distance = nearest_distance(np.array([[[90, 157, 251], [0, 0, 120]]], np.uint8), palette)
    >>> labels.tolist(), distance.tolist()
    ([[0, 1]], [[5.0, 0.0]])
    """
    labels = nearest(rgb, palette, space)
    pixels, chosen = _flat(rgb), labels.ravel()
    distance = np.empty(len(pixels), dtype=np.float32)
    if (loops := _loops(space)) is not None:
        loops.squared_distances(pixels, palette.array.astype(np.int32), chosen, distance)
    else:
        points = _points(palette.array, space)
        for part in _parts(len(pixels)):
            distance[part] = _squared(_points(pixels[part], space), points[chosen[part]])
    np.sqrt(distance, out=distance)
    if space == "oklab":
        distance *= 100
    return labels, distance.reshape(rgb.shape[:2])


def _flat(rgb: Pixels) -> Pixels:
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ValueError(f"Pictures are uint8, (height, width, 3), not {rgb.dtype} {rgb.shape}.")
    return np.ascontiguousarray(rgb).reshape(-1, 3)


def _parts(count: int) -> Iterator[slice]:
    return (slice(begin, begin + _CHUNK) for begin in range(0, count, _CHUNK))


def _loops(space: Space) -> ModuleType | None:
    """Compiled loops, for sRGB alone: cube roots are not the same to the last bit everywhere."""
    return kernels("pixelproof.pixels._decoding_kernel") if space == "srgb" else None


def _points(colours: Pixels, space: Space) -> Points:
    return colours.astype(np.int32) if space == "srgb" else oklab(colours)


def _squared(one: Points, other: Points) -> Points:
    apart = (one - other) ** 2
    return np.asarray(apart[:, 0] + apart[:, 1] + apart[:, 2])


def _chosen(pixels: Pixels, points: Points, cells: Cells, space: Space) -> Labels:
    """Labels of some pixels: by their cells, and where these leave a choice, by comparing candidates."""
    coarse = (pixels >> 3).astype(np.int32)
    cell = coarse[:, 0] << 10 | coarse[:, 1] << 5 | coarse[:, 2]
    labels: Labels = cells.winner[cell]
    open_ = np.flatnonzero(labels == SEVERAL)
    if len(open_):
        at, end = cells.start[cell[open_]], cells.start[cell[open_] + 1]
        seen = _points(pixels[open_], space)
        choice = cells.candidates[at]
        best = _squared(seen, points[choice])
        rest = np.arange(len(open_))
        for step in range(1, int((end - at).max())):
            rest = rest[at[rest] + step < end[rest]]
            candidate = cells.candidates[at[rest] + step]
            distance = _squared(seen[rest], points[candidate])
            closer = distance < best[rest]
            best[rest[closer]] = distance[closer]
            choice[rest[closer]] = candidate[closer]
        labels[open_] = choice
    return labels
