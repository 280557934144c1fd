"""Light and pixels: from sRGB to linear light and back, and cut-outs drawn at any place, size and turn."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.pixels import Box, linear_to_srgb, srgb_to_linear

from ._library import Pixels

Floats = npt.NDArray[np.float32]
"""Left, top, right and bottom in pixels, the last two excluded."""

_FINE = 2
"""Samples of a pixel along each of its sides."""
_PAD = 2
"""Clear pixels around a cut-out, so that its edge fades and does not end."""


def to_linear(codes: npt.ArrayLike) -> Floats:
    """Linear light from 0 to 1 of sRGB codes from 0 to 255.

    >>> to_linear([0, 128, 255]).round(4).tolist()
    [0.0, 0.2159000039100647, 1.0]
    """
    return _LINEAR[np.asarray(codes, np.uint8)]


def to_srgb(light: Floats) -> Pixels:
    """SRGB codes of linear light.

    >>> to_srgb(to_linear(np.arange(256))).tolist() == list(range(256))
    True
    """
    return np.asarray(linear_to_srgb(np.clip(light, 0.0, 1.0)) * 255 + 0.5, np.uint8)


def _curve() -> Floats:
    return srgb_to_linear(np.arange(256) / 255).astype(np.float32)


_LINEAR = _curve()


def premultiplied(rgba: Pixels) -> Floats:
    """Linear light times alpha, and alpha, with clear pixels around: what may be averaged without fringes."""
    alpha = rgba[..., 3:].astype(np.float32) / 255
    sheet = np.concatenate([to_linear(rgba[..., :3]) * alpha, alpha], axis=-1)
    return np.pad(sheet, ((_PAD, _PAD), (_PAD, _PAD), (0, 0)))


class Placed:
    """Where a cut-out of some pixels goes in a picture: an affine map between the two."""

    def __init__(
        self, sheet: Floats, x: float, y: float, size: float, rotation: float = 0.0, flip: bool = False
    ) -> None:
        """Lengths are pixels of the picture; `size` is the longer side of the cut-out without its clear margin."""
        self.sheet = sheet
        height, width = sheet.shape[0] - 2 * _PAD, sheet.shape[1] - 2 * _PAD
        self.scale = size / max(width, height)
        cosine, sine = math.cos(math.radians(rotation)) * self.scale, math.sin(math.radians(rotation)) * self.scale
        mirror = -1.0 if flip else 1.0
        # From the cut-out, measured from its middle, to the picture.
        self.matrix = np.array([[cosine * mirror, -sine, x], [sine * mirror, cosine, y], [0.0, 0.0, 1.0]])

    def corners(self, matrix: npt.NDArray[np.float64] | None = None) -> npt.NDArray[np.float64]:
        """Of the cut-out in the picture, (4, 2)."""
        height, width = self.sheet.shape[:2]
        own = np.array([[a * width / 2, b * height / 2, 1.0] for a in (-1, 1) for b in (-1, 1)])
        return np.asarray((own @ (self.matrix if matrix is None else matrix).T)[:, :2])

    def drawn(self, matrix: npt.NDArray[np.float64] | None = None, margin: int = 1) -> tuple[Box, Floats]:
        """The box of pixels that it covers, inside the picture or not, and its premultiplied light and alpha there.

        Args:
            matrix: Another map from the cut-out to the picture, such as that of its shadow.
            margin: Pixels around it.
        """
        matrix = self.matrix if matrix is None else matrix
        corners = self.corners(matrix)
        low, high = np.floor(corners.min(axis=0)) - margin, np.ceil(corners.max(axis=0)) + margin
        box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
        width, height = box[2] - box[0], box[3] - box[1]
        # First it is made smaller, evenly: then a few samples of each pixel are enough.
        sheet, share = _shrunk(self.sheet, _FINE * self.scale)
        middle = np.array([[share[0], 0, sheet.shape[1] / 2], [0, share[1], sheet.shape[0] / 2], [0, 0, 1]])
        fine = np.array([[1 / _FINE, 0, box[0]], [0, 1 / _FINE, box[1]], [0, 0, 1]])
        back = (middle @ np.linalg.inv(matrix) @ fine)[:2].ravel().tolist()
        size = (width * _FINE, height * _FINE)
        planes = [
            np.asarray(Image.fromarray(plane).transform(size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC))
            for plane in np.moveaxis(sheet, -1, 0)
        ]
        sampled = np.stack(planes, axis=-1).reshape(height, _FINE, width, _FINE, 4).mean(axis=(1, 3))
        alpha = np.clip(sampled[..., 3:], 0.0, 1.0)
        return box, np.concatenate([np.clip(sampled[..., :3], 0.0, alpha), alpha], axis=-1)


def _shrunk(sheet: Floats, scale: float) -> tuple[Floats, tuple[float, float]]:
    """A sheet made smaller to about a scale, and how much smaller along x and y; as it is, for scales above one."""
    if scale >= 1:
        return sheet, (1.0, 1.0)
    height, width = sheet.shape[:2]
    size = (max(1, math.ceil(width * scale)), max(1, math.ceil(height * scale)))
    planes = [
        np.asarray(Image.fromarray(np.ascontiguousarray(plane)).resize(size, Image.Resampling.HAMMING))
        for plane in np.moveaxis(sheet, -1, 0)
    ]
    return np.stack(planes, axis=-1), (size[0] / width, size[1] / height)


def pasted(box: Box, values: Floats, width: int, height: int) -> Floats:
    """Values that a box has, on a canvas of some size; zero elsewhere."""
    canvas = np.zeros((height, width, *values.shape[2:]), np.float32)
    left, top, right, bottom = max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)
    if left < right and top < bottom:
        canvas[top:bottom, left:right] = values[top - box[1] : bottom - box[1], left - box[0] : right - box[0]]
    return canvas
