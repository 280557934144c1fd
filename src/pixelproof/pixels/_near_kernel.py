"""Compiled searches for labels near a pixel, in framed maps; `_edges` says what near means.

The set of labels near a pixel is a word of 64 bits; the bit of a label is its remainder by 64. Up to 63 labels the set
is exact; of more labels, what it excludes is not near, and what it includes is searched for. Void has the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import compiled

NEAR = 6
_BITS = 64
EXACT_LABELS = 63
"""Largest number of labels whose sets are exact."""
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
def near_set(values: Any, y: int, x: int) -> Any:
    """The set of labels near a pixel, void included."""
    labels = np.uint64(0)
    for row in range(y - NEAR, y + NEAR + 1):
        line = values[row, x - NEAR : x + NEAR + 1]
        for column in range(2 * NEAR + 1):
            labels |= np.uint64(1) << (np.uint64(line[column]) & np.uint64(_BITS - 1))
    return labels


@compiled
def has_label(labels: Any, values: Any, y: int, x: int, label: Any, exact: bool) -> bool:
    """Whether a label is near a pixel, whose set of labels near is given."""
    if not labels >> (np.uint64(label) & np.uint64(_BITS - 1)) & np.uint64(1):
        return False
    return exact or is_near(values, y, x, label)


@compiled
def _first_rank(labels: Any, palette: Any, red: Any, green: Any, blue: Any, beyond: Any) -> Any:
    """Of the labels of a set, the least `squared distance << 16 | label` that exceeds a number."""
    least, count = np.int64(1) << 60, len(palette)
    while labels:
        bit = labels & (~labels + np.uint64(1))
        labels ^= bit
        for label in range(np.int64(_POWERS[bit * np.uint64(_DE_BRUIJN) >> np.uint64(58)]), count, _BITS):
            r, g, b = red - palette[label, 0], green - palette[label, 1], blue - palette[label, 2]
            rank = (r * r + g * g + b * b) << 16 | label
            least = min(least, rank if rank > beyond else np.int64(1) << 60)
    return least


@compiled
def nearest_near(
    labels: Any, values: Any, palette: Any, y: int, x: int, red: Any, green: Any, blue: Any, own: Any, exact: bool
) -> Any:
    """Of the labels near a pixel, the one whose colour is nearest, the lowest of several; its own if there is none.

    Args:
        labels: The set of labels near it.
        values: Framed map.
        palette: Colours of the labels.
        y: Row of the pixel in the framed map.
        x: Column.
        red: Colour of the pixel.
        green: The same.
        blue: The same.
        own: Its label.
        exact: Whether the set is exact.
    """
    rank = np.int64(-1)
    while True:
        rank = _first_rank(labels, palette, np.int64(red), np.int64(green), np.int64(blue), rank)
        if rank == np.int64(1) << 60:
            return own
        label = values.dtype.type(rank & 0xFFFF)
        if exact or is_near(values, y, x, label):
            return label
