"""Dilation for `contour_counts`, compiled. Imported only where numba is installed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import compiled


@compiled
def dilated(bits: npt.NDArray[np.uint64], radius: int) -> npt.NDArray[np.uint64]:
    """Dilation by a disc, row by row; rows end in at least `radius` zero bits."""
    height, words = bits.shape
    near = np.zeros((height, words), np.uint64)
    # A constant word of zeros at both ends avoids branches in the loop.
    spread, wider = np.zeros(words + 2, np.uint64), np.zeros(words + 2, np.uint64)
    one, most = np.uint64(1), np.uint64(63)
    for y in range(height):
        if not bits[y].any():
            continue
        spread[1:-1] = bits[y]
        reached = 0
        for dy in range(radius, -1, -1):
            while (reached + 1) ** 2 + dy**2 <= radius**2:
                for i in range(1, words + 1):
                    wider[i] = (
                        spread[i] | spread[i] << one | spread[i] >> one | spread[i - 1] >> most | spread[i + 1] << most
                    )
                spread, wider = wider, spread
                reached += 1
            if y >= dy:
                for i in range(words):
                    near[y - dy, i] |= spread[i + 1]
            if y + dy < height:
                for i in range(words):
                    near[y + dy, i] |= spread[i + 1]
    return near
