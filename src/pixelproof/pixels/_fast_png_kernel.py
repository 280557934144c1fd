"""PNG unfiltering, compiled; imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled


@compiled
def _paeth(left: Any, above: Any, corner: Any) -> Any:
    """The Paeth predictor."""
    to_left, to_above = abs(above - corner), abs(left - corner)
    to_corner = abs(left + above - corner - corner)
    # Signs as masks: the branch is unpredictable, and a misprediction costs more than computing both sides.
    other = above + ((corner - above) & (to_corner - to_above >> 31))
    return left + ((other - left) & (min(to_above, to_corner) - to_left >> 31))


@compiled
def _undo_paeth(coded: Any, above: Any, row: Any) -> None:
    """Undo the Paeth filter of a row; channels are interleaved to hide latency."""
    r, g, b, r_, g_, b_ = np.int32(0), np.int32(0), np.int32(0), np.int32(0), np.int32(0), np.int32(0)
    for i in range(0, len(row), 3):
        over_r, over_g, over_b = np.int32(above[i]), np.int32(above[i + 1]), np.int32(above[i + 2])
        r = np.int32(coded[i] + _paeth(r, over_r, r_) & 255)
        g = np.int32(coded[i + 1] + _paeth(g, over_g, g_) & 255)
        b = np.int32(coded[i + 2] + _paeth(b, over_b, b_) & 255)
        r_, g_, b_ = over_r, over_g, over_b
        row[i], row[i + 1], row[i + 2] = r, g, b


@compiled
def unfilter(raw: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8]) -> bool:
    """Write RGB rows from filtered ones, each preceded by its filter type; return False for an unknown type."""
    above = np.zeros(rows.shape[1], np.uint8)
    for y in range(len(rows)):
        kind, coded, row = raw[y, 0], raw[y, 1:], rows[y]
        if kind == 0:
            row[:] = coded
        elif kind == 1:
            r, g, b = np.uint8(0), np.uint8(0), np.uint8(0)
            for i in range(0, len(row), 3):  # the previous pixel stays in registers
                r, g, b = np.uint8(r + coded[i]), np.uint8(g + coded[i + 1]), np.uint8(b + coded[i + 2])
                row[i], row[i + 1], row[i + 2] = r, g, b
        elif kind == 2:
            for i in range(len(row)):
                row[i] = coded[i] + above[i]
        elif kind == 3:
            for i in range(len(row)):
                left = np.int32(row[i - 3]) if i >= 3 else np.int32(0)
                row[i] = np.int32(coded[i]) + (left + np.int32(above[i]) >> 1)
        elif kind == 4:
            _undo_paeth(coded, above, row)
        else:
            return False
        above = row
    return True
