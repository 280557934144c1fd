"""Drawings as perceptual feature vectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import oklab

_SIDE = 24


def drawing_features(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Feature vector of an h × w × 3 image: 24 × 24 nearest-neighbour samples in OKLab.

    The vector is scaled so that the distance between two is the root mean square OKLab distance per cell.

    >>> white, black = (drawing_features(np.full((16, 16, 3), level, np.uint8)) for level in (255, 0))
    >>> white.shape, round(float(np.linalg.norm(white - black)), 3)
    ((1728,), 1.0)
    """
    rows, columns = (((np.arange(_SIDE) + 0.5) * length / _SIDE).astype(int) for length in rgb.shape[:2])
    return oklab(rgb[np.ix_(rows, columns)]).ravel() / _SIDE
