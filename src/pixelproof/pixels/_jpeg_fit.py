"""Blur, quality and subsampling of a JPEG image: those that make its edges again from hard ones."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
from PIL import Image

from ._channel import ImageChannel, blur
from ._softness import SIGMAS

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]
Pixels = npt.NDArray[np.uint8]

_CELL = 16
"""Side of the blocks that JPEG codes together where chroma is halved along both axes."""
_MARGIN = 8
"""Pixels around such a block that are restored, too: blur and halved chroma reach beyond it."""
_EXAMINED, _AT_ONCE = 256, 20
"""Blocks that are examined at most, and together, until enough of them tell."""
_ENOUGH = 12
"""Blocks that are compared."""
_FEWEST = 3
"""Fewer blocks with an edge between two flat colours do not tell."""
_STEP = 16
"""Least difference of the corners of a block with an edge, in levels."""
_APART = 24.0
"""Least distance of both colours, in levels."""
_OFF = 32.0
"""Pixels farther than this from the straight line between both colours belong to a third region."""
_MOST_OFF = 0.04
"""Largest share of such pixels."""
_MOST_BLENDED = 0.25
"""Largest share of pixels far from both colours."""
_COARSE = (0.0, 0.4, 0.55, 0.7, 0.9, 1.1, 1.4)
"""Blurs that are compared first; then those up to 0.1 px beside the best."""
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
"""Weights of luma, as JPEG has it."""


def fit_jpeg(rgb: Pixels, qualities: Sequence[int], subsamplings: Sequence[str]) -> ImageChannel | None:
    """The channel that makes the edges of an image again after these were made hard; None if too few edges tell.

    Edges between two flat colours are made hard at the half-way level, and sent through candidates. The error of the
    channel that the image went through is far below that of its neighbours, even where most levels were clipped.

    Args:
        rgb: The image, on the 8 × 8 grid of its compression.
        qualities: Those that are compared, the most likely first.
        subsamplings: Those that are compared.
    """
    hard, seen = _restore_blocks(rgb)
    if len(hard) < _FEWEST:
        return None
    margins = [(0, 0), *[(_CELL - _MARGIN, _CELL - _MARGIN)] * 2, (0, 0)]
    cells = np.pad(hard, margins, mode="edge")
    middle = slice(_CELL, 2 * _CELL)

    @cache
    def soften(sigma: float) -> Pixels:
        return blur(cells.reshape(-1, 3 * _CELL, 3), sigma)

    @cache
    def error(channel: ImageChannel) -> float:
        data = replace(channel, sigma=0.0).send(soften(channel.sigma)).data
        again = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).reshape(cells.shape)
        return float(np.sqrt(np.abs(again[:, middle, middle] - seen).mean(axis=(1, 2, 3))).mean())

    wide = product(_COARSE, qualities[:1], subsamplings)
    best = min((ImageChannel(*values) for values in wide), key=error)
    for _ in range(2):  # a wrong blur hides the quality, and a wrong quality the finer steps of the blur
        best = min((replace(best, quality=quality) for quality in qualities), key=error)
        near = [s for s in (0.0, *SIGMAS) if abs(s - best.sigma) < 0.12 or s + best.sigma < 0.42]
        best = min((ImageChannel(*values) for values in product(near, (best.quality,), subsamplings)), key=error)
    return best


def blocks_with_edges(rgb: Pixels, side: int, most: int) -> tuple[Indices, Indices]:
    """Rows and columns, counted in blocks, of blocks whose corners differ, evenly spread over the image."""
    corners = np.ascontiguousarray(np.moveaxis(rgb[::side, ::side], 2, 0))
    low, high = np.minimum(corners[:, :-1], corners[:, 1:]), np.maximum(corners[:, :-1], corners[:, 1:])
    spread = np.maximum(high[..., :-1], high[..., 1:]) - np.minimum(low[..., :-1], low[..., 1:])
    rows, columns = np.nonzero(spread.max(axis=0) >= _STEP)
    chosen = np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.intp)
    return rows[chosen], columns[chosen]


def _restore_blocks(rgb: Pixels) -> tuple[Pixels, npt.NDArray[np.int16]]:
    """Some blocks with their margins, edges made hard, and the blocks as they are."""
    rows, columns = blocks_with_edges(rgb[_CELL:, _CELL:], _CELL, _EXAMINED)  # those at the border have no margin
    inside = (rows < rgb.shape[0] // _CELL - 2) & (columns < rgb.shape[1] // _CELL - 2)
    places = _CELL * (np.stack([rows, columns], axis=1)[inside] + 1)
    around, parts = np.arange(-_MARGIN, _CELL + _MARGIN), -(-len(places) // _AT_ONCE)
    hard, seen = [np.empty((0, len(around), len(around), 3), np.uint8)], [np.empty((0, _CELL, _CELL, 3), np.int16)]
    for number in range(parts):
        y, x = places[number::parts].T[..., None]
        squares = rgb[y[..., None] + around[:, None], x[..., None] + around]
        painted = _harden(squares.reshape(len(squares), -1, 3).astype(np.float32))
        two = painted[:, 0, 0] >= 0
        hard.append(painted[two].reshape(-1, *squares.shape[1:]).astype(np.uint8))
        seen.append(squares[two, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN].astype(np.int16))
        if sum(map(len, seen)) >= _ENOUGH:
            break
    return np.concatenate(hard)[:_ENOUGH], np.concatenate(seen)[:_ENOUGH]


def _harden(pixels: Floats) -> Floats:
    """Squares of pixels with an edge between two colours, made hard; −1 where there are others.

    Args:
        pixels: Shape (squares, pixels, 3).
    """
    first = _farthest(pixels, pixels.mean(axis=1, keepdims=True))
    second = _farthest(pixels, first)
    for _ in range(2):
        nearer = (np.abs(pixels - first).sum(axis=2) < np.abs(pixels - second).sum(axis=2))[..., None]
        first, second = (_median(pixels, mask) for mask in (nearer, ~nearer))
    axis = second - first
    length = np.linalg.norm(axis, axis=2)
    share = ((pixels - first) * axis).sum(axis=2) / np.maximum(length, 1) ** 2
    off = np.linalg.norm(pixels - first - share[..., None] * axis, axis=2) > _OFF
    blended = np.minimum(np.abs(share), np.abs(share - 1)) * length > _APART
    two = (length[:, 0] >= _APART) & (off.mean(axis=1) < _MOST_OFF) & (blended.mean(axis=1) < _MOST_BLENDED)
    contrast = axis @ LUMA  # chroma may be halved, luma is not
    lighter = ((pixels - first) @ LUMA) / np.where(np.abs(contrast) < 1, 1, contrast)
    half = np.where(np.abs(contrast) >= _APART, lighter, share)[..., None] > 0.5
    return np.where(two[:, None, None], np.rint(np.where(half, second, first)), -1)


def _farthest(pixels: Floats, origin: Floats) -> Floats:
    place = np.argmax(((pixels - origin) ** 2).sum(axis=2), axis=1)
    return np.take_along_axis(pixels, place[:, None, None], axis=1)


def _median(pixels: Floats, mask: npt.NDArray[np.bool_]) -> Floats:
    """The median colour of some pixels of each square; of one third, which saves time."""
    pixels, mask = pixels[:, ::3], mask[:, ::3]
    ordered = np.sort(np.where(mask, pixels, np.float32(256)), axis=1)
    middle = np.maximum(mask.sum(axis=1, keepdims=True) - 1, 0) // 2
    return np.take_along_axis(ordered, np.broadcast_to(middle, (len(pixels), 1, 3)), axis=1)
