"""OKLab (Ottosson, 2020), a perceptual colour space: Euclidean distance is close to visible difference."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from ._srgb import linear_to_srgb, srgb_to_linear

RGB_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
CONES_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# The inverses as published, and not computed: rounding would differ.
_LAB_TO_CONES = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_CONES_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def oklab(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """OKLab of sRGB colours from 0 to 255, shape (..., 3): lightness from 0 to 1, then green–red and blue–yellow.

    >>> oklab([[255, 0, 0], [0, 0, 255]]).round(2).tolist()
    [[0.63, 0.22, 0.13], [0.45, -0.03, -0.31]]
    """
    return np.asarray(cones(rgb) @ CONES_TO_LAB.T)


def oklab_to_rgb(lab: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """SRGB colours from 0 to 255 of OKLab colours, shape (..., 3); clipped where sRGB does not have them.

    >>> oklab_to_rgb(oklab([[255, 0, 0], [12, 34, 56]])).tolist()
    [[255, 0, 0], [12, 34, 56]]
    """
    linear = np.clip(((lab @ _LAB_TO_CONES.T) ** 3) @ _CONES_TO_RGB.T, 0.0, 1.0)
    return np.asarray((linear_to_srgb(linear) * 255).round(), dtype=np.uint8)


def cones(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Cube roots of the cone responses (LMS) of sRGB colours; each increases with red, green and blue."""
    values = np.asarray(rgb)
    linear = _levels()[values] if values.dtype == np.uint8 else _linear(values)
    return np.asarray(np.cbrt(linear @ RGB_TO_CONES.T))


def _linear(srgb: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    return srgb_to_linear(np.asarray(srgb, dtype=np.float64) / 255)


@cache
def _levels() -> npt.NDArray[np.float64]:
    """Linear light of the 256 byte values: a table, because powers are slow."""
    return _linear(np.arange(256))
