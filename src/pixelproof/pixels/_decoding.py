"""Nearest-colour decoding: the exact nearest palette colour of each pixel."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ._cells import Cells, Space, cells_of
from ._compiled import kernels
from ._oklab import oklab
from ._palette import Labels, Palette

Pixels = npt.NDArray[np.uint8]
Points = npt.NDArray[Any]
"""Colours in the space where distance is measured: integers in sRGB, floats in OKLab."""
_CHUNK = 1 << 15  # pixels at a time: intermediate arrays stay in the cache, and memory stays flat


def nearest(rgb: Pixels, palette: Palette, space: Space = "srgb") -> Labels:
    """Index of the nearest palette colour for each pixel; ties go to the lowest index.

    Args:
        rgb: An image, uint8, shape (height, width, 3).
        palette: The colours to choose from.
        space: Colour space of the distance: `srgb` (0 to 255 per channel) or `oklab`.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> nearest(np.array([[[80, 150, 250], [0, 10, 100]]], np.uint8), palette).tolist()
    [[0, 1]]
    """
    pixels = _flat(rgb)
    cells = cells_of(palette.colours, space)
    labels = np.empty(len(pixels), dtype=palette.dtype)
    if (loops := _loops(space)) is not None:
        decode = loops.nearest if palette.dtype == np.uint8 else loops.nearest_of_many
        decode(_in_line(pixels), cells.winner, cells.start, cells.candidates, labels)
    else:
        points = _points(palette.array, space)
        for part in _parts(len(pixels)):
            labels[part] = _chosen(pixels[part], points, cells, space)
    return labels.reshape(rgb.shape[:2])


def nearest_distance(rgb: Pixels, palette: Palette, space: Space = "srgb") -> tuple[Labels, npt.NDArray[np.float32]]:
    """As `nearest`, with the distance of each pixel from its palette colour.

    Distances are in channel levels in sRGB (0 to 441), and in OKLab in hundredths of the distance from black to white.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> labels, distance = nearest_distance(np.array([[[90, 157, 251], [0, 0, 120]]], np.uint8), palette)
    >>> labels.tolist(), distance.tolist()
    ([[0, 1]], [[5.0, 0.0]])
    """
    labels = nearest(rgb, palette, space)
    return labels, colour_distance(rgb, labels, palette, space)


def colour_distance(rgb: Pixels, labels: Labels, palette: Palette, space: Space = "srgb") -> npt.NDArray[np.float32]:
    """Distance of each pixel from the palette colour of its label, in the units of `nearest_distance`."""
    pixels, chosen = _flat(rgb), labels.ravel()
    distance = np.empty(len(pixels), dtype=np.float32)
    if (loops := _loops(space)) is not None:
        loops.squared_distances(pixels.ravel(), palette.array.astype(np.int32), chosen, distance)
        np.sqrt(distance, out=distance)
    else:
        points = _points(palette.array, space)
        for part in _parts(len(pixels)):
            distance[part] = _distance(pixels[part], points[chosen[part]], space)
    return distance.reshape(rgb.shape[:2])


def is_within(rgb: Pixels, labels: Labels, palette: Palette, limit: int) -> bool:
    """Whether all pixels are within `limit` levels, in sRGB, of the colour of their label."""
    pixels, chosen = _flat(rgb), labels.ravel()
    if (loops := _loops("srgb")) is not None:
        return not loops.any_beyond(pixels.ravel(), palette.array.astype(np.int32), chosen, limit * limit)
    points = palette.array.astype(np.int32)
    return all(
        bool((_distance(pixels[part], points[chosen[part]], "srgb") <= limit).all()) for part in _parts(len(pixels))
    )


def _in_line(pixels: Pixels) -> Pixels:
    """The bytes of pixels, aligned to 8 bytes; slices of larger arrays may not be."""
    return (pixels if pixels.ctypes.data % 8 == 0 else pixels.copy()).ravel()


def _flat(rgb: Pixels) -> Pixels:
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ValueError(f"Images are uint8, (height, width, 3), not {rgb.dtype} {rgb.shape}.")
    return np.ascontiguousarray(rgb).reshape(-1, 3)


def _parts(count: int) -> Iterator[slice]:
    return (slice(begin, begin + _CHUNK) for begin in range(0, count, _CHUNK))


def _loops(space: Space) -> ModuleType | None:
    """Compiled loops, for sRGB only: cube roots differ in the last bit between platforms."""
    return kernels("pixelproof.pixels._decoding_kernel") if space == "srgb" else None


def _points(colours: Pixels, space: Space) -> Points:
    return colours.astype(np.int32) if space == "srgb" else oklab(colours)


def _squared(one: Points, other: Points) -> Points:
    apart = (one - other) ** 2
    return np.asarray(apart[:, 0] + apart[:, 1] + apart[:, 2])


def _distance(pixels: Pixels, points: Points, space: Space) -> npt.NDArray[np.float32]:
    distance = np.sqrt(_squared(_points(pixels, space), points).astype(np.float32))
    return distance if space == "srgb" else distance * np.float32(100)


def _chosen(pixels: Pixels, points: Points, cells: Cells, space: Space) -> Labels:
    """Labels of some pixels: by their cells, or by comparing candidates where a cell has several."""
    labels: Labels = cells.winner[_number(pixels >> 2, 14, 6)]
    open_ = np.flatnonzero(labels == cells.several)
    if len(open_):
        cell = _number(pixels[open_] >> 3, 10, 5)
        at, end = cells.start[cell], cells.start[cell + 1]
        seen = _points(pixels[open_], space)
        choice = cells.candidates[at] >> 24
        best = _squared(seen, points[choice])
        rest = np.arange(len(open_))
        for step in range(1, int((end - at).max())):
            rest = rest[at[rest] + step < end[rest]]
            candidate = cells.candidates[at[rest] + step] >> 24
            distance = _squared(seen[rest], points[candidate])
            closer = distance < best[rest]
            best[rest[closer]] = distance[closer]
            choice[rest[closer]] = candidate[closer]
        labels[open_] = choice
    return labels


def _number(first: Points, green: int, red: int) -> npt.NDArray[np.int32]:
    """Cell numbers, as in `Cells`, from the leading bits of the channels."""
    levels = first.astype(np.int32)
    return np.asarray(levels[:, 1] << green | levels[:, 0] << red | levels[:, 2])
