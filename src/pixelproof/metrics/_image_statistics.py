"""Statistics of one image that need neither weights nor a reference.

They describe and do not rank: noise has the highest sharpness, contrast and colourfulness of all images.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_LUMA = np.array([0.2125, 0.7154, 0.0721])
"""Weights of Rec. 709."""
_BLOCK = 8
"""Side of a JPEG block in pixels."""
_MSCN_SIGMA, _MSCN_RADIUS = 7 / 6, 3
"""Window of local normalisation: a Gaussian of 7 × 7 pixels."""
_SHAPES = np.arange(0.2, 10.0005, 0.001)
"""Shapes of a generalised Gaussian that are told apart."""


def luma(rgb: Pixels) -> Floats:
    """Luma of an RGB image in grey levels, 0 to 255: weighted sum of the gamma-encoded components.

    >>> luma(np.full((1, 1, 3), 100, np.uint8)).round(6).tolist()
    [[100.0]]
    """
    return np.asarray(rgb.astype(np.float64) @ _LUMA)


def laplacian_variance(rgb: Pixels) -> float:
    """Variance of the Laplacian of the luma, in squared grey levels: a measure of sharpness.

    >>> laplacian_variance(np.zeros((8, 8, 3), np.uint8))
    0.0
    """
    grey = np.pad(luma(rgb), 1, mode="symmetric")
    middle = grey[1:-1, 1:-1]
    second = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4 * middle
    return float(second.var())


def rms_contrast(rgb: Pixels) -> float:
    """Standard deviation of the luma as a share of its range, 0 to 0.5.

    >>> round(rms_contrast(np.array([[[0, 0, 0], [255, 255, 255]]], np.uint8)), 9)
    0.5
    """
    return float(luma(rgb).std() / 255)


def colourfulness(rgb: Pixels) -> float:
    """Colourfulness M3 of Hasler and Süsstrunk (2003): 0 for grey, about 109 for an extremely colourful image.

    >>> colourfulness(np.full((2, 2, 3), 77, np.uint8))
    0.0
    """
    red, green, blue = (rgb[..., channel].astype(np.float64) for channel in range(3))
    red_green, yellow_blue = red - green, (red + green) / 2 - blue
    spread = math.hypot(float(red_green.std()), float(yellow_blue.std()))
    return spread + 0.3 * math.hypot(float(red_green.mean()), float(yellow_blue.mean()))


def noise_sigma(rgb: Pixels) -> float:
    """Standard deviation of additive Gaussian noise in the luma, in grey levels, after Immerkær (1996).

    Fine texture counts as noise. nan for images below 3 × 3 pixels.

    >>> noise_sigma(np.zeros((8, 8, 3), np.uint8))
    0.0
    """
    grey = luma(rgb)
    if min(grey.shape) < 3:
        return math.nan
    rows = grey[:-2] - 2 * grey[1:-1] + grey[2:]
    mask = rows[:, :-2] - 2 * rows[:, 1:-1] + rows[:, 2:]
    return float(math.sqrt(math.pi / 2) / 6 * np.abs(mask).mean())


def blockiness(rgb: Pixels) -> float:
    """Mean step of the luma across the borders of 8 × 8 blocks, relative to that between other neighbours.

    1 for an image without blocks, more for one that JPEG has compressed strongly; blocks of a resized image do not
    lie on the grid and do not count. Without any step within blocks, infinitely blocky: limited to 100.

    >>> blockiness(np.zeros((32, 32, 3), np.uint8))
    1.0
    """
    grey = luma(rgb)
    across, within = [], []
    for steps in (np.abs(np.diff(grey, axis=1)), np.abs(np.diff(grey, axis=0)).T):
        border = np.arange(steps.shape[1]) % _BLOCK == _BLOCK - 1
        across.append(steps[:, border].ravel())
        within.append(steps[:, ~border].ravel())
    outer, inner = np.concatenate(across), np.concatenate(within)
    if not outer.size or not outer.any():
        return 1.0 if not inner.any() else 0.0
    return float(min(100.0, outer.mean() / inner.mean())) if inner.any() else 100.0


def mscn(rgb: Pixels) -> Floats:
    """Mean-subtracted, contrast-normalised luma (Mittal, Moorthy and Bovik 2012); the window is 7 × 7 pixels.

    >>> float(np.abs(mscn(np.full((9, 9, 3), 40, np.uint8))).max())
    0.0
    """
    grey = luma(rgb)
    mean = _smooth(grey)
    variance = _smooth((grey - mean) ** 2)
    return np.asarray((grey - mean).round(9) / (np.sqrt(np.maximum(variance, 0.0)) + 1.0))


def mscn_shape(rgb: Pixels) -> float:
    """Shape of the generalised Gaussian that fits the locally normalised luma, by matching moments.

    It is a statistic of natural scenes, not a score of quality. nan for images without any structure.
    """
    return generalised_gaussian_shape(mscn(rgb))


def generalised_gaussian_shape(values: Floats) -> float:
    """Shape of a generalised Gaussian around zero by its first two absolute moments: 2 Gaussian, 1 Laplacian.

    From 0.2 to 10; nan if all values are zero.

    >>> draws = np.random.default_rng(0).normal(size=100_000)
    >>> round(generalised_gaussian_shape(draws), 1)
    2.0
    """
    power = float((values**2).mean())
    if power == 0.0:
        return math.nan
    ratio = float(np.abs(values).mean()) ** 2 / power
    shapes, ratios = _moment_ratios()
    return float(shapes[int(np.abs(ratios - ratio).argmin())])


@lru_cache(maxsize=1)
def _moment_ratios() -> tuple[Floats, Floats]:
    """Shapes, and E|x|² / E[x²] of the generalised Gaussian with each of them."""
    from scipy.special import gammaln

    ratios = np.exp(2 * gammaln(2 / _SHAPES) - gammaln(1 / _SHAPES) - gammaln(3 / _SHAPES))
    return _SHAPES, np.asarray(ratios)


def _smooth(values: Floats) -> Floats:
    """Gaussian window, with the border repeated."""
    from scipy.ndimage import correlate1d

    weights = np.exp(-(np.arange(-_MSCN_RADIUS, _MSCN_RADIUS + 1) ** 2) / (2 * _MSCN_SIGMA**2))
    weights /= weights.sum()
    for axis in range(2):
        values = np.asarray(correlate1d(values, weights, axis, mode="nearest"))
    return values
