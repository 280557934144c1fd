"""From light to the numbers of a picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import linear_to_srgb

from ._compiled import compiled

Singles = npt.NDArray[np.float32]

_SHOULDER = 0.76


@compiled
def displayed(light: Singles, exposure: float) -> Singles:
    """Light as a screen shows it, linear from 0 to 1: as it is up to a shoulder, and then ever less of it.

    The strongest channel is bent and the others with it, so that a colour keeps its hue, and what is far too bright
    turns white.
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


def encoded(shown: Singles) -> npt.NDArray[np.uint8]:
    """Linear light from 0 to 1 as sRGB.

    >>> encoded(np.array([[0.0, 0.2159, 1.0]], np.float32)).tolist()
    [[0, 128, 255]]
    """
    return looked_up(shown, _TABLE)


@compiled
def looked_up(shown: Singles, table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Numbers from 0 to 1 as the entries that a table of 65,536 has for them."""
    result = np.empty(shown.shape, np.uint8)
    for index in range(len(shown)):
        for channel in range(3):
            result[index, channel] = table[int(min(1.0, max(0.0, shown[index, channel])) * 65535 + 0.5)]
    return result


def _table() -> npt.NDArray[np.uint8]:
    share = np.arange(65536) / 65535
    return np.asarray(linear_to_srgb(share) * 255 + 0.5, np.uint8)


_TABLE = _table()
