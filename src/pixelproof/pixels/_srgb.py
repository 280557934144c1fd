"""The sRGB transfer function (IEC 61966-2-1), in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def srgb_to_linear(encoded: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Linear light of sRGB values; both from 0 to 1. The floating-point type is kept.

    >>> srgb_to_linear(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.214, 1.0]
    """
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(linear: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """SRGB values of linear light; both from 0 to 1. The floating-point type is kept.

    >>> linear_to_srgb(np.array([0.0, 0.214, 1.0])).round(4).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
