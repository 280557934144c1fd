"""Compiled searches for labels near a pixel, in framed maps; `_edges` says what near means.

Blocks of 4 × 4 pixels have sets of labels: words of 64 bits, where the bit of a label is its remainder by 64. The 4 × 4
blocks that the surroundings of a pixel touch have all labels near it, and some more: what they lack is not searched
for. Up to 3 × 3 blocks lie wholly within the surroundings: what they have, if no other label has its bit, is near.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import Function, compiled
from ._flatness_kernel import FRAME

NEAR = 6
OUTER = 2
"""Place, in what `near_sets` returns, of the unions of four blocks."""
_BITS = 64
_SHARED = 4
"""Most labels that share a bit of a set; of larger palettes, the labels near a pixel are listed."""
_LAST = 1 << 60
"""Above all ranks."""
_DE_BRUIJN = 0x03F79D71B4CB0A89
_POWERS = np.array([power for _, power in sorted((_DE_BRUIJN << n & 2**64 - 1, n) for n in range(64))], np.uint8)
"""De Bruijn sequence: multiplied by a power of two, its highest six bits identify the power."""


def _inlined(function: Function) -> Function:
    """Compile a function into its callers: for small functions with several arrays, whose calls would be costly."""
    return compiled(function, inline=True)


@compiled
def is_near(values: Any, y: Any, x: Any, label: Any) -> bool:
    """Whether a label occurs near a pixel; rows are searched from the centre outwards."""
    for step in range(2 * NEAR + 1):
        row, hits = np.uint64(y + (step + 1) // 2 * (1 if step % 2 else -1)), np.uint8(0)
        for column in range(np.uint64(x - NEAR), np.uint64(x + NEAR + 1)):
            hits |= np.uint8(values[row, column] == label)
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
def _four_bits(row: Any, x: int) -> Any:
    """The set of four labels in a row."""
    return _bit(row[x]) | _bit(row[x + 1]) | _bit(row[x + 2]) | _bit(row[x + 3])


@compiled
def _write_sets(a: Any, b: Any, c: Any, d: Any, sets: Any) -> None:
    """The sets of the blocks of four rows."""
    for block in range(len(sets)):
        x = 4 * block
        sets[block] = _four_bits(a, x) | _four_bits(b, x) | _four_bits(c, x) | _four_bits(d, x)


@compiled
def _block_sets(values: Any) -> Any:
    """Labels in each block of 4 × 4 pixels of a framed map; none for the blocks of the frame above and below."""
    rows, frame = len(values) // 4, FRAME // 4
    sets = np.zeros((rows, values.shape[1] // 4), np.uint64)
    for row in range(frame, rows - frame):
        y = 4 * row
        _write_sets(values[y], values[y + 1], values[y + 2], values[y + 3], sets[row])
    return sets


@compiled
def _join_row(row: Any, two: Any, three: Any, four: Any) -> None:
    """Unions of sets along a row."""
    for x in range(1, len(row)):
        two[x] = row[x - 1] | row[x]
    for x in range(1, len(row) - 1):
        three[x] = two[x] | row[x + 1]
    for x in range(2, len(row) - 1):
        four[x] = two[x - 1] | two[x + 1]


@compiled
def near_sets(values: Any) -> Any:
    """Unions of the sets of neighbouring blocks of a framed map along rows, in three parts.

    At a block: the sets of the one before and itself; of these and the next; of two before, itself and the next.
    """
    sets = _block_sets(values)
    joined = np.empty((3, *sets.shape), np.uint64)
    joined[:, :, :2], joined[:, :, -1:] = np.uint64(0), np.uint64(0)
    for y in range(len(sets)):
        _join_row(sets[y], joined[0, y], joined[1, y], joined[2, y])
    return joined


@compiled
def add_near(near: Any, y: int, x: int, label: Any) -> None:
    """Add a pixel's label to what `near_sets` returned, or to the part of it that `may_be_near` needs."""
    bit, row, column, last = _bit(label), y >> 2, x >> 2, len(near) - 1
    for place in range(column - 1, column + 3):
        near[last, row, place] |= bit
    if last:
        for place in range(column - 1, column + 2):
            near[1, row, place] |= bit
        near[0, row, column] |= bit
        near[0, row, column + 1] |= bit


