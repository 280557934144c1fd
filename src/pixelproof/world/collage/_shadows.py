"""Shadows on the ground: a projected silhouette, and a contact shadow."""

from __future__ import annotations

import math

import numpy as np
from scipy.ndimage import gaussian_filter

from pixelproof.pixels import Box

from ._collage import Light
from ._sampling import Floats, Placed, pasted

_TILT = 0.42
"""Foreshortening of the ground: image height of a unit square."""
_FLATTEST = 0.08
_SHARP, _SOFT = 0.01, 0.045
"""Blur of a shadow at the foot and at its far end, in units of the piece height."""
_UNDER = 0.07
"""Share of a piece's height that casts the contact shadow."""


def shade_of(placed: Placed, box: Box, alpha: Floats, light: Light, width: int, height: int) -> Floats:
    """Shadow of a piece at each pixel: share of light removed, from 0 to 1.

    Args:
        placed: The piece.
        box: Bounding box of the piece.
        alpha: Coverage within the box.
        light: Light of the collage.
        width: Image width.
        height: Image height.
    """
    rows = np.flatnonzero((alpha >= 0.5).any(axis=1))
    if not len(rows) or light.strength == 0:
        return np.zeros((height, width), np.float32)
    foot, tall = float(box[1] + rows[-1] + 1), float(rows[-1] - rows[0] + 1)
    cast = _cast(placed, light, foot, tall, width, height)
    under = _under(box, alpha, rows, width, height)
    return np.asarray(light.strength * (1 - (1 - 0.8 * cast) * (1 - 0.9 * under)), np.float32)


def _cast(placed: Placed, light: Light, foot: float, tall: float, width: int, height: int) -> Floats:
    """The silhouette sheared onto the ground, blurred more with the distance from the foot."""
    reach = 1 / math.tan(math.radians(light.elevation))
    aside = -math.sin(math.radians(light.azimuth)) * reach
    up = max(math.cos(math.radians(light.azimuth)) * reach * _TILT, _FLATTEST)
    laid = np.array([[1.0, -aside, aside * foot], [0.0, up, (1 - up) * foot], [0.0, 0.0, 1.0]])
    soft = _SOFT * tall
    box, cover = placed.drawn(laid @ placed.matrix, margin=math.ceil(3 * soft) + 1)
    alpha = cover[..., 3]
    rows = np.arange(box[1], box[3], dtype=np.float32) + 0.5
    far = np.clip((foot - rows) / (up * tall), 0.0, 1.0)[:, None]
    sharp, blurred = (gaussian_filter(alpha, blur) for blur in (_SHARP * tall, soft))
    return pasted(box, ((1 - far) * sharp + far * blurred) * (1 - 0.55 * far), width, height)


def _under(box: Box, alpha: Floats, rows: np.ndarray, width: int, height: int) -> Floats:
    """Contact shadow: the lowest part of a piece, blurred."""
    tall = int(rows[-1] - rows[0] + 1)
    first = max(int(rows[-1] + 1 - math.ceil(_UNDER * tall)), 0)
    blur = max(0.02 * tall, 0.6)
    margin = math.ceil(3 * blur) + 1
    lowest = np.pad(alpha[first : rows[-1] + 1], margin)
    spread = gaussian_filter(lowest, (0.6 * blur, blur))
    left, top = box[0] - margin, box[1] + first - margin + round(0.4 * blur)
    where = (left, top, left + spread.shape[1], top + spread.shape[0])
    return pasted(where, np.clip(1.2 * spread, 0.0, 1.0), width, height)
