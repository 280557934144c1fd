"""Surface normals as colour, and back.

Red grows with what faces right, green with what faces up, blue with what faces the viewer: a wall seen straight on is
light blue, as in most normal maps. A frame's own axes are x right, y down, z away from the viewer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._depth import Decoded, Pixels, Reals, check_picture

_AXES = np.array([1, -1, -1], np.float32)
SHORTEST = 0.25
"""Vectors shorter than this are undefined: greys, which encode unknown normals."""


def encode_normals(normals: npt.NDArray[np.floating]) -> Pixels:
    """Encode unit normals (height, width, 3) as an RGB image; zero vectors, which are unknown, become middle grey.

    >>> encode_normals(np.array([[[0.0, 0, -1], [0, -1, 0], [0, 0, 0]]])).tolist()
    [[[128, 128, 255], [128, 255, 128], [128, 128, 128]]]
    """
    if normals.ndim != 3 or normals.shape[2] != 3:
        raise ValueError(f"Normals have the shape (height, width, 3), not {normals.shape}.")
    known = np.nan_to_num(normals, nan=0, posinf=0, neginf=0)
    colours: Pixels = np.floor((np.clip(known, -1, 1) * _AXES + 1) * 127.5 + 0.5).astype(np.uint8)
    return colours


def decode_normals(rgb: Pixels) -> Decoded:
    """Decode an RGB image to unit normals in the camera frame; zero where a colour is undefined.

    The distance of a colour is that from the sphere of all unit vectors, in sRGB levels.

    >>> decode_normals(np.array([[[128, 128, 255], [128, 128, 128]]], np.uint8)).values.round(2).tolist()
    [[[0.0, -0.0, -1.0], [0.0, 0.0, 0.0]]]
    """
    check_picture(rgb)
    vectors: Reals = (rgb.astype(np.float32) / np.float32(127.5) - 1) * _AXES
    length = np.sqrt(np.einsum("hwc,hwc->hw", vectors, vectors))
    scale = np.where(length < SHORTEST, 0, 1 / np.maximum(length, SHORTEST)).astype(np.float32)
    return Decoded(vectors * scale[..., None] + np.float32(0), (np.abs(length - 1) * 127.5).astype(np.float32))
