"""Compiled searches for labels near a pixel, in framed maps; `_edges` says what near means.

Blocks of 8 × 8 pixels have sets of labels: words of 64 bits, where the bit of a label is its remainder by 64. Those of
a block and the eight around it contain all labels near each of its pixels, and some more: what they exclude is not
searched for, what they include is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import compiled

NEAR = 6
_BITS = 64
_SHARED = 4
"""Most labels that share a bit of a set; of larger palettes, the labels near a pixel are listed."""
_LAST = 1 << 60
"""Above all ranks."""
_DE_BRUIJN = 0x03F79D71B4CB0A89
_POWERS = np.array([power for _, power in sorted((_DE_BRUIJN << n & 2**64 - 1, n) for n in range(64))], np.uint8)
"""De Bruijn sequence: multiplied by a power of two, its highest six bits identify the power."""


@compiled
def is_near(values: Any, y: int, x: int, label: Any) -> bool:
    """Whether a label occurs near a pixel; rows are searched from the centre outwards."""
    for step in range(2 * NEAR + 1):
        row, hits = values[y + (step + 1) // 2 * (1 if step % 2 else -1), x - NEAR : x + NEAR + 1], np.uint8(0)
        for column in range(2 * NEAR + 1):
            hits |= np.uint8(row[column] == label)
        if hits:
            return True
    return False


@compiled
def labels_near(values: Any, y: int, x: int, own: Any, void: Any, labels: Any) -> int:
    """Write the distinct labels near a pixel except its own, and return their number."""
    count, last = 0, own
    for row in range(y - NEAR, y + NEAR + 1):
        for column in range(x - NEAR, x + NEAR + 1):
            label = values[row, column]
            if label != last and label != own and label != void:
                last, known = label, False
                for i in range(count):
                    known = known or labels[i] == label
                if not known:
                    labels[count] = label
                    count += 1
    return count


@compiled
def _bit(label: Any) -> Any:
    """The set of a label."""
    return np.uint64(1) << (np.uint64(label) & np.uint64(_BITS - 1))


@compiled
def _add_row(row: Any, sets: Any) -> None:
    """Add the labels of a row to the sets of its blocks."""
    for block in range(len(sets)):
        part = row[8 * block : 8 * block + 8]
        low = _bit(part[0]) | _bit(part[1]) | _bit(part[2]) | _bit(part[3])
        sets[block] |= low | _bit(part[4]) | _bit(part[5]) | _bit(part[6]) | _bit(part[7])


@compiled
def near_sets(values: Any) -> Any:
    """Labels in each block of a framed map and in the eight blocks around it; none for the blocks of the frame."""
    rows, columns = len(values) // 8, values.shape[1] // 8
    sets = np.zeros((rows, columns), np.uint64)
    along, near = np.zeros_like(sets), np.zeros_like(sets)
    for y in range(8, 8 * rows - 8):
        _add_row(values[y], sets[y // 8])
    for y in range(rows):
        for x in range(1, columns - 1):
            along[y, x] = sets[y, x - 1] | sets[y, x] | sets[y, x + 1]
    for y in range(1, rows - 1):
        for x in range(1, columns - 1):
            near[y, x] = along[y - 1, x] | along[y, x] | along[y + 1, x]
    return near


@compiled
def add_near(sets: Any, y: int, x: int, label: Any) -> None:
    """Add a pixel's label to the sets of its block and the eight blocks around it."""
    for row in range(y // 8 - 1, y // 8 + 2):
        for column in range(x // 8 - 1, x // 8 + 2):
            sets[row, column] |= _bit(label)


@compiled
def may_be_near(sets: Any, y: int, x: int, label: Any) -> bool:
    """Whether a label may occur near a pixel; if not, it does not."""
    return bool(sets[y >> 3, x >> 3] & _bit(label))


@compiled
def _rank(palette: Any, label: Any, red: Any, green: Any, blue: Any) -> Any:
    """`squared distance << 16 | label`, of a colour to that of a label."""
    r, g, b = red - palette[label, 0], green - palette[label, 1], blue - palette[label, 2]
    return (r * r + g * g + b * b) << 16 | np.int64(label)


@compiled
def _first_rank(labels: Any, palette: Any, red: Any, green: Any, blue: Any, beyond: Any) -> Any:
    """Of the labels of a set, the least rank that exceeds a number."""
    least, count = np.int64(_LAST), len(palette)
    while labels:
        bit = labels & (~labels + np.uint64(1))
        labels ^= bit
        for label in range(np.int64(_POWERS[bit * np.uint64(_DE_BRUIJN) >> np.uint64(58)]), count, _BITS):
            rank = _rank(palette, label, red, green, blue)
            least = min(least, rank if rank > beyond else np.int64(_LAST))
    return least


@compiled
def _nearest_listed(values: Any, y: int, x: int, colour: Any, palette: Any, own: Any, void: Any, work: Any) -> Any:
    """As `nearest_near`, by listing the labels near."""
    least = np.int64(_LAST)
    for i in range(labels_near(values, y, x, own, void, work)):
        least = min(least, _rank(palette, work[i], colour[0], colour[1], colour[2]))
    return own if least == _LAST else values.dtype.type(least & 0xFFFF)


@compiled
def nearest_near(
    sets: Any, values: Any, y: int, x: int, colour: Any, palette: Any, own: Any, void: Any, work: Any
) -> Any:
    """Of the labels near a pixel, the one whose colour is nearest, the lowest of several; its own if there is none.

    Args:
        sets: What `near_sets` returns for the map, or sets that contain more.
        values: Framed map, without the pixel's own label near it.
        y: Row of the pixel in the framed map.
        x: Column.
        colour: Its red, green and blue, as int64.
        palette: Colours of the labels.
        own: Its label.
        void: The label of no label.
        work: Space for the labels near a pixel.
    """
    if len(palette) > _SHARED * _BITS:
        return _nearest_listed(values, y, x, colour, palette, own, void, work)
    rank = np.int64(-1)
    while True:
        rank = _first_rank(sets[y >> 3, x >> 3], palette, colour[0], colour[1], colour[2], rank)
        if rank == _LAST:
            return own
        label = values.dtype.type(rank & 0xFFFF)
        if is_near(values, y, x, label):
            return label
