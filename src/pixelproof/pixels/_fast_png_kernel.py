"""PNG unfiltering, compiled; imported only where numba is installed.

Indices are unsigned, for otherwise each would be tested for counting from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled


@compiled
def _paeth(left: Any, above: Any, corner: Any) -> Any:
    """The Paeth predictor, by two comparisons: the nearest of three to `left + above - corner`.

    If the corner is not between the other two, the further one of these from it is nearest; otherwise, unless it is
    much nearer to one of them, the corner is.
    """
    least, most = min(left, above), max(left, above)
    threshold = corner + corner + corner - (left + above)
    inner = least if most <= threshold else corner
    return most if threshold <= least else inner


@compiled
def _undo_paeth(coded: Any, above: Any, row: Any) -> None:
    """Undo the Paeth filter of a row of RGB; channels are interleaved to hide latency.

    All numbers have 64 bits: narrower ones would be extended at each step.
    """
    r, g, b, r_, g_, b_ = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for pixel in range(np.uint64(len(row) // 3)):
        i = np.uint64(3) * pixel
        j, k = i + np.uint64(1), i + np.uint64(2)
        over_r, over_g, over_b = np.int64(above[i]), np.int64(above[j]), np.int64(above[k])
        r = (np.int64(coded[i]) + _paeth(r, over_r, r_)) & np.int64(255)
        g = (np.int64(coded[j]) + _paeth(g, over_g, g_)) & np.int64(255)
        b = (np.int64(coded[k]) + _paeth(b, over_b, b_)) & np.int64(255)
        r_, g_, b_ = over_r, over_g, over_b
        row[i], row[j], row[k] = r, g, b


@compiled
def _undo_paeth_bytes(coded: Any, above: Any, row: Any) -> None:
    """Undo the Paeth filter of a row of single bytes."""
    left, corner = np.int64(0), np.int64(0)
    for x in range(np.uint64(len(row))):
        over = np.int64(above[x])
        left = (np.int64(coded[x]) + _paeth(left, over, corner)) & np.int64(255)
        corner = over
        row[x] = left


@compiled
def unfilter(raw: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8], step: int) -> bool:
    """Write rows from filtered ones, each preceded by its filter type; return False for an unknown type.

    Args:
        raw: Shape (height, 1 + row length).
        rows: Shape (height, row length), to be written.
        step: Bytes per pixel, 1 or 3.
    """
    above = np.zeros(rows.shape[1], np.uint8)
    for y in range(len(rows)):
        kind, coded, row = raw[y, 0], raw[y, 1:], rows[y]
        if kind == 0:
            for i in range(len(row)):  # assigned as a whole, it would not be copied in words
                row[i] = coded[i]
        elif kind == 1:
            _undo_sub(coded, row, step)
        elif kind == 2:
            for i in range(len(row)):
                row[i] = coded[i] + above[i]
        elif kind == 3:
            for i in range(len(row)):
                left = np.int32(row[i - step]) if i >= step else np.int32(0)
                row[i] = np.int32(coded[i]) + (left + np.int32(above[i]) >> 1)
        elif kind == 4:
            if step == 3:
                _undo_paeth(coded, above, row)
            else:
                _undo_paeth_bytes(coded, above, row)
        else:
            return False
        above = row
    return True


@compiled
def _undo_sub(coded: Any, row: Any, step: int) -> None:
    """Undo the filter that subtracts the previous pixel, which stays in registers."""
    if step == 1:
        left = np.uint8(0)
        for x in range(len(row)):
            left = np.uint8(left + coded[x])
            row[x] = left
        return
    r, g, b = np.uint8(0), np.uint8(0), np.uint8(0)
    for i in range(0, len(row), 3):
        r, g, b = np.uint8(r + coded[i]), np.uint8(g + coded[i + 1]), np.uint8(b + coded[i + 2])
        row[i], row[i + 1], row[i + 2] = r, g, b
