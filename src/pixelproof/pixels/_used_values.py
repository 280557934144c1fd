"""The distinct values of a label map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from ._compiled import kernels


def used_bytes(values: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """The distinct values of a two-dimensional map, ascending.

    >>> used_bytes(np.array([[7, 3], [7, 7]], np.uint8)).tolist()
    [3, 7]
    """
    if not values.size:
        return np.empty(0, dtype=np.intp)
    if (loops := kernels("pixelproof.pixels._edges_kernel")) is not None and values.flags.c_contiguous:
        if values.ctypes.data % 8 == 0:  # whole words are read
            return np.asarray(loops.used_bytes(values.ravel()))
    return np.flatnonzero(Image.fromarray(values).histogram())  # three times as fast as numpy's
