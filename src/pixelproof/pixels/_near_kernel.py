"""Compiled searches for labels near a pixel, in framed maps; `_edges` says what near means.

Blocks of 8 × 8 pixels have sets of labels as bits. Those of a block and the eight around it contain all labels near
each of its pixels, and some more: what they exclude is not searched for, what they include is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import compiled

NEAR = 6
_WORDS = 16
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
def bits_for(labels: int) -> int:
    """Number of bits of a label set; the bit of a label is the remainder of its division by it."""
    return 64 * min(_WORDS, -(-labels // 64))


@compiled
def _block_sets(values: Any, void: Any, bits: int) -> Any:
    """Labels in each block of a framed map; words equal to those above are skipped."""
    sets = np.zeros((len(values) // 8, values.shape[1] // 8, bits // 64), np.uint64)
    words, size, void_word = values.view(np.uint64), values.itemsize, ~np.uint64(0)
    ones = void_word // np.uint64(void)  # 1 in each label of a word
    for y in range(8, len(values) - 8):
        row, row_sets, line, above = values[y], sets[y // 8], words[y], words[y - 1]
        for i in range(size, len(line) - size):
            word, x = line[i], i * (8 // size)
            if word == void_word or (word == above[i] and y % 8):
                continue
            end = x + 1 if word == np.uint64(row[x]) * ones else x + 8 // size
            for column in range(x, end):
                if row[column] != void:
                    bit = np.uint64(row[column]) % np.uint64(bits)
                    row_sets[x >> 3, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
    return sets


@compiled
def near_sets(values: Any, void: Any, bits: int) -> Any:
    """Labels in each block of a framed map and in the eight blocks around it."""
    sets = _block_sets(values, void, bits)
    along, near = np.zeros_like(sets), np.zeros_like(sets)
    rows, columns, words = sets.shape
    for y in range(rows):
        for x in range(1, columns - 1):
            for k in range(words):
                along[y, x, k] = sets[y, x - 1, k] | sets[y, x, k] | sets[y, x + 1, k]
    for y in range(1, rows - 1):
        for x in range(1, columns - 1):
            for k in range(words):
                near[y, x, k] = along[y - 1, x, k] | along[y, x, k] | along[y + 1, x, k]
    return near


@compiled
def add_near(sets: Any, y: int, x: int, label: Any, bits: int) -> None:
    """Add a pixel's label to the sets of its block and the eight blocks around it."""
    bit = np.uint64(label) % np.uint64(bits)
    for row in range(y // 8 - 1, y // 8 + 2):
        for column in range(x // 8 - 1, x // 8 + 2):
            sets[row, column, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@compiled
def may_be_near(sets: Any, y: int, x: int, label: Any, bits: int) -> bool:
    """Whether a label may occur near a pixel; if not, it does not."""
    bit = np.uint64(label) % np.uint64(bits)
    return bool(sets[y >> 3, x >> 3, bit >> np.uint64(6)] >> (bit & np.uint64(63)) & np.uint64(1))


@compiled
def _power(bit: Any) -> Any:
    """The number of a single bit."""
    return _POWERS[bit * np.uint64(_DE_BRUIJN) >> np.uint64(58)]


@compiled
def near_lists(sets: Any, palette: Any, bits: int) -> Any:
    """The sets of all blocks as lists: where each begins, and its labels with their colours.

    An entry is `label << 24 | blue << 16 | green << 8 | red`.
    """
    flat, longest = sets.reshape(-1, sets.shape[2]), -(-len(palette) // bits)
    start, count = np.empty(len(flat) + 1, np.int64), 0
    for block in range(len(flat)):
        for k in range(flat.shape[1]):
            rest = flat[block, k]
            while rest:
                rest &= rest - np.uint64(1)
                count += longest
    entries, count = np.empty(count, np.int64), 0
    for block in range(len(flat)):
        start[block] = count
        for k in range(flat.shape[1]):
            rest = flat[block, k]
            while rest:
                bit = rest & (~rest + np.uint64(1))
                rest ^= bit
                for label in range(64 * k + _power(bit), len(palette), bits):
                    entries[count] = label << 24 | palette[label, 2] << 16 | palette[label, 1] << 8 | palette[label, 0]
                    count += 1
    start[len(flat)] = count
    return start, entries


@compiled
def _first_rank(entries: Any, begin: int, end: int, red: Any, green: Any, blue: Any, beyond: Any) -> Any:
    """Of entries, the least `squared distance << 16 | label` that exceeds a number."""
    least = np.int64(1) << 60
    for place in range(begin, end):
        entry = entries[place]
        r, g, b = red - (entry & 255), green - (entry >> 8 & 255), blue - (entry >> 16 & 255)
        rank = (r * r + g * g + b * b) << 16 | entry >> 24
        least = min(least, rank if rank > beyond else np.int64(1) << 60)
    return least


@compiled
def nearest_near(
    values: Any, start: Any, entries: Any, y: int, x: int, red: Any, green: Any, blue: Any, own: Any
) -> Any:
    """Of the labels near a pixel, the one whose colour is nearest, the lowest of several; its own if there is none.

    Args:
        values: Framed map.
        start: What `near_lists` returns for its sets, or for sets that contain more.
        entries: The same.
        y: Row of the pixel in the framed map.
        x: Column.
        red: Colour of the pixel.
        green: The same.
        blue: The same.
        own: Its label.
    """
    block, rank = (y >> 3) * (values.shape[1] >> 3) + (x >> 3), np.int64(-1)
    while True:
        rank = _first_rank(
            entries, start[block], start[block + 1], np.int64(red), np.int64(green), np.int64(blue), rank
        )
        if rank == np.int64(1) << 60:
            return own
        label = values.dtype.type(rank & 0xFFFF)
        if is_near(values, y, x, label):
            return label
