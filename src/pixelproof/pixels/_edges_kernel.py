"""Compiled loops of the edge rule, which `_edges` describes; imported only where numba is installed.

What is asked of many pixels is found for whole rows at once, in loops without branches that become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_VOID, _FIRM, _THIN, _NEAR, _FRACTION, _LEVEL = 255, 15, 5, 6, 5, 8
_DE_BRUIJN = 0x03F79D71B4CB0A89
_POWERS = np.array([power for _, power in sorted((_DE_BRUIJN << n & 2**64 - 1, n) for n in range(64))], np.uint8)
"""De Bruijn sequence: multiplied by a power of two, its highest six bits identify the power."""


@compiled
def mixed_pixels(labels: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Mask of pixels with different labels within 2 pixels: their minimum and maximum differ."""
    height, width = labels.shape
    mixed = np.empty((height, width), np.bool_)
    least, most = np.empty(width + 4, np.uint8), np.empty(width + 4, np.uint8)
    for y in range(height):
        low, high, here = least[2:-2], most[2:-2], mixed[y]
        low[:], high[:] = labels[y], labels[y]
        for near in range(max(y - 2, 0), min(y + 3, height)):
            row = labels[near]
            for x in range(width):
                low[x] = min(low[x], row[x])
                high[x] = max(high[x], row[x])
        for ends in (least, most):
            ends[0] = ends[1] = ends[2]
            ends[width + 2] = ends[width + 3] = ends[width + 1]
        for x in range(width):
            low_, high_ = min(least[x], least[x + 1]), max(most[x], most[x + 1])
            low_, high_ = min(low_, least[x + 2]), max(high_, most[x + 2])
            low_, high_ = min(low_, least[x + 3]), max(high_, most[x + 3])
            here[x] = min(low_, least[x + 4]) != max(high_, most[x + 4])
    return mixed


@compiled
def _widen(row: Any, wide: Any) -> None:
    """Copy a row of colours, padded by 3 pixels on both sides."""
    end = 9 + len(row)
    for i in range(len(row)):
        wide[9 + i] = row[i]
    for i in range(9):
        wide[8 - i], wide[end + i] = wide[11 - i], wide[end + i - 3]


@compiled
def _extremes(wide: Any, pairs: Any, fours: Any, least: Any, most: Any) -> None:
    """Sliding minimum and maximum of each channel within 3 pixels along a row, by doubling windows (2, 4, 7 pixels)."""
    for i in range(len(least) + 15):
        pairs[i] = min(wide[i], wide[i + 3])
    for i in range(len(least) + 9):
        fours[i] = min(pairs[i], pairs[i + 6])
    for i in range(len(least)):
        least[i] = min(fours[i], fours[i + 9])
    for i in range(len(least) + 15):
        pairs[i] = max(wide[i], wide[i + 3])
    for i in range(len(least) + 9):
        fours[i] = max(pairs[i], pairs[i + 6])
    for i in range(len(least)):
        most[i] = max(fours[i], fours[i + 9])


@compiled
def _spans(least: Any, most: Any, y: int, height: int, low: Any, span: Any) -> None:
    """Range of each channel within 3 pixels, from the extremes along the rows around it."""
    low[:] = 255
    span[:] = 0
    for row in range(max(y - 3, 0), min(y + 4, height)):
        here = least[row % 7]
        for i in range(len(low)):
            low[i] = min(low[i], here[i])
        here = most[row % 7]
        for i in range(len(span)):
            span[i] = max(span[i], here[i])
    for i in range(len(span)):
        span[i] -= low[i]


@compiled
def _changes(wide: Any, above: Any, below: Any, change: Any) -> None:
    """Change of each channel across a pixel."""
    for i in range(len(change)):
        change[i] = max(wide[i + 6], wide[i + 12]) - min(wide[i + 6], wide[i + 12])
    for i in range(len(change)):
        change[i] = max(change[i], np.uint8(max(above[i], below[i]) - min(above[i], below[i])))


@compiled
def _flatten(rgb: Any, labels: Any, mixed: Any, steepest: int) -> Any:
    """Labels of flat pixels, void for others, padded by two columns on each side."""
    height, width = labels.shape
    rows = rgb.reshape(height, 3 * width)
    wide, pairs, fours = np.empty((3, 3 * (width + 6)), np.uint8)
    least, most = np.empty((7, 3 * width), np.uint8), np.empty((7, 3 * width), np.uint8)
    low, span, change = np.empty((3, 3 * width), np.uint8)
    flat = np.empty((height, width + 4), np.uint8)
    always = np.uint8(min(steepest, 255))
    for y in range(-3, height):
        if y + 3 < height:
            _widen(rows[y + 3], wide)
            _extremes(wide, pairs, fours, least[(y + 3) % 7], most[(y + 3) % 7])
        if y >= 0:
            _widen(rows[y], wide)
            _changes(wide, rows[max(y - 1, 0)], rows[min(y + 1, height - 1)], change)
            _spans(least, most, y, height, low, span)
            _mark_steep(labels[y], mixed[y], change, span, always, flat[y])
            _unmark_level(rgb, y, labels[y], flat[y])
    return flat


