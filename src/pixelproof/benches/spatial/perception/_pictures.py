"""Pictures as arrays of numbers from 0 to 1: sizes, differences, light."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

Singles = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]
Light = tuple[Singles, Singles]
"""Gain and offset of each channel."""

LONGEST = 512
"""Longer side in pixels at which pictures are compared."""
_ROUNDS = 6
_TOLERANCES = (0.2, 0.03)
"""Of the first and the last round of fitting the light, in units of the full range."""
_BLURS = (0.5, 0.8, 1.1, 1.5, 2.0, 2.8)
"""Standard deviations in pixels that the blur of an answer is chosen from."""
_EDGE_TOLERANCE = 0.03
_COMPARED_BLUR = 0.8
"""Blur in pixels of pictures that are compared in half of the working size."""
VISIBLE = 0.05
"""Difference, of 1, from which on a pixel counts as different."""
_MOST_VISIBLE = 0.08
_OUTLINE, _FEWEST_INSIDE = 2, 9
"""Width in pixels of the outline of a thing, and least pixels inside of it, where edges are compared."""


def working_size(width: int, height: int) -> tuple[int, int]:
    """The size at which pictures of a size are compared: at most `LONGEST`, both sides multiples of 4.

    >>> working_size(1024, 768), working_size(256, 256)
    ((512, 384), (256, 256))
    """
    shrink = min(1.0, LONGEST / max(width, height))
    return (max(4, 4 * round(width * shrink / 4)), max(4, 4 * round(height * shrink / 4)))


def as_singles(rgb: Pixels, size: tuple[int, int]) -> Singles:
    """A picture in a size (width, height), from 0 to 1; smaller by averaging, larger by cubic interpolation."""
    if (rgb.shape[1], rgb.shape[0]) != size:
        smaller = rgb.shape[1] >= size[0] and rgb.shape[0] >= size[1]
        resample = Image.Resampling.BOX if smaller else Image.Resampling.BICUBIC
        rgb = np.asarray(Image.fromarray(rgb).resize(size, resample))
    return unit_range(rgb)


def unit_range(rgb: Pixels) -> Singles:
    """Levels from 0 to 255 as numbers from 0 to 1."""
    return np.asarray(rgb.astype(np.float32) / np.float32(255))


def shrunk(picture: Singles, factor: int) -> Singles:
    """Means over blocks of factor × factor pixels; the factor is a power of two."""
    while factor > 1:
        rows = picture[0::2] + picture[1::2]
        picture = (rows[:, 0::2] + rows[:, 1::2]) * np.float32(0.25)
        factor //= 2
    return picture


def blurred(picture: Singles, sigma: float) -> Singles:
    """A picture after a Gaussian blur, with a standard deviation in pixels."""
    if sigma <= 0:
        return picture
    return np.asarray(ndimage.gaussian_filter(picture, (sigma, sigma, 0)), np.float32)


def fit_blur(answer: Singles, before: Singles) -> float:
    """Standard deviation in pixels of the Gaussian blur that makes the picture before most like an answer.

    Answers of another size, and those of many models, are softer than the picture before.
    """
    grey = [picture.mean(axis=2) for picture in (answer, before)]
    best, least = 0.0, _edge_misfit(grey[0], grey[1])
    for sigma in _BLURS:
        value = _edge_misfit(grey[0], np.asarray(ndimage.gaussian_filter(grey[1], sigma)))
        if value >= least:
            break
        best, least = sigma, value
    return best


def _edge_misfit(one: Singles, other: Singles) -> float:
    squares = (one - other) ** 2
    return float((squares / (squares + np.float32(_EDGE_TOLERANCE**2))).mean())


def edge_correlation(one: Singles, other: Singles) -> float:
    """Correlation of the edges of two pictures of the same size, whatever their colours and light; 0 if one has none.

    >>> picture = np.random.default_rng(0).random((64, 64, 3)).astype(np.float32)
    >>> round(edge_correlation(picture, 1 - picture), 3), edge_correlation(picture, np.ones_like(picture))
    (1.0, 0.0)
    """
    edges = []
    for picture in (one, other):
        grey = ndimage.gaussian_filter(shrunk(picture, 2).mean(axis=2), 1.0)
        strength = np.sqrt(np.hypot(ndimage.sobel(grey, 0), ndimage.sobel(grey, 1)))
        edges.append(ndimage.gaussian_filter(strength, 1.0) - strength.mean())
    spread = float(np.sqrt((edges[0] ** 2).sum() * (edges[1] ** 2).sum()))
    return float((edges[0] * edges[1]).sum()) / spread if spread > 1e-6 else 0.0


def inner_edge_correlation(one: Singles, other: Singles, mask: npt.NDArray[np.bool_]) -> float:
    """Correlation of the edges of two pictures inside of a mask, whatever their colours; 0 if it is too small.

    The outline of the mask does not count: a hole that was filled has one, too.

    >>> picture = np.random.default_rng(0).random((16, 16, 3)).astype(np.float32)
    >>> mask = np.ones((16, 16), np.bool_)
    >>> round(inner_edge_correlation(picture, 1 - picture, mask), 3)
    1.0
    >>> inner_edge_correlation(picture, np.ones_like(picture), mask)
    0.0
    """
    inside = ndimage.binary_erosion(mask, iterations=_OUTLINE)
    if inside.sum() < _FEWEST_INSIDE:
        return 0.0
    edges = []
    for picture in (one, other):
        grey = picture.mean(axis=2)
        strength = np.hypot(ndimage.sobel(grey, 0), ndimage.sobel(grey, 1))[inside]
        edges.append(strength - strength.mean())
    spread = float(np.sqrt((edges[0] ** 2).sum() * (edges[1] ** 2).sum()))
    return float((edges[0] * edges[1]).sum()) / spread if spread > 1e-6 else 0.0


def differing_pixels(answer: Singles, expected: Singles, noise: float = 0.0) -> npt.NDArray[np.bool_]:
    """Pixels of an answer, in half of the size, that look different from what is expected.

    Args:
        answer: The answer.
        expected: The expected picture in the same size.
        noise: Typical difference where nothing changed, see `noise_of`.
    """
    half = [blurred(shrunk(picture, 2), _COMPARED_BLUR) for picture in (answer, expected)]
    return np.asarray(misfit(half[0] - half[1], min(max(VISIBLE, 3 * noise), _MOST_VISIBLE)) > 0.5)


def noise_of(answer: Singles, before: Singles) -> float:
    """Median difference of an answer and the picture before, of 1: noise, if less than half of the picture changed."""
    half = [blurred(shrunk(picture, 2), _COMPARED_BLUR) for picture in (answer, before)]
    return float(np.sqrt(np.median(((half[0] - half[1]) ** 2).mean(axis=2))))


def misfit(difference: Singles, tolerance: float) -> Singles:
    """Robust difference of each pixel, from 0 to 1: s / (s + tolerance²), s the mean square over the channels."""
    red, green, blue = difference[..., 0], difference[..., 1], difference[..., 2]
    squares = (red * red + green * green + blue * blue) / np.float32(3)
    return np.asarray(squares / (squares + np.float32(tolerance**2)))


def same_light(answer: Singles, before: Singles) -> Singles:
    """An answer with the light of the picture before it: gain and offset of each channel are fitted and removed."""
    factor = 1 << max(0, (min(answer.shape[:2]) // 128).bit_length() - 1)
    height, width = (side // factor * factor for side in answer.shape[:2])
    small = [shrunk(picture[:height, :width], factor).reshape(-1, 3) for picture in (answer, before)]
    return relit(answer, fit_light(*small))


def fit_light(shown: Singles, reference: Singles) -> Light:
    """Gain and offset of each channel that make reference colours, (n, 3), most like the colours that are shown.

    Pixels that changed count little: the fit is reweighted with tolerances from loose to tight.
    """
    pair = [colours.astype(np.float64) for colours in (shown, reference)]
    gain, offset = np.ones(3), np.zeros(3)
    for tolerance in np.geomspace(*_TOLERANCES, _ROUNDS):
        squares = ((pair[0] - gain * pair[1] - offset) ** 2).mean(axis=1)
        weight = ((tolerance**2 / (squares + tolerance**2)) ** 2)[:, None]
        means = [(weight * colours).sum(axis=0) / weight.sum() for colours in pair]
        spread = (weight * (pair[1] - means[1]) ** 2).sum(axis=0)
        common = (weight * (pair[0] - means[0]) * (pair[1] - means[1])).sum(axis=0)
        gain = np.where(spread > 1e-9, np.clip(common / np.maximum(spread, 1e-9), 0.3, 3.0), 1.0)
        offset = means[0] - gain * means[1]
    return gain.astype(np.float32), offset.astype(np.float32)


def relit(answer: Singles, light: Light) -> Singles:
    """An answer without a gain and an offset."""
    gain, offset = light
    return np.asarray((answer - offset) / gain)
