"""Compiled loops of the edge rule, which `_edges` describes; imported only where numba is installed.

What is asked of most pixels is computed in `_flatness_kernel` for whole rows; what is asked of few, for these alone.
Label maps are uint8 or uint16, void is their largest value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled
from ._flatness_kernel import FRAME, flat_labels, mixed_pixels, supported
from ._near_kernel import NEAR, OUTER, add_near, is_near, may_be_near, near_sets, nearest_near
from ._paint_kernel import is_blend, painted_pixels

__all__ = ["mixed_pixels", "settle"]


@compiled
def _mark_lone(row: Any, labels: Any, void: Any, marks: Any) -> int:
    """Mark the labels of a row that are not within 6 places in the same row of a map; return their number.

    `row` begins 6 places before. Void is not marked.
    """
    count = 0
    for x in range(len(labels)):
        own = labels[x]
        hits = (
            np.uint8(row[x] == own)
            | np.uint8(row[x + 1] == own)
            | np.uint8(row[x + 2] == own)
            | np.uint8(row[x + 3] == own)
            | np.uint8(row[x + 4] == own)
            | np.uint8(row[x + 5] == own)
            | np.uint8(row[x + 6] == own)
            | np.uint8(row[x + 7] == own)
            | np.uint8(row[x + 8] == own)
            | np.uint8(row[x + 9] == own)
            | np.uint8(row[x + 10] == own)
            | np.uint8(row[x + 11] == own)
            | np.uint8(row[x + 12] == own)
            | np.uint8(own == void)
        )
        marks[x] = hits ^ np.uint8(1)
    for x in range(len(labels)):
        count += marks[x]
    return count


@compiled
def lone_pixels(framed: Any, labels: Any, height: int, width: int, offset: int, void: Any) -> Any:
    """Rows and columns of pixels whose label a framed map does not have within 6 pixels in the same row.

    `offset` is the size of the frame of `labels`.
    """
    wide = -(-width // 8) * 8
    marks, total, count = np.zeros((height, wide), np.uint8), 0, np.uint64(0)
    for y in range(height):
        row = labels[y + offset, offset : offset + width]
        total += _mark_lone(framed[y + FRAME, FRAME - NEAR :], row, void, marks[y])
    places = np.empty((total + 1, 2), np.int32)
    words = marks.reshape(-1).view(np.uint64)
    for word in range(len(words)):
        if words[word] == np.uint64(0):  # most are
            continue
        y, left = 8 * word // wide, 8 * word % wide
        for x in range(left, left + 8):
            places[count, 0], places[count, 1] = y, x
            count += np.uint64(marks[y, x])
    return places[:total]


@compiled
def keep(rgb: Any, firm: Any, first: Any, flat: Any, palette: Any, void: Any) -> Any:
    """The framed map of firm and thin pixels without the thin ones that a blend explains."""
    kept, near = first.copy(), np.empty((2, (2 * NEAR + 1) ** 2), first.dtype)
    places = lone_pixels(firm, first, rgb.shape[0], rgb.shape[1], FRAME, void)
    for i in range(len(places)):
        y, x = int(places[i, 0]), int(places[i, 1])
        own = first[y + FRAME, x + FRAME]
        if not is_near(firm, y + FRAME, x + FRAME, own) and is_blend(rgb, y, x, own, firm, flat, palette, void, near):
            kept[y + FRAME, x + FRAME] = void
    return kept


@compiled
def find_orphans(rgb: Any, labels: Any, kept: Any, near: Any, void: Any) -> Any:
    """Rows and columns, labels and colours of pixels that are not kept, and have no kept pixel of their label near.

    What the next steps need of these pixels is copied, because they are far apart in memory.
    """
    places, count = lone_pixels(kept, labels, labels.shape[0], labels.shape[1], 0, void), 0
    for i in range(len(places)):
        y, x = int(places[i, 0]), int(places[i, 1])
        own = labels[y, x]
        if not may_be_near(near, OUTER, y + FRAME, x + FRAME, own) or not is_near(kept, y + FRAME, x + FRAME, own):
            places[count, 0], places[count, 1] = y, x
            count += 1
    own_labels, colours = np.empty(count, labels.dtype), np.empty((count, 3), np.int64)
    for i in range(count):
        row, column = np.uint64(places[i, 0]), np.uint64(places[i, 1])
        own_labels[i] = labels[row, column]
        for channel in range(3):
            colours[i, channel] = rgb[row, column, channel]
    return places[:count], own_labels, colours


@compiled
def keep_painted(orphans: Any, own: Any, painted: Any, kept: Any, near: Any) -> Any:
    """Keep the orphans that are painted; return the last part of `near_sets` for their labels."""
    of_painted = np.zeros((1, near.shape[1], near.shape[2]), np.uint64)
    for i in range(len(orphans)):
        if painted[i]:
            y, x = int(orphans[i, 0]) + FRAME, int(orphans[i, 1]) + FRAME
            kept[y, x] = own[i]
            add_near(of_painted, y, x, own[i])
            add_near(near, y, x, own[i])
    return of_painted


@compiled
def adopt(
    orphans: Any,
    own: Any,
    colours: Any,
    painted: Any,
    kept: Any,
    near: Any,
    of_painted: Any,
    palette: Any,
    settled: Any,
) -> int:
    """Give the orphans that are not painted a label near them; return the number of labels that changed."""
    void, changed, work = kept[0, 0], 0, np.empty((2 * NEAR + 1) ** 2, kept.dtype)
    for i in range(len(orphans)):
        y, x = int(orphans[i, 0]), int(orphans[i, 1])
        if painted[i] or (
            may_be_near(of_painted, 0, y + FRAME, x + FRAME, own[i]) and is_near(kept, y + FRAME, x + FRAME, own[i])
        ):
            continue
        colour = colours[i, 0], colours[i, 1], colours[i, 2]
        label = nearest_near(near, kept, y + FRAME, x + FRAME, colour, palette, own[i], void, work)
        settled[y, x] = label
        changed += label != own[i]
    return changed


def settle(
    rgb: npt.NDArray[np.uint8],
    labels: npt.NDArray[Any],
    mixed: npt.NDArray[np.bool_],
    palette: npt.NDArray[np.int64],
    limits: npt.NDArray[np.int64],
    steepest: int,
    void: Any,
) -> tuple[npt.NDArray[Any], int]:
    """Apply the edge rule; return the labels, and the number of pixels whose label came from their neighbours.

    Its steps are compiled one by one, which takes less time than to compile all into one function.
    """
    flat = flat_labels(rgb, labels, mixed, steepest, void)
    firm, first = supported(flat, mixed, void)
    kept = keep(rgb, firm, first, flat, palette, void)
    near = near_sets(kept)
    orphans, own, colours = find_orphans(rgb, labels, kept, near, void)
    painted = painted_pixels(rgb, labels, orphans, colours, (firm, first), palette, limits, void)
    of_painted = keep_painted(orphans, own, painted, kept, near)
    settled = labels.copy()
    return settled, int(adopt(orphans, own, colours, painted, kept, near, of_painted, palette, settled))