@compiled
def _is_level(one: Any, before: Any, after: Any) -> bool:
    """Whether a colour is close to the one before or after it, or these two to each other."""
    back, on, across = 0, 0, 0
    for c in range(3):
        back = max(back, abs(np.int64(one[c]) - before[c]))
        on = max(on, abs(np.int64(one[c]) - after[c]))
        across = max(across, abs(np.int64(before[c]) - after[c]))
    return min(back, on, across) <= _LEVEL


@compiled
def _unmark_level(rgb: Any, y: int, labels: Any, flat: Any) -> None:
    """Restore the labels of steep pixels where colours are level along both axes."""
    height, width = rgb.shape[:2]
    for x in range(width):
        if (
            flat[x + 2] != labels[x]
            and _is_level(rgb[y, x], rgb[y, max(x - 1, 0)], rgb[y, min(x + 1, width - 1)])
            and _is_level(rgb[y, x], rgb[max(y - 1, 0), x], rgb[min(y + 1, height - 1), x])
        ):
            flat[x + 2] = labels[x]
    flat[0] = flat[1] = flat[2]
    flat[width + 2] = flat[width + 3] = flat[width + 1]


@compiled
def _mark_steep(labels: Any, mixed: Any, change: Any, span: Any, always: Any, flat: Any) -> None:
    """Write the labels of a row, and void where a channel changes too much for the local range.

    The columns beside the row are for `_unmark_level` to fill.
    """
    width = len(labels)
    for i in range(3 * width - 2):  # needed only at every third place, but this vectorises
        most, widest = max(change[i], change[i + 1], change[i + 2]), max(span[i], span[i + 1], span[i + 2])
        change[i] = np.uint8(0) - np.uint8(most > max(always, np.uint8(widest // np.uint8(_FRACTION))))
    for x in range(width):
        flat[x + 2] = labels[x] | (change[3 * x] & (np.uint8(0) - np.uint8(mixed[x])))


@compiled
def _supports(flat: Any, y: int, support: Any) -> None:
    """Number of the 25 pixels around each pixel that are flat and have its label."""
    own = flat[y, 2:-2]
    support[:] = 0
    for dy in range(-2, 3):
        row = flat[min(max(y + dy, 0), len(flat) - 1)]
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
def _is_near(values: Any, y: int, x: int, label: int) -> bool:
    """Whether a label occurs near a pixel; rows are searched from the centre outwards."""
    height, width = values.shape
    left, right = max(x - _NEAR, 0), min(x + _NEAR + 1, width)
    for step in range(2 * _NEAR + 1):
        row = y + (step + 1) // 2 * (1 if step % 2 else -1)
        if 0 <= row < height:
            for column in range(left, right):
                if values[row, column] == label:
                    return True
    return False


@compiled
def _is_blend(rgb: Any, y: int, x: int, own: int, firm: Any, somewhere: Any, palette: Any) -> bool:
    """Whether a blend of a firm label nearby with another one explains a colour at least as well as its own label."""
    near = np.zeros(256, np.bool_)
    for row in firm[max(y - _NEAR, 0) : y + _NEAR + 1, max(x - _NEAR, 0) : x + _NEAR + 1]:
        for label in row:
            near[label] = True
    colour = rgb[y, x]
    distance = np.int64(0)
    for c in range(3):
        distance += (np.int64(colour[c]) - palette[own, c]) ** 2
    for one in somewhere:
        if near[one]:
            for other in somewhere:
                if other == one or other == own:
                    continue
                length, along, square = np.int64(0), np.int64(0), np.int64(0)
                for c in range(3):
                    line, seen = palette[other, c] - palette[one, c], np.int64(colour[c]) - palette[one, c]
                    length += line * line
                    along += line * seen
                    square += seen * seen
                if 0 < along < length and square * length - along * along <= distance * length:
                    return True
    return False


@compiled
def used_bytes(values: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Distinct values of a map, ascending; eight pixels equal to the eight before are skipped."""
    used = np.zeros(256, np.bool_)
    words = values[: len(values) // 8 * 8].view(np.uint64)
    last = ~words[0] if len(words) else np.uint64(0)
    for i in range(len(words)):
        if words[i] != last:
            last = words[i]
            for k in range(8 * i, 8 * i + 8):
                used[values[k]] = True
    for i in range(8 * len(words), len(values)):
        used[values[i]] = True
    return np.flatnonzero(used)


@compiled
def _labels_of(values: Any) -> Any:
    """Distinct labels of a map, ascending."""
    used = used_bytes(values.reshape(-1))
    return used[used != _VOID]


@compiled
def _differing(one: Any, other: Any, places: Any) -> Any:
    """Write the positions where two rows differ, and return their number."""
    count = np.uint64(0)
    for x in range(len(one)):
        places[count] = x
        count += np.uint64(one[x] != other[x])
    return count


@compiled
def _keep(rgb: Any, mixed: Any, palette: Any, flat: Any) -> Any:
    """Labels of firm pixels, and of thin ones that no blend explains; void for others."""
    height, width = mixed.shape
    firm, kept = np.empty((height, width), np.uint8), np.empty((height, width), np.uint8)
    support, places = np.empty(width, np.uint8), np.empty(width + 1, np.uint32)
    for y in range(height):
        _supports(flat, y, support)
        own, is_mixed, firm_row, kept_row = flat[y, 2:-2], mixed[y], firm[y], kept[y]
        for x in range(width):
            firm_row[x] = own[x] | (np.uint8(0) - np.uint8(is_mixed[x] & (support[x] < _FIRM)))
            kept_row[x] = own[x] | (np.uint8(0) - np.uint8(is_mixed[x] & (support[x] < _THIN)))
    somewhere = _labels_of(firm)
    for y in range(height):
        for i in range(_differing(firm[y], kept[y], places)):
            place = int(places[i])
            label = kept[y, place]
            if not _is_near(firm, y, place, label) and _is_blend(rgb, y, place, label, firm, somewhere, palette):
                kept[y, place] = _VOID
    return kept


@compiled
def _sets_along(values: Any, bits: Any, single: Any, fours: Any, sets: Any) -> None:
    """Labels near each pixel along a row as bit sets, by growing windows (1, 4, 13 pixels)."""
    for x in range(len(values)):
        single[x + _NEAR] = bits[values[x]]
    for x in range(len(fours)):
        fours[x] = single[x] | single[x + 1] | single[x + 2] | single[x + 3]
    for x in range(len(sets)):
        sets[x] = fours[x] | fours[x + 4] | fours[x + 8] | fours[x + 9]


@compiled
def _sets_down(ring: Any, fours: Any, last: int, around: Any) -> None:
    """Labels near each pixel in both directions, from the sets of the last thirteen rows (windows of 4, 13 rows)."""
    here = fours[last % 13]
    a, b, c, d = ring[last % 13], ring[(last - 1) % 13], ring[(last - 2) % 13], ring[(last - 3) % 13]
    for x in range(len(around)):
        here[x] = a[x] | b[x] | c[x] | d[x]
    b, c, d = fours[(last - 4) % 13], fours[(last - 8) % 13], fours[(last - 9) % 13]
    for x in range(len(around)):
        around[x] = here[x] | b[x] | c[x] | d[x]


@compiled
def _nearest_of(colour: Any, named: Any, found: Any, palette: Any, own: Any) -> Any:
    """The label of a set whose colour is nearest; the pixel's own label if the set is empty."""
    least, best = np.int64(1) << 40, np.int64(own)
    for word in range(len(found)):
        rest = found[word]
        while rest:
            lowest = rest & (~rest + np.uint64(1))
            label = named[64 * word + _POWERS[lowest * np.uint64(_DE_BRUIJN) >> np.uint64(58)]]
            distance = np.int64(0)
            for c in range(3):
                distance += (np.int64(colour[c]) - palette[label, c]) ** 2
            if distance < least:
                least, best = distance, label
            rest ^= lowest
    return best


@compiled
def _choose(rgb: Any, labels: Any, palette: Any, kept: Any, settled: Any) -> int:
    """Write labels; pixels that are not kept take the nearest label around them. Return the number of these."""
    height, width = labels.shape
    named = _labels_of(kept)
    words = len(named) // 64 + 1
    bits, word_of = np.zeros((words, 256), np.uint64), np.zeros(256, np.int64)
    for i in range(len(named)):
        bits[i // 64, named[i]], word_of[named[i]] = np.uint64(1) << np.uint64(i % 64), i // 64
    single, fours = np.zeros(width + 12, np.uint64), np.empty(width + 9, np.uint64)
    along, along_fours = np.zeros((words, 13, width), np.uint64), np.zeros((words, 13, width), np.uint64)
    around, places = np.zeros((words, width), np.uint64), np.empty(width + 1, np.uint32)
    settled[:] = labels
    loose = np.uint64(0)
    for y in range(-_NEAR, height):
        last = y + _NEAR
        for word in range(words):
            if last < height:
                _sets_along(kept[last], bits[word], single, fours, along[word, last % 13])
            else:
                along[word, last % 13] = 0
            _sets_down(along[word], along_fours[word], last, around[word])
        if y >= 0:
            count = _differing(kept[y], labels[y], places)
            loose += count
            for i in range(count):
                x = places[i]
                own = labels[y, x]
                word = word_of[own]
                if around[word, x] & bits[word, own] == 0:
                    settled[y, x] = _nearest_of(rgb[y, x], named, around[:, x], palette, own)
    return int(loose)


@compiled
def settle(
    rgb: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.uint8],
    mixed: npt.NDArray[np.bool_],
    palette: npt.NDArray[np.int64],
    steepest: int,
    settled: npt.NDArray[np.uint8],
) -> int:
    """Apply the edge rule; return the number of pixels whose label came from their neighbours."""
    flat = _flatten(rgb, labels, mixed, steepest)
    kept = _keep(rgb, mixed, palette, flat)
    return _choose(rgb, labels, palette, kept, settled)
