"""Distinct values of a label map, compiled; imported only where numba is installed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._compiled import compiled


@compiled
def used_bytes(values: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Distinct values of a map, ascending; eight pixels equal to the eight before are skipped."""
    used = np.zeros(256, np.bool_)
    words = values[: len(values) // 8 * 8].view(np.uint64)
    last = ~words[0] if len(words) else np.uint64(0)
    for i in range(len(words)):
        if words[i] != last:
            last = words[i]
            for k in range(8 * i, 8 * i + 8):
                used[values[k]] = True
    for i in range(8 * len(words), len(values)):
        used[values[i]] = True
    return np.flatnonzero(used)


@compiled
def has_only(values: npt.NDArray[np.uint8], count: np.uint8, void: np.uint8) -> bool:
    """Whether all values of a map are below `count`, or void."""
    strange = np.uint8(0)
    for i in range(len(values)):  # without a branch, so that the loop becomes vector instructions
        strange |= np.uint8(values[i] >= count) & np.uint8(values[i] != void)
    return bool(strange == 0)
