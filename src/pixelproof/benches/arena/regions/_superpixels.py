"""SLIC superpixels (Achanta et al., 2012)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import ndimage, sparse

from pixelproof.benches.arena._case import Pixels
from pixelproof.pixels import oklab

Floats = npt.NDArray[np.float32]
Regions = npt.NDArray[np.intp]

_ROUNDS = 10
_CRUMB = 0.25
"""Components smaller than this share of the mean area are merged into their neighbours."""


def superpixels(photo: Pixels, count: int, compactness: float = 0.08) -> Regions:
    """The superpixel of every pixel; each superpixel is connected.

    Every pixel joins the nearest, in colour and position, of the nine centres around its cell of a regular grid;
    centres move to the mean of their pixels; and so on.

    Args:
        photo: RGB.
        count: Approximate number of superpixels.
        compactness: OKLab distance that weighs as much as the distance between two centres; larger is rounder.

    >>> photo = np.zeros((20, 20, 3), np.uint8)
    >>> photo[:, 9:] = 200
    >>> regions = superpixels(photo, 4)
    >>> len(np.unique(regions)), bool(np.intersect1d(regions[:, :9], regions[:, 9:]).size)
    (4, False)
    """
    height, width = photo.shape[:2]
    step = (height * width / count) ** 0.5
    rows, columns = (max(1, round(side / step)) for side in (height, width))
    y, x = np.mgrid[:height, :width].astype(np.float32) * np.float32(compactness / step)
    points = np.concatenate([oklab(photo).astype(np.float32), y[..., None], x[..., None]], axis=2)
    home = _cells(height, rows)[:, None] * columns + _cells(width, columns)
    nearest, around = home, _around(rows, columns)
    for _ in range(_ROUNDS):
        nearest = _joined(points, _means(points, nearest, rows * columns), around, home)
    return _in_one_piece(nearest, _CRUMB * height * width / (rows * columns))


def _cells(side: int, count: int) -> Regions:
    """Cell of each pixel along a side."""
    return np.arange(side) * count // side


def _around(rows: int, columns: int) -> Regions:
    """The nine cells around each cell, shape (cells, 9), clamped to the grid."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    near = [
        np.clip(row + down, 0, rows - 1) * columns + np.clip(column + right, 0, columns - 1)
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
    ]
    return np.stack(near, axis=1)


def _means(points: Floats, regions: Regions, count: int) -> Floats:
    """Mean of the pixels of every region; far away for regions without pixels."""
    flat = regions.ravel()
    sums = np.stack([np.bincount(flat, layer.ravel(), count) for layer in np.moveaxis(points, 2, 0)], axis=1)
    with np.errstate(invalid="ignore"):
        means = sums / np.bincount(flat, minlength=count)[:, None]
    return np.nan_to_num(means, nan=1e6).astype(np.float32)


def _joined(points: Floats, centres: Floats, around: Regions, home: Regions) -> Regions:
    """The nearest of the nine centres around its cell, for every pixel."""
    best = np.full(home.shape, np.inf, np.float32)
    joined = home.copy()
    for candidate in around.T:
        place = candidate[home]
        away = points - centres[place]
        distance = np.einsum("yxc,yxc->yx", away, away)
        nearer = distance < best
        np.copyto(best, distance, where=nearer)
        np.copyto(joined, place, where=nearer)
    return joined


def _in_one_piece(regions: Regions, smallest: float) -> Regions:
    """Make every connected component a region; small ones are merged into the nearest other."""
    pieces = _pieces(regions)
    kept = np.bincount(pieces.ravel())[pieces] >= smallest
    if not kept.any():
        return pieces
    rows, columns = ndimage.distance_transform_edt(~kept, return_distances=False, return_indices=True)
    _, numbered = np.unique(_pieces(pieces[rows, columns]), return_inverse=True)
    return np.asarray(numbered.reshape(regions.shape), np.intp)


def _pieces(regions: Regions) -> Regions:
    """Connected components (4-neighbours) of equal regions."""
    places = np.arange(regions.size).reshape(regions.shape)
    across, along = regions[:, 1:] == regions[:, :-1], regions[1:] == regions[:-1]
    one = np.concatenate([places[:, 1:][across], places[1:][along]])
    other = np.concatenate([places[:, :-1][across], places[:-1][along]])
    graph = sparse.coo_array((np.ones(len(one), np.bool_), (one, other)), shape=(regions.size, regions.size))
    _, pieces = sparse.csgraph.connected_components(graph, directed=False)
    return np.asarray(pieces, np.intp).reshape(regions.shape)
