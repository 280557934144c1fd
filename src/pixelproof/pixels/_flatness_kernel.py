"""Compiled loops of the edge rule's first two steps: which pixels are flat, firm and thin; `_edges` describes them.

What is asked of every pixel is computed for strips of rows at once, in loops without branches that become vector
instructions. Label maps are uint8 or uint16, void is their largest value. Maps that are made here are *framed*: they
have 8 pixels of void around them, and a few more at the right and at the bottom, so that sizes are multiples of 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

FRAME = 8
"""Pixels of void on the left of and above a framed map."""
_FIRM, _THIN, _FRACTION, _LEVEL = 15, 5, 5, 8
_STRIP = 1024
_PLANE = _STRIP + 32
_LINE = 3 * _PLANE
"""Values of a strip's row: red, green and blue apart from each other, each with 3 pixels more on both sides, and some
that are not used, so that lines are aligned for vectors."""


@compiled
def _differences(row: Any, steps: Any, along: Any) -> None:
    """Bits that differ between neighbours of a row within 2 pixels; `steps` is 0 beyond the ends of the row."""
    for x in range(len(row) - 1):
        steps[x + 2] = row[x] ^ row[x + 1]
    for x in range(len(row)):
        along[x] = steps[x] | steps[x + 1] | steps[x + 2] | steps[x + 3]


@compiled
def _add_differences(one: Any, other: Any, along: Any, total: Any) -> None:
    """Bits that differ along a row, and between two rows."""
    for x in range(len(one)):
        total[x] = along[x] | (one[x] ^ other[x])


@compiled
def _mark_differing(ring: Any, along: Any, marks: Any) -> None:
    """Mark places where a bit of five rows is set."""
    a, b, c, d = ring[0], ring[1], ring[2], ring[3]
    for x in range(len(marks)):
        marks[x] = (a[x] | b[x] | c[x] | d[x] | along[x]) != 0


@compiled
def mixed_pixels(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mask of pixels with different labels within 2 pixels.

    The labels of a window are equal if neighbours are equal along all of its rows and along its middle column.
    """
    height, width = labels.shape
    mixed = np.empty((height, width), np.bool_)
    steps, along = np.zeros(width + 3, labels.dtype), np.zeros((2, width), labels.dtype)
    ring = np.zeros((4, width), labels.dtype)  # of rows above: what differs along them, or to the next one
    for last in range(height + 2):
        if last < height:
            _differences(labels[last], steps, along[last % 2])
        else:
            along[last % 2] = 0
        above, below = labels[min(max(last - 1, 0), height - 1)], labels[min(last, height - 1)]
        _add_differences(above, below, along[(last + 1) % 2], ring[last % 4])
        if last >= 2:
            _mark_differing(ring, along[last % 2], mixed[last - 2])
    return mixed


