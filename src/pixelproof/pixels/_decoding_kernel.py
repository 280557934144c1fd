"""Compiled loops of colour decoding; imported only where numba is installed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_SEVERAL = 255


@compiled
def nearest(
    pixels: npt.NDArray[np.uint8],
    palette: npt.NDArray[np.int32],
    winner: npt.NDArray[np.uint8],
    start: npt.NDArray[np.int32],
    candidates: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.uint8],
) -> None:
    """Write the index of the nearest palette colour of each pixel; of equals, the lowest.

    The first pass has no branches; the second compares the candidates where a cell has several.
    """
    for i in range(len(pixels)):
        cell = (np.uint32(pixels[i, 0]) >> 3) << 10 | (np.uint32(pixels[i, 1]) >> 3) << 5 | np.uint32(pixels[i, 2]) >> 3
        labels[i] = winner[cell]
    for i in range(len(pixels)):
        if labels[i] == _SEVERAL:
            red, green, blue = np.int32(pixels[i, 0]), np.int32(pixels[i, 1]), np.int32(pixels[i, 2])
            place = (red >> 3) << 10 | (green >> 3) << 5 | blue >> 3
            least, best = np.int32(1 << 30), np.uint8(0)
            for at in range(start[place], start[place + 1]):
                candidate = candidates[at]
                r = red - palette[candidate, 0]
                g = green - palette[candidate, 1]
                b = blue - palette[candidate, 2]
                distance = r * r + g * g + b * b
                if distance < least:
                    least, best = distance, candidate
            labels[i] = best


@compiled
def squared_distances(
    pixels: npt.NDArray[np.uint8],
    palette: npt.NDArray[np.int32],
    labels: npt.NDArray[np.uint8],
    distances: npt.NDArray[np.float32],
) -> None:
    """Write the squared distance of each pixel to the colour of its label; whole numbers below 2²⁴, so exact."""
    for i in range(len(pixels)):
        r = np.int32(pixels[i, 0]) - palette[labels[i], 0]
        g = np.int32(pixels[i, 1]) - palette[labels[i], 1]
        b = np.int32(pixels[i, 2]) - palette[labels[i], 2]
        distances[i] = np.float32(r * r + g * g + b * b)
