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
from ._near_kernel import EXACT_LABELS, NEAR, has_label, is_near, near_set, nearest_near
from ._paint_kernel import is_blend, painted_pixels

__all__ = ["mixed_pixels", "settle"]


@compiled
def _differing(one: Any, other: Any, places: Any) -> Any:
    """Write the positions where two rows differ, and return their number."""
    count = np.uint64(0)
    for x in range(len(other)):
        places[count] = x
        count += np.uint64(one[x] != other[x])
    return count


@compiled
def _count_differing(one: Any, other: Any) -> int:
    """Number of positions where two rows differ."""
    count = 0
    for x in range(len(other)):
        count += one[x] != other[x]
    return count


@compiled
def _keep(rgb: Any, firm: Any, first: Any, flat: Any, palette: Any, void: Any, near: Any) -> Any:
    """The framed map of firm and thin pixels without the thin ones that a blend explains."""
    height, width = rgb.shape[:2]
    kept, places = first.copy(), np.empty(width + 1, np.uint32)
    for y in range(height):
        one, other = firm[y + FRAME, FRAME : FRAME + width], first[y + FRAME, FRAME : FRAME + width]
        for i in range(_differing(one, other, places)):
            x = int(places[i])
            own = other[x]
            if not is_near(firm, y + FRAME, x + FRAME, own) and is_blend(
                rgb, y, x, own, firm, flat, palette, void, near
            ):
                kept[y + FRAME, x + FRAME] = void
    return kept


@compiled
def _orphans(labels: Any, kept: Any, exact: bool) -> Any:
    """Pixels that are not kept, and have no kept pixel of their label near: places, and sets of labels near them.

    Most have one in their own row.
    """
    height, width = labels.shape
    total, count = 0, 0
    for y in range(height):
        total += _count_differing(kept[y + FRAME, FRAME:], labels[y])
    orphans, sets = np.empty((total, 2), np.int32), np.empty(total, np.uint64)
    places = np.empty(width + 1, np.uint32)
    for y in range(height):
        row = kept[y + FRAME]
        for i in range(_differing(row[FRAME:], labels[y], places)):
            x = int(places[i])
            own = labels[y, x]
            beside, hits = row[x + FRAME - NEAR : x + FRAME + NEAR + 1], np.uint8(0)
            for column in range(2 * NEAR + 1):
                hits |= np.uint8(beside[column] == own)
            if hits:
                continue
            near = near_set(kept, y + FRAME, x + FRAME)
            if not has_label(near, kept, y + FRAME, x + FRAME, own, exact):
                orphans[count, 0], orphans[count, 1], sets[count] = y, x, near
                count += 1
    return orphans[:count], sets[:count]


@compiled
def _mark_around(marks: Any, y: int, x: int) -> None:
    """Mark the block of 8 × 8 pixels of a place and the eight blocks around it, which contain all pixels near."""
    marks[y // 8 : y // 8 + 3, x // 8 : x // 8 + 3] = True


@compiled
def settle(
    rgb: npt.NDArray[np.uint8],
    labels: npt.NDArray[Any],
    mixed: npt.NDArray[np.bool_],
    palette: npt.NDArray[np.int64],
    limits: npt.NDArray[np.int64],
    steepest: int,
    void: Any,
    settled: npt.NDArray[Any],
) -> int:
    """Apply the edge rule; return the number of pixels whose label came from their neighbours."""
    near, exact = np.empty((2, (2 * NEAR + 1) ** 2), labels.dtype), len(palette) <= EXACT_LABELS
    flat = flat_labels(rgb, labels, mixed, steepest, void)
    firm, first = supported(flat, mixed, void)
    kept = _keep(rgb, firm, first, flat, palette, void, near)
    orphans, sets = _orphans(labels, kept, exact)
    painted = painted_pixels(rgb, labels, orphans, (firm, first), palette, limits, void, near)
    changed_near = np.zeros((len(kept) // 8, kept.shape[1] // 8), np.bool_)  # one block further than the image's
    for i in range(len(orphans)):
        if painted[i]:
            y, x = int(orphans[i, 0]), int(orphans[i, 1])
            kept[y + FRAME, x + FRAME] = labels[y, x]
            _mark_around(changed_near, y, x)
    settled[:] = labels
    changed = 0
    for i in range(len(orphans)):
        if painted[i]:
            continue
        y, x = int(orphans[i, 0]), int(orphans[i, 1])
        own, labels_near = labels[y, x], sets[i]
        if changed_near[y // 8 + 1, x // 8 + 1]:  # painted pixels are kept meanwhile
            labels_near = near_set(kept, y + FRAME, x + FRAME)
            if has_label(labels_near, kept, y + FRAME, x + FRAME, own, exact):
                continue
        red, green, blue = rgb[y, x, 0], rgb[y, x, 1], rgb[y, x, 2]
        label = nearest_near(labels_near, kept, palette, y + FRAME, x + FRAME, red, green, blue, own, exact)
        settled[y, x] = label
        changed += label != own
    return changed