@compiled
def _outer_set(near: Any, part: int, y: Any, x: Any) -> Any:
    """Labels in the blocks that a pixel's surroundings touch: all that are near it, and some more.

    `part` is the place in `near` of the unions of four blocks.
    """
    row, column = (np.uint64(y) + np.uint64(2)) >> np.uint64(2), (np.uint64(x) + np.uint64(2)) >> np.uint64(2)
    above = near[part, row - np.uint64(2), column] | near[part, row - np.uint64(1), column]
    return above | near[part, row, column] | near[part, row + np.uint64(1), column]


@compiled
def _inner_set(near: Any, y: Any, x: Any) -> Any:
    """Labels in the blocks that lie wholly near a pixel."""
    at, off = np.uint64(x) & np.uint64(3), np.uint64(y) & np.uint64(3)
    part = np.uint64((at == np.uint64(1)) | (at == np.uint64(2)))
    row, column = np.uint64(y) >> np.uint64(2), (np.uint64(x) + np.uint64(1)) >> np.uint64(2)
    column = column if part == np.uint64(0) else np.uint64(x) >> np.uint64(2)
    above = row - np.uint64(off < np.uint64(3))
    below = row + np.uint64(off > np.uint64(0))
    return near[part, above, column] | near[part, row, column] | near[part, below, column]


@compiled
def may_be_near(near: Any, part: int, y: Any, x: Any, label: Any) -> bool:
    """Whether a label may occur near a pixel; if not, it does not. `part` is as of `_outer_set`."""
    return bool(_outer_set(near, part, y, x) & _bit(label))


@compiled
def must_be_near(near: Any, y: Any, x: Any, label: Any, count: int) -> bool:
    """Whether a label certainly occurs near a pixel; never certain if labels share bits. `count` is that of labels."""
    return count < _BITS and bool(_inner_set(near, y, x) & _bit(label))


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
def _rank_of_lowest(labels: Any, palette: Any, colour: Any) -> Any:
    """Rank of the lowest label of a set, which have a bit each; that of label 0 for an empty set."""
    label = np.uint64(_POWERS[(labels & (~labels + np.uint64(1))) * np.uint64(_DE_BRUIJN) >> np.uint64(58)])
    return _rank(palette, label, colour[0], colour[1], colour[2])


@compiled
def _nearest_of(labels: Any, palette: Any, colour: Any) -> Any:
    """Of the labels of a set, which have a bit each, the least rank.

    The first two are compared without a branch: most sets have no more, and how many they have cannot be predicted.
    """
    labels &= (np.uint64(1) << np.uint64(len(palette))) - np.uint64(1)  # without void
    rest = labels & (labels - np.uint64(1))
    one, two = _rank_of_lowest(labels, palette, colour), _rank_of_lowest(rest, palette, colour)
    least = min(one if labels else np.int64(_LAST), two if rest else np.int64(_LAST))
    rest &= rest - np.uint64(1)
    while rest:
        least = min(least, _rank_of_lowest(rest, palette, colour))
        rest &= rest - np.uint64(1)
    return least


@_inlined
def certain_nearest(near: Any, y: Any, x: Any, colour: Any, palette: Any) -> Any:
    """As `nearest_near`, of the sets of blocks alone; -1 where these do not decide."""
    first = np.int64(_LAST)
    if len(palette) < _BITS:  # otherwise labels share bits
        first = _nearest_of(_outer_set(near, OUTER, y, x), palette, colour)
    certain = first != _LAST and bool(_inner_set(near, y, x) & _bit(first))
    return first & np.int64(0xFFFF) if certain else np.int64(-1)


@compiled
def nearest_near(
    near: Any, values: Any, y: Any, x: Any, colour: Any, palette: Any, own: Any, void: Any, work: Any
) -> Any:
    """Of the labels near a pixel, the one whose colour is nearest, the lowest of several; its own if there is none.

    Args:
        near: What `near_sets` returns for the map.
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
    rank, outer = np.int64(-1), _outer_set(near, OUTER, y, x)
    while True:
        rank = _first_rank(outer, palette, colour[0], colour[1], colour[2], rank)
        if rank == _LAST:
            return own
        label = values.dtype.type(rank & 0xFFFF)
        if is_near(values, y, x, label):
            return label
