"""Bounding boxes of masks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are exclusive."""


def bounding_box(mask: npt.NDArray[np.bool_]) -> Box | None:
    """The smallest box around the true pixels of a mask, or None if there are none.

    >>> bounding_box(np.array([[False, False, False], [False, True, True]]))
    (1, 1, 3, 2)
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
