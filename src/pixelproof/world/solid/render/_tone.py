"""Tone mapping and sRGB encoding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import linear_to_srgb

from ._compiled import Singles, compiled

_SHOULDER = 0.76


@compiled
def tone_map(light: Singles, exposure: float) -> Singles:
    """Tone-map radiance to linear display values from 0 to 1: linear up to a shoulder, then compressed.

    The strongest channel is compressed and the others are scaled with it, which preserves the hue; overexposed colours
    turn white.
    """
    result = np.empty_like(light)
    rest = 1 - _SHOULDER
    for index in range(len(light)):
        peak = max(light[index, 0], light[index, 1], light[index, 2]) * exposure
        times, white = exposure, 0.0
        if peak > _SHOULDER:
            shown = 1 - rest * rest / (peak - _SHOULDER + rest)
            times, white = exposure * shown / peak, 1 - 1 / (0.12 * (peak - shown) + 1)
            for channel in range(3):
                result[index, channel] = light[index, channel] * times * (1 - white) + shown * white
        else:
            for channel in range(3):
                result[index, channel] = light[index, channel] * times
    return result


def encode_srgb(shown: Singles) -> npt.NDArray[np.uint8]:
    """Encode linear values from 0 to 1 as 8-bit sRGB.

    >>> encode_srgb(np.array([[0.0, 0.2159, 1.0]], np.float32)).tolist()
    [[0, 128, 255]]
    """
    return look_up(shown, _TABLE)


@compiled
def look_up(shown: Singles, table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Look up values from 0 to 1 in a table of 65,536 entries."""
    result = np.empty(shown.shape, np.uint8)
    for index in range(len(shown)):
        for channel in range(3):
            result[index, channel] = table[int(min(1.0, max(0.0, shown[index, channel])) * 65535 + 0.5)]
    return result


def _table() -> npt.NDArray[np.uint8]:
    share = np.arange(65536) / 65535
    return np.asarray(linear_to_srgb(share) * 255 + 0.5, np.uint8)


_TABLE = _table()
