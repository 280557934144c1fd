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
from ._near_kernel import (
    NEAR,
    OUTER,
    add_near,
    certain_nearest,
    is_near,
    may_be_near,
    must_be_near,
    near_sets,
    nearest_near,
)
from ._paint_kernel import is_blend, painted_pixels

__all__ = ["mixed_pixels", "settle"]


@compiled
def _mark_lone(row: Any, labels: Any, void: Any, marks: Any) -> None:
    """Mark the labels of a row that are not within 6 places in the same row of a map.

    `row` begins 6 places before. Void is not marked.
    """
    for x in range(len(labels)):
        own = labels[x]
        least = min(  # of bits that differ
            row[x] ^ own,
            row[x + 1] ^ own,
            row[x + 2] ^ own,
            row[x + 3] ^ own,
            row[x + 4] ^ own,
            row[x + 5] ^ own,
            row[x + 6] ^ own,
            row[x + 7] ^ own,
            row[x + 8] ^ own,
            row[x + 9] ^ own,
            row[x + 10] ^ own,
            row[x + 11] ^ own,
            row[x + 12] ^ own,
            void ^ own,
        )
        marks[x] = least != 0


@compiled
def _list_marks(marks: Any, y: Any, words: Any, places: Any, count: Any) -> Any:
    """Append the row and the column of each mark of a row; return the number of places.

    Words with a mark are listed first: both loops have no branches, which would be mispredicted.
    """
    eight, found = marks.view(np.uint64), np.uint64(0)
    for word in range(np.uint64(len(eight))):
        words[found] = word
        found += np.uint64(eight[word] != np.uint64(0))
    for i in range(found):
        for k in range(8):
            x = np.uint64(8) * np.uint64(words[i]) + np.uint64(k)
            places[count, np.uint64(0)], places[count, np.uint64(1)] = y, x
            count += np.uint64(marks[x])
    return count


@compiled
def lone_pixels(framed: Any, labels: Any, height: int, width: int, offset: int, void: Any) -> Any:
    """Rows and columns of pixels whose label a framed map does not have within 6 pixels in the same row.

    `offset` is the size of the frame of `labels`.
    """
    marks, count = np.zeros(-(-width // 8) * 8, np.uint8), np.uint64(0)
    words = np.empty(len(marks) // 8 + 1, np.uint32)
    places = np.empty((height * width + 1, 2), np.int32)  # only what is written takes memory
    for y in range(height):
        row = labels[y + offset, offset : offset + width]
        _mark_lone(framed[y + FRAME, FRAME - NEAR :], row, void, marks)
        count = _list_marks(marks, y, words, places, count)
    return places[:count]


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
def find_orphans(rgb: Any, labels: Any, kept: Any, near: Any, void: Any, count: int) -> Any:
    """Rows and columns, labels and colours of pixels that are not kept, and have no kept pixel of their label near.

    What the next steps need of these pixels is copied, because they are far apart in memory. `count` is the number of
    colours of the palette.
    """
    places, found = lone_pixels(kept, labels, labels.shape[0], labels.shape[1], 0, void), np.uint64(0)
    for i in range(len(places)):
        y, x = np.uint64(places[i, 0]), np.uint64(places[i, 1])
        own, row, column = labels[y, x], y + np.uint64(FRAME), x + np.uint64(FRAME)
        places[found, 0], places[found, 1] = y, x
        if must_be_near(near, row, column, own, count):
            continue
        found += np.uint64(not may_be_near(near, OUTER, row, column, own) or not is_near(kept, row, column, own))
    own_labels, colours = np.empty(found, labels.dtype), np.empty((found, 3), np.int64)
    for i in range(found):
        row, column = np.uint64(places[i, 0]), np.uint64(places[i, 1])
        own_labels[i] = labels[row, column]
        for channel in range(3):
            colours[i, channel] = rgb[row, column, channel]
    return places[:found], own_labels, colours


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
def _certain_labels(orphans: Any, colours: Any, near: Any, palette: Any) -> Any:
    """The label of each orphan, as if none were painted; -1 where the sets of blocks do not decide."""
    labels = np.empty(len(orphans), np.int64)
    for i in range(len(orphans)):
        y, x = np.uint64(orphans[i, 0]) + np.uint64(FRAME), np.uint64(orphans[i, 1]) + np.uint64(FRAME)
        labels[i] = certain_nearest(near, y, x, (colours[i, 0], colours[i, 1], colours[i, 2]), palette)
    return labels


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
    certain = _certain_labels(orphans, colours, near, palette)
    for i in range(len(orphans)):
        y, x, label = np.uint64(orphans[i, 0]), np.uint64(orphans[i, 1]), certain[i]
        row, column = y + np.uint64(FRAME), x + np.uint64(FRAME)
        if painted[i] or (may_be_near(of_painted, 0, row, column, own[i]) and is_near(kept, row, column, own[i])):
            continue
        if label < 0:
            colour = colours[i, 0], colours[i, 1], colours[i, 2]
            label = np.int64(nearest_near(near, kept, row, column, colour, palette, own[i], void, work))
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
    orphans, own, colours = find_orphans(rgb, labels, kept, near, void, len(palette))
    painted = painted_pixels(rgb, labels, orphans, colours, (firm, first), palette, limits, void)
    of_painted = keep_painted(orphans, own, painted, kept, near)
    settled = labels.copy()
    return settled, int(adopt(orphans, own, colours, painted, kept, near, of_painted, palette, settled))