@compiled
def framed(height: int, width: int, values: Any, void: Any) -> Any:
    """A framed map of void, of the data type of `values`."""
    made = np.empty((-(-height // 8) * 8 + 2 * FRAME, -(-width // 8) * 8 + 2 * FRAME), values.dtype)
    made[:] = void
    return made


@compiled
def _planes(row: Any, left: int, size: int, line: Any) -> None:
    """Copy a part of a row of colours into planes; beyond the image, its first or last pixel is repeated."""
    width = len(row) // 3
    begin, end = max(left - 3, 0), min(left + size + 3, width)
    shift = begin - left + 3
    part, red, green, blue = row[3 * begin : 3 * end], line[shift:], line[shift + _PLANE :], line[shift + 2 * _PLANE :]
    for i in range(end - begin):
        red[i], green[i], blue[i] = part[3 * i], part[3 * i + 1], part[3 * i + 2]
    for plane in range(3):
        for i in range(shift):
            line[plane * _PLANE + i] = line[plane * _PLANE + shift]
        for i in range(shift + end - begin, size + 6):
            line[plane * _PLANE + i] = line[plane * _PLANE + shift + end - begin - 1]


@compiled
def _add_extremes(line: Any, before: Any, early: Any, rows: Any, pairs: Any, fours: Any) -> None:
    """Sliding minimum and maximum of seven values: of a row, and of it with one and with three rows before.

    Args:
        line: The row.
        before: Minimum and maximum of the row before.
        early: Of the two rows before that.
        rows: Of this row, to be written.
        pairs: Of this row and the one before.
        fours: Of this row and the three before.
    """
    low1, low2, high1, high2 = before[0], early[0], before[1], early[1]
    row0, row1, pair0, pair1, four0, four1 = rows[0], rows[1], pairs[0], pairs[1], fours[0], fours[1]
    for i in range(_LINE - 6):
        a, b, c, d, e, f, g = line[i], line[i + 1], line[i + 2], line[i + 3], line[i + 4], line[i + 5], line[i + 6]
        low, high = min(a, b, c, d, e, f, g), max(a, b, c, d, e, f, g)
        row0[i], row1[i] = low, high
        low, high = min(low, low1[i]), max(high, high1[i])
        pair0[i], pair1[i] = low, high
        four0[i], four1[i] = min(low, low2[i]), max(high, high2[i])


@compiled
def _spans(above: Any, below: Any, span: Any) -> None:
    """Range of each channel within 3 pixels, from the extremes of two times four rows, of which one is in both."""
    a, b, c, d = above[0], below[0], above[1], below[1]
    for i in range(_LINE - 6):
        span[i] = max(c[i], d[i]) - min(a[i], b[i])


@compiled
def _apart(one: Any, other: Any) -> Any:
    """Difference of two levels."""
    return np.uint8(max(one, other) - min(one, other))


@compiled
def _changes(here: Any, before: Any, after: Any, change: Any, level: Any) -> None:
    """Along an axis: change of colour across each pixel, and its least difference to, or between, its neighbours."""
    for x in range(_STRIP):
        r, g, b = here[x], here[x + _PLANE], here[x + 2 * _PLANE]
        r0, g0, b0 = before[x], before[x + _PLANE], before[x + 2 * _PLANE]
        r1, g1, b1 = after[x], after[x + _PLANE], after[x + 2 * _PLANE]
        across = max(_apart(r0, r1), _apart(g0, g1), _apart(b0, b1))
        back, forth = max(_apart(r, r0), _apart(g, g0), _apart(b, b0)), max(_apart(r, r1), _apart(g, g1), _apart(b, b1))
        change[x] = across
        level[x] = min(across, back, forth)


@compiled
def _mark_steep(changes: Any, span: Any, always: Any, steep: Any) -> None:
    """Mark pixels where a channel changes too much for the local range and colours are not level along both axes."""
    for x in range(_STRIP):
        widest = max(span[x], span[x + _PLANE], span[x + 2 * _PLANE])
        limit = max(always, np.uint8(widest // np.uint8(_FRACTION)))
        change, level = max(changes[x], changes[x + 2 * _STRIP]), max(changes[x + _STRIP], changes[x + 3 * _STRIP])
        steep[x] = np.uint8(change > limit) & np.uint8(level > np.uint8(_LEVEL))


@compiled
def _has_any(marks: Any) -> bool:
    """Whether any place is marked."""
    found = np.uint8(0)
    for x in range(len(marks)):
        found |= np.uint8(marks[x])
    return bool(found)


@compiled
def _mixed_rows(mixed: Any) -> Any:
    """Mask of rows with a mixed pixel, and of those within 3 rows of one; the second begins 3 rows above the image."""
    height = len(mixed)
    rows, around = np.zeros(height, np.bool_), np.zeros(height + 6, np.bool_)
    for y in range(height):
        rows[y] = _has_any(mixed[y])
        if rows[y]:
            around[y : y + 7] = True
    return rows, around


@compiled
def _without_steep(labels: Any, mixed: Any, steep: Any, void: Any, flat: Any) -> None:
    """Copy the labels of pixels that are not both mixed and steep; void for these."""
    for x in range(len(labels)):
        flat[x] = void if np.uint8(mixed[x]) & steep[x] else labels[x]


@compiled
def flat_labels(
    rgb: npt.NDArray[np.uint8], labels: npt.NDArray[Any], mixed: npt.NDArray[np.bool_], steepest: int, void: Any
) -> Any:
    """Framed labels of flat pixels, void for others; parts of rows without mixed pixels are copied."""
    height, width = labels.shape
    rows, flat = rgb.reshape(height, 3 * width), framed(height, width, labels, void)
    # Rings of rows: colours; the extremes of one, two and four rows.
    ring, ones = np.zeros((5, _LINE), np.uint8), np.zeros((2, 2, _LINE), np.uint8)
    pairs, fours = np.zeros((3, 2, _LINE), np.uint8), np.zeros((4, 2, _LINE), np.uint8)
    span, steep, changes = np.empty(_LINE, np.uint8), np.empty(_STRIP, np.uint8), np.empty(4 * _STRIP, np.uint8)
    always = np.uint8(min(steepest, 255))
    for left in range(0, width, _STRIP):
        size = min(_STRIP, width - left)
        some, around = _mixed_rows(mixed[:, left : left + size])
        for last in range(-3, height + 3):  # rows beyond the image repeat its first or last one
            if around[last + 3]:
                line = ring[last % 5]
                _planes(rows[min(max(last, 0), height - 1)], left, size, line)
                before, early = ones[(last - 1) % 2], pairs[(last - 2) % 3]
                _add_extremes(line, before, early, ones[last % 2], pairs[last % 3], fours[last % 4])
            y = last - 3
            if y < 0:
                continue
            here, own = flat[y + FRAME, left + FRAME :], labels[y, left : left + size]
            if not some[y]:
                here[:size] = own
                continue
            line, above, below = ring[y % 5], ring[(y - 1) % 5], ring[(y + 1) % 5]
            _changes(line[3:], line[2:], line[4:], changes, changes[_STRIP:])
            _changes(line[3:], above[3:], below[3:], changes[2 * _STRIP :], changes[3 * _STRIP :])
            _spans(fours[(last - 3) % 4], fours[last % 4], span)
            _mark_steep(changes, span, always, steep)
            _without_steep(own, mixed[y, left : left + size], steep, void, here)
    return flat


@compiled
def _supports(flat: Any, y: int, support: Any) -> None:
    """Number of the 25 pixels around each pixel that are flat and have its label."""
    own = flat[y, FRAME:]
    support[:] = 0
    for near in range(y - 2, y + 3):
        row = flat[near, FRAME - 2 :]
        for x in range(len(support)):
            label = own[x]
            support[x] += (
                np.uint8(row[x] == label)
                + np.uint8(row[x + 1] == label)
                + np.uint8(row[x + 2] == label)
                + np.uint8(row[x + 3] == label)
                + np.uint8(row[x + 4] == label)
            )


@compiled
def supported(flat: Any, mixed: npt.NDArray[np.bool_], void: Any) -> Any:
    """Framed maps of firm pixels, and of firm and thin ones; void elsewhere."""
    height, width = mixed.shape
    firm, first = framed(height, width, flat, void), framed(height, width, flat, void)
    support = np.empty(width, np.uint8)
    for y in range(height):
        _supports(flat, y + FRAME, support)
        own, is_mixed = flat[y + FRAME, FRAME:], mixed[y]
        firm_row, first_row = firm[y + FRAME, FRAME:], first[y + FRAME, FRAME:]
        for x in range(width):
            firm_row[x] = void if is_mixed[x] & (support[x] < _FIRM) else own[x]
            first_row[x] = void if is_mixed[x] & (support[x] < _THIN) else own[x]
    return firm, first
