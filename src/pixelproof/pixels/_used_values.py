"""The distinct values of a label map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from ._compiled import kernels
from ._palette import Labels, void_of


def used_values(values: Labels) -> npt.NDArray[np.intp]:
    """The distinct values of a two-dimensional label map, ascending.

    >>> used_values(np.array([[7, 3], [7, 7]], np.uint8)).tolist()
    [3, 7]
    """
    if not values.size:
        return np.empty(0, dtype=np.intp)
    if values.dtype != np.uint8:
        used = np.zeros(void_of(values) + 1, dtype=bool)
        used[values] = True
        return np.flatnonzero(used)
    if (loops := kernels("pixelproof.pixels._used_values_kernel")) is not None and values.flags.c_contiguous:
        if values.ctypes.data % 8 == 0:  # whole words are read
            return np.asarray(loops.used_bytes(values.ravel()))
    return np.flatnonzero(Image.fromarray(values).histogram())  # three times as fast as numpy's


def has_only(values: Labels, count: int) -> bool:
    """Whether all values of a label map are below `count`, or void; a tenth of the time of `used_values`.

    >>> has_only(np.array([[7, 255]], np.uint8), 8), has_only(np.array([[8, 255]], np.uint8), 8)
    (True, False)
    """
    loops = kernels("pixelproof.pixels._used_values_kernel")
    if loops is not None and values.dtype == np.uint8 and values.flags.c_contiguous:
        return bool(loops.has_only(values.reshape(-1), np.uint8(count), np.uint8(void_of(values))))
    return all(value < count or value == void_of(values) for value in used_values(values).tolist())
