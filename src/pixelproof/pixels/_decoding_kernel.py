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
    """Write the index of the nearest palette colour of each pixel; of equals, the lowest."""
    for i in range(len(pixels)):
        red, green, blue = np.int32(pixels[i, 0]), np.int32(pixels[i, 1]), np.int32(pixels[i, 2])
        cell = (red >> 3) << 10 | (green >> 3) << 5 | (blue >> 3)
        label = winner[cell]
        if label == _SEVERAL:
            best = np.int32(1 << 30)
            for at in range(start[cell], start[cell + 1]):
                candidate = candidates[at]
                r = red - palette[candidate, 0]
                g = green - palette[candidate, 1]
                b = blue - palette[candidate, 2]
                distance = r * r + g * g + b * b
                if distance < best:
                    best, label = distance, candidate
        labels[i] = label


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
