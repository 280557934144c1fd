"""Softness of edges: the Gaussian blur that turns hard edges into those of an image, whatever their outline."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._channel import gaussian_weights
from ._compiled import kernels

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Pixels = npt.NDArray[np.uint8]

SIGMAS = tuple(round(0.05 * step, 2) for step in range(7, 31))
"""Standard deviations that are told apart, in pixels: 0.35 to 1.5."""
_CORE = 1
"""Pixels on each side of an edge that are compared."""
_RADIUS = 6
"""Half the side of the square around an edge. What is beyond has a weight below 0.001 in the largest blur."""
_AT_ONCE = 64
"""Places that are examined together, until enough of them tell."""
_MOST = 1024
_ENOUGH = 24
_FEWEST = 4
"""Fewer edges than this do not tell."""
_APART = 24
"""Least distance of the two colours beside an edge, in levels."""
_EXACT = 3.0
"""Largest distance of a flat pixel from the nearer of both colours."""
_LEVELS = 6.0
"""Largest distance from the straight line between these colours: other pixels belong to a third region."""

_PARTS = (slice(None, -2), slice(1, -1), slice(2, None))
_TRIPLES = (tuple((slice(None), part) for part in _PARTS), tuple((slice(None), slice(None), part) for part in _PARTS))
"""Three neighbours along rows, and along columns."""


def softness(rgb: Pixels, places: Indices) -> tuple[float, float] | None:
    """Standard deviation of the Gaussian blur of an image with hard edges, and the median error of edges in levels.

    Around each edge with flat colours on both sides, hard edges are restored at the half-way level and blurred again:
    the blur that makes the pixels again is the answer. Direction and curvature of the outline make no difference.

    Args:
        rgb: The image.
        places: Rows and columns of edges, shape (n, 2).

    Returns:
        None if too few edges lie between two flat colours.
    """
    mixture, height = _examined(rgb, places)
    if len(mixture) < _FEWEST:
        return None
    hard = (mixture > 0.5).astype(np.float64)
    core = mixture[:, _RADIUS - _CORE : _RADIUS + _CORE + 1, _RADIUS - _CORE : _RADIUS + _CORE + 1]
    across = (hard @ _BANDS.reshape(-1, 2 * _RADIUS + 1).T).reshape(len(hard), 2 * _RADIUS + 1, *_BANDS.shape[:2])
    again = np.einsum("syr,nrsx->snyx", _BANDS, across, optimize=True)
    errors = height * np.abs(again - core).mean(axis=(2, 3))
    medians = np.median(errors, axis=1)  # corners that the restoration rounds off do not count
    best = int(np.argmin(medians))
    return SIGMAS[best], float(medians[best])


def _examined(rgb: Pixels, places: Indices) -> tuple[Floats, Floats]:
    """The mixtures around some of the places, until there are enough."""
    rgb = np.ascontiguousarray(rgb)  # the compiled loops pass over its bytes
    (rows, columns), (y, x) = rgb.shape[:2], np.ascontiguousarray(places.T)
    inside = (y >= _RADIUS) & (y < rows - _RADIUS) & (x >= _RADIUS) & (x < columns - _RADIUS)
    places = np.stack([y[inside], x[inside]], axis=1)
    parts = -(-len(places) // _AT_ONCE)
    mixtures, heights = [np.empty((0, 2 * _RADIUS + 1, 2 * _RADIUS + 1))], [np.empty(0)]
    for number in range(min(parts, _MOST // _AT_ONCE)):
        squares = _squares_with_flat_pixels(rgb, places[number::parts])
        if not len(squares):
            continue
        mixture, height = _mixtures(squares)
        mixtures.append(mixture)
        heights.append(height)
        if sum(map(len, heights)) >= _ENOUGH:
            break
    return np.concatenate(mixtures), np.concatenate(heights)


def _squares_with_flat_pixels(rgb: Pixels, places: Indices) -> Pixels:
    """Of the squares around some places, those with a flat pixel: in a noisy image there are none."""
    loops = kernels("pixelproof.pixels._channel_kernel")
    if loops is not None:
        places = places[loops.have_flat_pixels(rgb, places, _RADIUS - 1)]
        if not len(places):
            return np.empty((0, 2 * _RADIUS + 1, 2 * _RADIUS + 1, 3), np.uint8)
    around = np.arange(-_RADIUS, _RADIUS + 1)
    squares: Pixels = rgb[places[:, 0, None, None] + around[:, None], places[:, 1, None, None] + around]
    return squares if loops is not None else squares[_flat(squares).any(axis=1)]


def _mixtures(pixels: Pixels) -> tuple[Floats, Floats]:
    """Of the squares that show two flat colours and their mixtures alone: shares of the second, distance of both."""
    side, flat, squares = 2 * _RADIUS + 1, _flat(pixels), pixels.astype(np.float64)
    colours = squares[:, 1:-1, 1:-1].reshape(len(squares), -1, 3)
    first = _farthest(colours, flat, squares[:, _RADIUS, _RADIUS, None])
    axis = (_farthest(colours, flat, first) - first)[:, 0]
    height = np.linalg.norm(axis, axis=1)
    rest = squares.reshape(len(squares), side * side, 3) - first
    share = (rest @ axis[..., None])[..., 0] / np.maximum(height, 1)[:, None] ** 2
    off = np.linalg.norm(rest - share[..., None] * axis[:, None], axis=2)
    share = share.reshape(-1, side, side)
    inner_share = share[:, 1:-1, 1:-1].reshape(len(squares), -1)
    from_end = np.minimum(np.abs(inner_share), np.abs(inner_share - 1)) * height[:, None]
    two = (~flat | (from_end <= _EXACT)).all(axis=1) & (off <= _LEVELS).all(axis=1) & (height >= _APART)
    return share[two], height[two]


def _flat(squares: Pixels) -> npt.NDArray[np.bool_]:
    """Whether no channel has a range above 1 within 3 × 3 pixels; not for pixels at the border of a square."""
    low = high = squares
    for first, second, third in _TRIPLES:
        low = np.minimum(np.minimum(low[first], low[second]), low[third])
        high = np.maximum(np.maximum(high[first], high[second]), high[third])
    return np.asarray((high - low <= 1).all(axis=3).reshape(len(squares), -1))


def _farthest(colours: Floats, which: npt.NDArray[np.bool_], origin: Floats) -> Floats:
    """In each row, the colour that is farthest from the row's origin, of some; the origin itself if there is none."""
    chosen = np.where(which[..., None], colours, origin)
    place = np.argmax(((chosen - origin) ** 2).sum(axis=2), axis=1)
    return np.take_along_axis(chosen, place[:, None, None], axis=1)


def _band(sigma: float) -> Floats:
    """The blur of the core as a matrix: rows of the core, columns of the square."""
    offsets = np.arange(-_RADIUS, _RADIUS + 1) - np.arange(-_CORE, _CORE + 1)[:, None]
    weights = gaussian_weights(sigma)
    reach = len(weights) // 2
    band = np.where(np.abs(offsets) <= reach, weights[np.clip(offsets + reach, 0, 2 * reach)], 0.0)
    return np.asarray(band / band.sum(axis=1, keepdims=True))


_BANDS = np.stack([_band(sigma) for sigma in SIGMAS])
"""Shape (sigmas, core, side)."""
