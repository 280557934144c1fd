"""Colours as the eye sees them: Ottosson's OKLab, in which distance is close to visible difference."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

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


def oklab(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """OKLab of sRGB colours from 0 to 255, shape (..., 3): lightness from 0 to 1, then green–red and blue–yellow.

    >>> oklab([[255, 0, 0], [0, 0, 255]]).round(2).tolist()
    [[0.63, 0.22, 0.13], [0.45, -0.03, -0.31]]
    """
    return np.asarray(cones(rgb) @ CONES_TO_LAB.T)


def cones(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Cube roots of what the three kinds of cones receive; each grows with red, green and blue."""
    values = np.asarray(rgb)
    linear = _levels()[values] if values.dtype == np.uint8 else _linear(values)
    return np.asarray(np.cbrt(linear @ RGB_TO_CONES.T))


def _linear(srgb: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    light = np.asarray(srgb, dtype=np.float64) / 255
    return np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)


@cache
def _levels() -> npt.NDArray[np.float64]:
    """The 256 levels of a byte, looked up by pictures: powers are slow."""
    return _linear(np.arange(256))
