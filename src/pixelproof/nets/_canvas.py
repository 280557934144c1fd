"""Input of the recogniser: an image resampled to 24 × 24 cells, as colours and distance from the background."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIDE = 24
CHANNELS = 4
_ROWS = 256  # converted to floating point per chunk, to bound the memory of large images

Pixels = npt.NDArray[np.uint8]


def fit(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """Resample an image to the canvas by area averaging; return it with its background colour.

    The ground is the most frequent colour of the border; of several, the one met first.

    >>> cells, ground = fit(np.array([[[9, 9, 9], [9, 9, 9]], [[9, 9, 9], [200, 0, 0]]], np.uint8))
    >>> cells.shape, cells[0, 0].tolist(), cells[-1, -1].tolist(), ground.tolist()
    ((24, 24, 3), [9, 9, 9], [200, 0, 0], [9, 9, 9])
    """
    if not hasattr(pixels, "ndim"):
        kind = type(pixels).__name__
        raise TypeError(f"A picture is an array, not {kind}: give np.asarray(image.convert('RGB')) of a Pillow image.")
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ValueError(f"A picture is uint8 of shape (height, width, 3), not {pixels.dtype} {pixels.shape}.")
    down, across = (_shares(length) for length in pixels.shape[:2])
    cells = np.zeros((SIDE, SIDE, 3))
    for start in range(0, len(pixels), _ROWS):
        some = slice(start, start + _ROWS)
        cells += np.einsum("yh,hwc,xw->yxc", down[:, some], pixels[some].astype(np.float64), across, optimize=True)
    return np.rint(cells).astype(np.uint8), _ground(pixels)


def encode(colours: npt.NDArray[np.float64], grounds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Network input of drawings and their backgrounds in OKLab: colour, and distance from the background.

    The distance tells figure and ground apart whatever their colours, so a white heart on black looks like a red one on
    white. The scales bring all four channels to about the same range.

    Args:
        colours: Of shape (n, height, width, 3).
        grounds: Of shape (n, 3).
    """
    distance = np.linalg.norm(colours - grounds[:, None, None], axis=-1, keepdims=True)
    centred = colours - np.array([0.5, 0.0, 0.0])
    return np.concatenate([centred * [2, 5, 5], distance * 2], axis=-1).astype(np.float32)


def _shares(length: int) -> npt.NDArray[np.float64]:
    """Area weights: row i has the share of each of `length` pixels in cell i of the canvas; rows sum to 1."""
    edges = np.arange(SIDE + 1) * length / SIDE
    pixel = np.arange(length)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    return np.asarray(np.clip(overlap, 0, None) * SIDE / length)


def _ground(pixels: Pixels) -> Pixels:
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, first, counts = np.unique(border, axis=0, return_index=True, return_counts=True)
    return np.asarray(colours[np.lexsort((first, -counts))[0]])
