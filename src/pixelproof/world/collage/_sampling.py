"""Resampling of cut-outs in linear light: at any position, size and rotation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.pixels import Box, linear_to_srgb, srgb_to_linear

from ._library import Pixels

Floats = npt.NDArray[np.float32]

_FINE = 2
"""Samples per pixel along each axis."""
_PAD = 2
"""Transparent pixels around a cut-out, so that its edge is anti-aliased."""


def to_linear(codes: npt.ArrayLike) -> Floats:
    """Linear values from 0 to 1 of sRGB values from 0 to 255.

    >>> to_linear([0, 128, 255]).round(4).tolist()
    [0.0, 0.2159000039100647, 1.0]
    """
    return _LINEAR[np.asarray(codes, np.uint8)]


def to_srgb(light: Floats) -> Pixels:
    """8-bit sRGB of linear values.

    >>> to_srgb(to_linear(np.arange(256))).tolist() == list(range(256))
    True
    """
    return np.asarray(linear_to_srgb(np.clip(light, 0.0, 1.0)) * 255 + 0.5, np.uint8)


def _curve() -> Floats:
    return srgb_to_linear(np.arange(256) / 255).astype(np.float32)


_LINEAR = _curve()


def premultiplied(rgba: Pixels) -> Floats:
    """Premultiplied linear RGBA with a transparent margin."""
    alpha = rgba[..., 3:].astype(np.float32) / 255
    sheet = np.concatenate([to_linear(rgba[..., :3]) * alpha, alpha], axis=-1)
    return np.pad(sheet, ((_PAD, _PAD), (_PAD, _PAD), (0, 0)))


class Placed:
    """A cut-out with the affine transform that places it in an image."""

    def __init__(
        self, sheet: Floats, x: float, y: float, size: float, rotation: float = 0.0, flip: bool = False
    ) -> None:
        """Lengths are pixels of the image; `size` is the longer side of the cut-out without its margin."""
        self.sheet = sheet
        height, width = sheet.shape[0] - 2 * _PAD, sheet.shape[1] - 2 * _PAD
        self.scale = size / max(width, height)
        cosine, sine = math.cos(math.radians(rotation)) * self.scale, math.sin(math.radians(rotation)) * self.scale
        mirror = -1.0 if flip else 1.0
        # From cut-out coordinates, relative to its centre, to image coordinates.
        self.matrix = np.array([[cosine * mirror, -sine, x], [sine * mirror, cosine, y], [0.0, 0.0, 1.0]])

    def corners(self, matrix: npt.NDArray[np.float64] | None = None) -> npt.NDArray[np.float64]:
        """Corners of the cut-out in the image, (4, 2)."""
        height, width = self.sheet.shape[:2]
        own = np.array([[a * width / 2, b * height / 2, 1.0] for a in (-1, 1) for b in (-1, 1)])
        return np.asarray((own @ (self.matrix if matrix is None else matrix).T)[:, :2])

    def drawn(self, matrix: npt.NDArray[np.float64] | None = None, margin: int = 1) -> tuple[Box, Floats]:
        """Resample the cut-out: its bounding box, inside the image or not, and premultiplied linear RGBA there.

        Args:
            matrix: Another transform from the cut-out to the image, such as that of its shadow.
            margin: Pixels to add around the box.
        """
        matrix = self.matrix if matrix is None else matrix
        corners = self.corners(matrix)
        low, high = np.floor(corners.min(axis=0)) - margin, np.ceil(corners.max(axis=0)) + margin
        box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
        width, height = box[2] - box[0], box[3] - box[1]
        # Downscale first, so that a few samples per pixel suffice.
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
    """A sheet downscaled to about a scale, with the exact scales along x and y; unchanged for scales ≥ 1."""
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
    """Paste the values of a box into a zero canvas of an image size."""
    canvas = np.zeros((height, width, *values.shape[2:]), np.float32)
    left, top, right, bottom = max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)
    if left < right and top < bottom:
        canvas[top:bottom, left:right] = values[top - box[1] : bottom - box[1], left - box[0] : right - box[0]]
    return canvas
