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
def keep(rgb: Any, firm: Any, first: Any, flat: Any, palette: Any, void: Any) -> Any:
    """The framed map of firm and thin pixels without the thin ones that a blend explains."""
    height, width = rgb.shape[:2]
    kept, places = first.copy(), np.empty(width + 1, np.uint32)
    near = np.empty((2, (2 * NEAR + 1) ** 2), first.dtype)
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
def find_orphans(rgb: Any, labels: Any, kept: Any, near: Any) -> Any:
    """Rows and columns, labels and colours of pixels that are not kept, and have no kept pixel of their label near.

    What the next steps need of these pixels is copied, because they are far apart in memory.
    """
    height, width = labels.shape
    total, count = 0, 0
    for y in range(height):
        total += _count_differing(kept[y + FRAME, FRAME:], labels[y])
    orphans, own, places = np.empty((total, 2), np.int32), np.empty(total, labels.dtype), np.empty(width + 1, np.uint32)
    for y in range(height):
        for i in range(_differing(kept[y + FRAME, FRAME:], labels[y], places)):
            x = int(places[i])
            label = labels[y, x]
            if not may_be_near(near, OUTER, y + FRAME, x + FRAME, label) or not is_near(
                kept, y + FRAME, x + FRAME, label
            ):
                orphans[count, 0], orphans[count, 1], own[count] = y, x, label
                count += 1
    colours = np.empty((count, 3), np.int64)
    for i in range(count):
        y, x = np.uint64(orphans[i, 0]), np.uint64(orphans[i, 1])
        colours[i, 0], colours[i, 1], colours[i, 2] = rgb[y, x, 0], rgb[y, x, 1], rgb[y, x, 2]
    return orphans[:count], own[:count], colours


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
    orphans, own, colours = find_orphans(rgb, labels, kept, near)
    painted = painted_pixels(rgb, labels, orphans, colours, (firm, first), palette, limits, void)
    of_painted = keep_painted(orphans, own, painted, kept, near)
    settled = labels.copy()
    return settled, int(adopt(orphans, own, colours, painted, kept, near, of_painted, palette, settled))
