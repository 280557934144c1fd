"""Augmentation per batch: colour jitter, shifts, cell noise, row slips."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.nets import encode
from pixelproof.pixels import oklab

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]


def augment(cells: Pixels, loose: npt.NDArray[np.bool_], rng: Rng) -> Pixels:
    """Turn, stretch, mirror, shift and damage each drawing at random.

    Args:
        cells: Drawings on the canvas, shape (n, side, side, 3).
        loose: Whether a drawing means the same at any angle.
        rng: Source of randomness.
    """
    n, side = cells.shape[:2]
    middle = (side - 1) / 2

    def some(values: npt.ArrayLike, chance: float, otherwise: float) -> npt.NDArray[np.float64]:
        return np.where(rng.random(n) < chance, values, otherwise)[:, None, None]

    angles = np.where(loose & (rng.random(n) < 0.4), rng.uniform(-1.2, 1.2, n), rng.normal(0, 0.07, n))
    turn = some(angles, 0.6, 0.0)
    width, height = (some(rng.uniform(0.85, 1.2, n), 0.5, 1.0) for _ in range(2))
    right, down = (some(rng.integers(-2, 3, n), 0.5, 0.0) for _ in range(2))
    mirror = some(np.full(n, -1.0), 0.5, 1.0)
    y, x = np.indices((side, side)) - middle
    rows = (np.cos(turn) * y + np.sin(turn) * x) * height + middle + down
    columns = (
        (np.cos(turn) * x - np.sin(turn) * y) * width * mirror + middle + right + _row_slips(n, side, rng)[..., None]
    )
    row, column = (np.clip(np.rint(value), 0, side - 1).astype(np.int64) for value in (rows, columns))
    return _add_cell_noise(cells[np.arange(n)[:, None, None], row, column], rng)


def jitter_colours(lab: npt.NDArray[np.float64], rng: Rng) -> npt.NDArray[np.float64]:
    """Change lightness, chroma and hue of OKLab colours, (n, ..., 3), for each of n; some become grey or inverted."""
    n = len(lab)
    shape = (n, *[1] * (lab.ndim - 2))
    turn = np.where(rng.random(n) < 0.12, rng.uniform(-np.pi, np.pi, n), rng.normal(0, 0.2, n)).reshape(shape)
    chroma = (rng.uniform(0.5, 1.3, n) * (rng.random(n) >= 0.08)).reshape(shape)
    light = rng.uniform(0.75, 1.15, n).reshape(shape)
    inverted = (rng.random(n) < 0.08).reshape(shape)
    a, b = lab[..., 1] * chroma, lab[..., 2] * chroma
    level = np.where(inverted, 1 - lab[..., 0], lab[..., 0]) * light
    return np.stack([level, a * np.cos(turn) - b * np.sin(turn), a * np.sin(turn) + b * np.cos(turn)], axis=-1)


def batch_features(cells: Pixels, grounds: Pixels, loose: npt.NDArray[np.bool_], rng: Rng) -> npt.NDArray[np.float32]:
    """Input features of augmented drawings, computed as in `nets`."""
    both = np.concatenate([augment(cells, loose, rng).reshape(len(cells), -1, 3), grounds[:, None]], axis=1)
    lab = jitter_colours(oklab(both), rng)
    return encode(lab[:, :-1].reshape(cells.shape), lab[:, -1])


def _row_slips(n: int, side: int, rng: Rng) -> npt.NDArray[np.int64]:
    """Shift of each row in cells, shape (n, side): from one row on, or of single rows."""
    from_row = np.where(rng.random(n) < 0.1, rng.integers(3, side, n), side)
    onwards = (np.arange(side) >= from_row[:, None]) * rng.choice([-2, -1, 1, 2], (n, 1))
    single = (rng.random((n, side)) < 0.15) & (rng.random((n, 1)) < 0.1)
    return np.asarray(onwards + single * rng.choice([-1, 1], (n, side)))


def _add_cell_noise(cells: Pixels, rng: Rng) -> Pixels:
    """Recolour single cells of some drawings, and fill a patch of others with the colour of a corner."""
    n, side = cells.shape[:2]
    share = np.where(rng.random(n) < 0.3, rng.uniform(0, 0.06, n), 0.0)
    wrong = rng.random((n, side, side)) < share[:, None, None]
    other = cells[np.arange(n)[:, None, None], *rng.integers(0, side, (2, n, side, side))]
    cells = np.where(wrong[..., None], other, cells)
    for index in np.flatnonzero(rng.random(n) < 0.1):
        top, left = rng.integers(0, side, 2)
        height, width = rng.integers(2, 9, 2)
        cells[index, top : top + height, left : left + width] = cells[index, 0, 0]
    return cells
