"""Negative examples (reject class): noise, patterns and plain shapes, so that the network learns to abstain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.pixelart.subjects import EXAMPLE
from pixelproof.nets import SIDE
from training.drawing.plain import letters, plain_forms

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]


def _palette(rng: Rng, count: int) -> Pixels:
    return rng.integers(0, 256, (count, 3), dtype=np.uint8)


def _size(rng: Rng) -> int:
    return int(rng.integers(8, 33))


def noise(rng: Rng) -> Pixels:
    """Every cell by chance, all colours alike or some more frequent."""
    size, count = _size(rng), int(rng.integers(2, 11))
    shares = rng.dirichlet(np.full(count, rng.choice([0.5, 2.0, 50.0])))
    return np.asarray(_palette(rng, count)[rng.choice(count, (size, size), p=shares)])


def blank(rng: Rng) -> Pixels:
    """One colour, perhaps with a few stray cells."""
    size = _size(rng)
    colours = _palette(rng, 2) if rng.random() < 0.7 else np.array([[255] * 3, [0] * 3], dtype=np.uint8)
    stray = rng.random((size, size)) < rng.choice([0.0, 0.0, 0.01, 0.04])
    return np.asarray(colours[stray.astype(int)])


def checkerboard(rng: Rng) -> Pixels:
    """Squares of any size and two or three colours."""
    size, step, count = _size(rng), int(rng.integers(1, 9)), int(rng.integers(2, 4))
    rows, columns = np.indices((size, size)) // step
    return np.asarray(_palette(rng, count)[(rows + columns) % count])


def stripes(rng: Rng) -> Pixels:
    """Bands across, down or aslant, of even or uneven width."""
    size, count = _size(rng), int(rng.integers(2, 8))
    rows, columns = np.indices((size, size))
    along = [rows, columns, rows + columns, rows - columns + size][int(rng.integers(4))]
    if rng.random() < 0.5:
        bands = along // int(rng.integers(1, 7)) % count
    else:
        bands = rng.integers(0, count, 2 * size)[along // int(rng.integers(1, 4))]
    return np.asarray(_palette(rng, count)[bands])


def repeated_rows(rng: Rng) -> Pixels:
    """One row, or a few in turn, all the way down; or across."""
    size, count, different = _size(rng), int(rng.integers(2, 11)), int(rng.integers(1, 4))
    rows = rng.integers(0, count, (different, size))
    if rng.random() < 0.5:  # rows in runs, as a model writes them
        rows = np.sort(rows, axis=1)[:, rng.permutation(size)] if rng.random() < 0.3 else np.sort(rows, axis=1)
    grid = rows[np.arange(size) * different // size if rng.random() < 0.5 else np.arange(size) % different]
    return np.asarray(_palette(rng, count)[grid if rng.random() < 0.8 else grid.T])


def gradient(rng: Rng) -> Pixels:
    """From one colour to another."""
    size = _size(rng)
    rows, columns = np.indices((size, size)) / (size - 1)
    share = [rows, columns, (rows + columns) / 2, np.hypot(rows - 0.5, columns - 0.5)][int(rng.integers(4))]
    steps = int(rng.integers(3, 11))
    share = np.round(share * steps)[..., None] / steps
    first, last = _palette(rng, 2).astype(float)
    return np.asarray(np.rint(first + (last - first) * np.minimum(share, 1)), dtype=np.uint8)


def blobs(rng: Rng) -> Pixels:
    """Smooth noise, cut at a few levels."""
    size, count = _size(rng), int(rng.integers(2, 6))
    smooth = ndimage.gaussian_filter(rng.normal(size=(size, size)), rng.uniform(1.0, 4.0), mode="wrap")
    levels = np.digitize(smooth, np.quantile(smooth, np.sort(rng.random(count - 1))))
    return np.asarray(_palette(rng, count)[levels])


def scribble(rng: Rng) -> Pixels:
    """A walk without an aim."""
    size = _size(rng)
    steps = rng.integers(-1, 2, (int(rng.integers(10, 200)), 2))
    path = np.clip(rng.integers(0, size, 2) + np.cumsum(steps, axis=0), 0, size - 1)
    grid = np.zeros((size, size), dtype=int)
    grid[path[:, 0], path[:, 1]] = 1
    return np.asarray(_palette(rng, 2)[grid])


def shapes(rng: Rng) -> Pixels:
    """Boxes, discs and lines that mean nothing together."""
    size, count = _size(rng), int(rng.integers(1, 9))
    colours, grid = _palette(rng, count + 1), np.zeros((size, size), dtype=int)
    rows, columns = np.indices((size, size))
    for index in range(1, count + 1):
        top, left = rng.integers(-2, size, 2)
        height, width = rng.integers(1, max(2, size // 2), 2)
        if rng.random() < 0.6:
            mask = (rows >= top) & (rows < top + height) & (columns >= left) & (columns < left + width)
        else:
            mask = ((rows - top) / height) ** 2 + ((columns - left) / width) ** 2 <= 1
        grid[mask] = index
    return np.asarray(colours[grid])


def example(rng: Rng) -> Pixels:
    """The picture of the prompt, as it is or enlarged, perhaps in other colours or tiled."""
    grid = np.array(EXAMPLE.grid)
    palette = np.array([tuple(bytes.fromhex(colour)) for colour in EXAMPLE.palette], dtype=np.uint8)
    if rng.random() < 0.3:
        palette = _palette(rng, 4)
    if rng.random() < 0.3:
        return np.tile(palette[grid], (int(rng.integers(2, 7)),) * 2 + (1,))
    if rng.random() < 0.3:  # set into a corner of a blank page
        page = np.broadcast_to(palette[0], (SIDE, SIDE, 3)).copy()
        page[:4, :4] = palette[grid]
        return page
    factor = int(rng.integers(1, 8))
    return np.asarray(palette[grid].repeat(factor, axis=0).repeat(factor, axis=1))


def scrambled(drawing: Pixels, rng: Rng) -> Pixels:
    """A drawing with its tiles, rows or columns in another order: the same colours, and no picture."""
    size = len(drawing)
    axis = int(rng.integers(3))
    if axis < 2:
        return np.take(drawing, rng.permutation(size), axis)
    step = int(rng.integers(1, max(2, size // 3)))
    across = size // step
    tiles = drawing[: across * step, : across * step].reshape(across, step, across, step, 3).swapaxes(1, 2)
    mixed = rng.permutation(tiles.reshape(-1, step, step, 3)).reshape(across, across, step, step, 3)
    return np.ascontiguousarray(mixed.swapaxes(1, 2).reshape(across * step, across * step, 3))


PATTERNS: tuple[Callable[[Rng], Pixels], ...] = (
    noise, blank, checkerboard, stripes, repeated_rows, gradient, blobs, scribble, shapes, example,
    plain_forms, letters,
)  # fmt: skip
