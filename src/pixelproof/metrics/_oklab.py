"""Colours as the eye sees them: Ottosson's OKLab, in which distance is close to visible difference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_RGB_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_CONES_TO_LAB = np.array(
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
    srgb = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _RGB_TO_CONES.T) @ _CONES_TO_LAB.T)


def drawing_features(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """A picture of h × w × 3 as a vector: 24 × 24 of its own colours (nearest cells, nothing mixed) in OKLab.

    The vector is scaled so that the distance between two is the root mean square of the visible difference per cell.

    >>> white, black = (drawing_features(np.full((16, 16, 3), level, np.uint8)) for level in (255, 0))
    >>> white.shape, round(float(np.linalg.norm(white - black)), 3)
    ((1728,), 1.0)
    """
    rows, columns = (((np.arange(_SIDE) + 0.5) * length / _SIDE).astype(int) for length in rgb.shape[:2])
    return oklab(rgb[np.ix_(rows, columns)]).ravel() / _SIDE


_SIDE = 24
