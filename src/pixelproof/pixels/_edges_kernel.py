"""Compiled loops of the edge rule, which `_edges` describes; imported only where numba is installed.

What is asked of most pixels is computed for whole rows at once, in loops without branches that become vector
instructions; what is asked of few is computed for these alone. Label maps are uint8 or uint16, void is their largest
value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_FIRM, _THIN, _NEAR, _FRACTION, _LEVEL, _EXACT, _ALIKE = 15, 5, 6, 5, 8, 4, 24
_SPOT, _REACH, _BEND_SQUARED_PERCENT = 5, 3, 9
_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
_TILE, _MANY = 128, 2000
_DE_BRUIJN = 0x03F79D71B4CB0A89
_POWERS = np.array([power for _, power in sorted((_DE_BRUIJN << n & 2**64 - 1, n) for n in range(64))], np.uint8)
"""De Bruijn sequence: multiplied by a power of two, its highest six bits identify the power."""


@compiled
def mixed_pixels(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mask of pixels with different labels within 2 pixels: their minimum and maximum differ."""
    height, width = labels.shape
    mixed = np.empty((height, width), np.bool_)
    least, most = np.empty(width + 4, labels.dtype), np.empty(width + 4, labels.dtype)
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
def _spans(least: Any, most: Any, y: int, span: Any) -> None:
    """Range of each channel within 3 pixels, by doubling windows of rows; rings have 8 rows, `y` is the last one.

    The rings hold extremes of single rows, of pairs and of fours.
    """
    a, b, four = least[0, y % 8], least[0, (y - 1) % 8], least[2, y % 8]
    pair, pair_before, four_before = least[1, y % 8], least[1, (y - 2) % 8], least[2, (y - 3) % 8]
    for i in range(len(span)):
        pair[i] = min(a[i], b[i])
    for i in range(len(span)):
        four[i] = min(pair[i], pair_before[i])
    for i in range(len(span)):
        span[i] = min(four[i], four_before[i])
    a, b, four = most[0, y % 8], most[0, (y - 1) % 8], most[2, y % 8]
    pair, pair_before, four_before = most[1, y % 8], most[1, (y - 2) % 8], most[2, (y - 3) % 8]
    for i in range(len(span)):
        pair[i] = max(a[i], b[i])
    for i in range(len(span)):
        four[i] = max(pair[i], pair_before[i])
    for i in range(len(span)):
        span[i] = max(four[i], four_before[i]) - span[i]


@compiled
def _steps(wide: Any, above: Any, below: Any, steps: Any) -> None:
    """Differences of each channel between a pixel, the one before and the one after: along the row, then the column."""
    here, before, after = wide[9:-9], wide[6:-12], wide[12:-6]
    for i in range(len(here)):
        steps[0, i] = max(before[i], after[i]) - min(before[i], after[i])
        steps[1, i] = max(here[i], before[i]) - min(here[i], before[i])
        steps[2, i] = max(here[i], after[i]) - min(here[i], after[i])
    for i in range(len(here)):
        steps[3, i] = max(above[i], below[i]) - min(above[i], below[i])
        steps[4, i] = max(here[i], above[i]) - min(here[i], above[i])
        steps[5, i] = max(here[i], below[i]) - min(here[i], below[i])


@compiled
def _mark_steep(steps: Any, span: Any, always: Any, steep: Any) -> None:
    """Mark pixels where a channel changes too much for the local range and colours are not level along both axes.

    Needed only at every third place, where a pixel begins, but this vectorises.
    """
    a, b, c, d, e, f = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    for i in range(len(steep) - 2):
        row, column = max(a[i], a[i + 1], a[i + 2]), max(d[i], d[i + 1], d[i + 2])
        widest = max(span[i], span[i + 1], span[i + 2])
        level_row = min(row, max(b[i], b[i + 1], b[i + 2]), max(c[i], c[i + 1], c[i + 2]))
        level_column = min(column, max(e[i], e[i + 1], e[i + 2]), max(f[i], f[i + 1], f[i + 2]))
        steep[i] = np.uint8(max(row, column) > max(always, np.uint8(widest // np.uint8(_FRACTION)))) & np.uint8(
            max(level_row, level_column) > np.uint8(_LEVEL)
        )


@compiled
def _mixed_rows(mixed: Any) -> Any:
    """Mask of rows with a mixed pixel, and of those within 3 rows of one; the second begins 3 rows above the image."""
    height = len(mixed)
    rows, around = np.zeros(height, np.bool_), np.zeros(height + 6, np.bool_)
    for y in range(height):
        some = False
        for x in range(mixed.shape[1]):
            some |= mixed[y, x]
        rows[y] = some
        if some:
            around[y : y + 7] = True
    return rows, around


@compiled
def _flatten(rgb: Any, labels: Any, mixed: Any, steepest: int, void: Any) -> Any:
    """Labels of flat pixels, void for others, with two columns of void on each side."""
    height, width = labels.shape
    rows, (some, around) = rgb.reshape(height, 3 * width), _mixed_rows(mixed)
    wide, pairs, fours = np.empty((3, 3 * (width + 6)), np.uint8)
    least, most = np.empty((3, 8, 3 * width), np.uint8), np.empty((3, 8, 3 * width), np.uint8)
    span, steep = np.empty((2, 3 * width), np.uint8)
    flat, steps = np.empty((height, width + 4), labels.dtype), np.empty((6, 3 * width), np.uint8)
    always = np.uint8(min(steepest, 255))
    for last in range(-3, height + 3):  # rows beyond the image repeat its first or last one
        if around[last + 3]:
            _widen(rows[min(max(last, 0), height - 1)], wide)
            _extremes(wide, pairs, fours, least[0, last % 8], most[0, last % 8])
            _spans(least, most, last, span)
        y = last - 3
        if y < 0:
            continue
        here, own, is_mixed = flat[y], labels[y], mixed[y]
        if some[y]:
            _widen(rows[y], wide)
            _steps(wide, rows[max(y - 1, 0)], rows[min(y + 1, height - 1)], steps)
            _mark_steep(steps, span, always, steep)
            for x in range(width):
                here[x + 2] = void if np.uint8(is_mixed[x]) & steep[3 * x] else own[x]
        else:
            here[2:-2] = own
        here[:2] = void
        here[width + 2 :] = void
    return flat


@compiled
def _supports(flat: Any, y: int, support: Any) -> None:
    """Number of the 25 pixels around each pixel that are flat and have its label."""
    own = flat[y, 2:-2]
    support[:] = 0
    for near in range(max(y - 2, 0), min(y + 3, len(flat))):
        row = flat[near]
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
def _differing(one: Any, other: Any, places: Any) -> Any:
    """Write the positions where two rows differ, and return their number."""
    count = np.uint64(0)
    for x in range(len(one)):
        places[count] = x
        count += np.uint64(one[x] != other[x])
    return count


@compiled
def _is_near(values: Any, y: int, x: int, label: Any) -> bool:
    """Whether a label occurs near a pixel; rows are searched from the centre outwards."""
    height, width = values.shape
    left, right = max(x - _NEAR, 0), min(x + _NEAR + 1, width)
    for step in range(2 * _NEAR + 1):
        y_ = y + (step + 1) // 2 * (1 if step % 2 else -1)
        if 0 <= y_ < height:
            row, hits = values[y_], np.uint8(0)
            for column in range(left, right):
                hits |= np.uint8(row[column] == label)
            if hits:
                return True
    return False


@compiled
def _square(one: Any, other: Any) -> Any:
    """Squared distance of two colours."""
    square = np.int64(0)
    for c in range(3):
        square += (np.int64(one[c]) - np.int64(other[c])) ** 2
    return square


@compiled
def _is_beside(colour: Any, one: Any, other: Any, square: Any) -> Any:
    """Whether a colour is as near to the straight line between two others as the root of `square`, ends included."""
    length, along, away = np.int64(0), np.int64(0), np.int64(0)
    for c in range(3):
        line, offset = np.int64(other[c]) - np.int64(one[c]), np.int64(colour[c]) - np.int64(one[c])
        length += line * line
        along += line * offset
        away += offset * offset
    if along <= 0:
        return away <= square
    if along >= length:
        return away - 2 * along + length <= square
    return away * length - along * along <= square * length


@compiled
def _labels_near(values: Any, y: int, x: int, own: Any, void: Any, found: Any) -> int:
    """Write the distinct labels near a pixel except its own, and return their number."""
    height, width = values.shape
    count, last = 0, own
    for row in range(max(y - _NEAR, 0), min(y + _NEAR + 1, height)):
        for column in range(max(x - _NEAR, 0), min(x + _NEAR + 1, width)):
            label = values[row, column]
            if label != last and label != own and label != void:
                last, known = label, False
                for i in range(count):
                    known = known or found[i] == label
                if not known:
                    found[count] = label
                    count += 1
    return count


@compiled
def _is_blend(rgb: Any, y: int, x: int, own: Any, firm: Any, other: Any, palette: Any, void: Any, found: Any) -> bool:
    """Whether a label near, or its blend with one of another map, explains a colour as well as its own label does."""
    colour = rgb[y, x]
    square = max(_square(colour, palette[own]), np.int64(_ALIKE * _ALIKE))
    ones = _labels_near(firm, y, x, own, void, found[0])
    others = _labels_near(other, y, x, own, void, found[1])
    for i in range(ones):
        one = palette[found[0, i]]
        for j in range(others):
            if _is_beside(colour, one, palette[found[1, j]], square):
                return True
    return False


@compiled
def _supported(flat: Any, mixed: Any, void: Any) -> Any:
    """Maps of firm pixels, and of firm and thin ones; void elsewhere."""
    height, width = mixed.shape
    firm, first = np.empty((height, width), flat.dtype), np.empty((height, width), flat.dtype)
    support = np.empty(width, np.uint8)
    for y in range(height):
        _supports(flat, y, support)
        own, is_mixed, firm_row, first_row = flat[y, 2:-2], mixed[y], firm[y], first[y]
        for x in range(width):
            firm_row[x] = void if is_mixed[x] & (support[x] < _FIRM) else own[x]
            first_row[x] = void if is_mixed[x] & (support[x] < _THIN) else own[x]
    return firm, first


@compiled
def _count_differing(one: Any, other: Any, top: int, left: int) -> int:
    """Number of pixels of a tile in which two maps differ."""
    count = 0
    for y in range(top, min(top + _TILE, len(one))):
        row, other_row = one[y], other[y]
        for x in range(left, min(left + _TILE, one.shape[1])):
            count += row[x] != other_row[x]
    return count


@compiled
def _number_labels(values: Any, top: int, left: int, void: Any, bit_of: Any, named: Any, places: Any) -> int:
    """Give each label in a tile and near it a bit; return their number, or -1 for more than 64, which get none."""
    height, width = values.shape
    count, begin, end = 0, max(left - _NEAR, 0), min(left + _TILE + _NEAR, width)
    for y in range(max(top - _NEAR, 0), min(top + _TILE + _NEAR, height)):
        row = values[y]
        changes = _differing(row[begin + 1 : end], row[begin : end - 1], places)
        places[changes] = end - 1 - begin
        for i in range(changes + np.uint64(1)):  # the last pixel of each run
            label = row[begin + int(places[i])]
            if label != void and bit_of[label] == 0:
                if count == 64:
                    for k in range(count):
                        bit_of[named[k]] = 0
                    return -1
                named[count], bit_of[label] = label, np.uint64(1) << np.uint64(count)
                count += 1
    return count


@compiled
def _sets_along(values: Any, left: int, bit_of: Any, single: Any, fours: Any, sets: Any) -> None:
    """Labels near each pixel of a part of a row as bit sets, by growing windows (1, 4, 13 pixels)."""
    begin, end = max(left - _NEAR, 0), min(left + len(sets) + _NEAR, len(values))
    single[:] = 0
    for x in range(begin, end):
        single[x - left + _NEAR] = bit_of[values[x]]
    for x in range(len(sets) + 9):
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
def _near_sets(values: Any, top: int, left: int, bit_of: Any, lines: Any, rings: Any, sets: Any) -> None:
    """Labels near each pixel of a tile, as bit sets; its size never varies, so that all loops vectorise."""
    height, bottom = len(values), min(top + _TILE, len(values))
    rings[:] = 0
    for last in range(top - _NEAR, bottom + _NEAR):
        if 0 <= last < height:
            _sets_along(values[last], left, bit_of, lines[0], lines[1], rings[0, last % 13])
        else:
            rings[0, last % 13] = 0
        _sets_down(rings[0], rings[1], last, sets[max(last - _NEAR - top, -1)])


@compiled
def _is_blend_of_sets(colour: Any, own: Any, own_bit: Any, ones: Any, others: Any, named: Any, palette: Any) -> bool:
    """As `_is_blend`, with the labels near as bit sets."""
    square = max(_square(colour, palette[own]), np.int64(_ALIKE * _ALIKE))
    ones, others = ones & ~own_bit, others & ~own_bit
    while ones:
        lowest = ones & (~ones + np.uint64(1))
        ones ^= lowest
        one, rest = palette[named[_power(lowest)]], others
        while rest:
            bit = rest & (~rest + np.uint64(1))
            rest ^= bit
            if _is_beside(colour, one, palette[named[_power(bit)]], square):
                return True
    return False


@compiled
def _power(bit: Any) -> Any:
    """The number of a single bit."""
    return _POWERS[bit * np.uint64(_DE_BRUIJN) >> np.uint64(58)]


@compiled
def _keep(rgb: Any, firm: Any, first: Any, flat: Any, palette: Any, void: Any, work: Any) -> Any:
    """The map of firm and thin pixels without the thin ones that a blend explains; tile by tile."""
    height, width = firm.shape
    bit_of, named, lines, rings, sets, found, places = work
    kept = first.copy()
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            thin = _count_differing(firm, first, top, left)
            if thin == 0:
                continue
            # Sets cost as much as searching around some thousand pixels.
            count = _number_labels(flat, top, left, void, bit_of, named, places) if thin > _MANY else -1
            if count >= 0:
                _near_sets(firm, top, left, bit_of, lines, rings, sets[0])
                _near_sets(flat, top, left, bit_of, lines, rings, sets[1])
            right = min(left + _TILE, width)
            for y in range(top, min(top + _TILE, height)):
                for i in range(_differing(firm[y, left:right], first[y, left:right], places)):
                    place = int(places[i])
                    x = left + place
                    own = first[y, x]
                    if count >= 0:
                        bit, ones, others = bit_of[own], sets[0, y - top, place], sets[1, y - top, place]
                        given_up = not ones & bit and _is_blend_of_sets(
                            rgb[y, x], own, bit, ones, others, named, palette
                        )
                    else:
                        given_up = not _is_near(firm, y, x, own) and _is_blend(
                            rgb, y, x, own, firm, flat, palette, void, found
                        )
                    if given_up:
                        kept[y, x] = void
            for i in range(count):
                bit_of[named[i]] = 0
    return kept


@compiled
def _is_solid(rgb: Any, labels: Any, y: int, x: int, palette: Any, limits: Any) -> bool:
    """Whether a pixel is in a block of 3 × 3 pixels of its label that are all close to its colour."""
    height, width = labels.shape
    own = labels[y, x]
    for top in range(max(y - 2, 0), min(y, height - 3) + 1):
        for left in range(max(x - 2, 0), min(x, width - 3) + 1):
            solid = True
            for place in range(9):
                row, column = top + place // 3, left + place % 3
                if labels[row, column] != own or 16 * _square(rgb[row, column], palette[own]) > limits[own]:
                    solid = False
                    break
            if solid:
                return True
    return False


@compiled
def _is_clean(rgb: Any, labels: Any, y: int, x: int, first: int, palette: Any) -> bool:
    """Whether all pixels near, from column `first` on, have the colour of their label."""
    height, width = labels.shape
    for row in range(max(y - _NEAR, 0), min(y + _NEAR + 1, height)):
        for column in range(max(first, 0), min(x + _NEAR + 1, width)):
            if _square(rgb[row, column], palette[labels[row, column]]) > _EXACT * _EXACT:
                return False
    return True


@compiled
def _stands_out(rgb: Any, y: int, x: int, square: Any) -> bool:
    """Whether, at some distance, a colour is beside none of the lines between opposite pixels around it."""
    height, width = rgb.shape[:2]
    for reach in range(1, _REACH + 1):
        out = True
        for dy, dx in _LINES:
            one = rgb[min(max(y - reach * dy, 0), height - 1), min(max(x - reach * dx, 0), width - 1)]
            other = rgb[min(max(y + reach * dy, 0), height - 1), min(max(x + reach * dx, 0), width - 1)]
            bend = _square(one, other) * _BEND_SQUARED_PERCENT // 100
            if _is_beside(rgb[y, x], one, other, max(square, bend)):
                out = False
                break
        if out:
            return True
    return False


@compiled
def _is_spot(rgb: Any, labels: Any, y: int, x: int, firm: Any, first: Any, palette: Any, void: Any, found: Any) -> bool:
    """Whether a pixel is in a small region that stands out and that no blend explains."""
    height, width = labels.shape
    own, count = labels[y, x], 0
    for row in range(max(y - 1, 0), min(y + 2, height)):
        for column in range(max(x - 1, 0), min(x + 2, width)):
            count += labels[row, column] == own
    if count < _SPOT:
        return False
    square = max(_square(rgb[y, x], palette[own]), np.int64(_ALIKE * _ALIKE))
    return _stands_out(rgb, y, x, square) and not _is_blend(rgb, y, x, own, firm, first, palette, void, found)


@compiled
def _nearest_kept(colour: Any, kept: Any, y: int, x: int, palette: Any, void: Any, own: Any) -> Any:
    """Of the labels kept near a pixel, the one whose colour is nearest; the pixel's own label if there is none."""
    height, width = kept.shape
    best, least, last = own, np.int64(1) << 40, void
    for row in range(max(y - _NEAR, 0), min(y + _NEAR + 1, height)):
        for column in range(max(x - _NEAR, 0), min(x + _NEAR + 1, width)):
            label = kept[row, column]
            if label != last and label != void:
                square = _square(colour, palette[label])
                if square < least or (square == least and label < best):
                    least, best = square, label
            last = label
    return best


@compiled
def _nearest_of_set(colour: Any, rest: Any, named: Any, palette: Any, own: Any) -> Any:
    """The label of a set whose colour is nearest; the pixel's own label if the set is empty."""
    best, least = own, np.int64(1) << 40
    while rest:
        bit = rest & (~rest + np.uint64(1))
        rest ^= bit
        label = named[_power(bit)]
        square = _square(colour, palette[label])
        if square < least or (square == least and label < best):
            best, least = label, square
    return best


@compiled
def _orphans(rgb: Any, labels: Any, kept: Any, palette: Any, void: Any, work: Any) -> Any:
    """Rows and columns of pixels without a kept pixel of their label near, and the nearest label kept near; by tile."""
    height, width = labels.shape
    bit_of, named, lines, rings, sets, found, places = work
    total, count = 0, 0
    for y in range(height):
        for x in range(width):
            total += kept[y, x] != labels[y, x]
    orphans, choices = np.empty((total, 2), np.int32), np.empty(total, labels.dtype)
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            if _count_differing(kept, labels, top, left) == 0:
                continue
            numbered = _number_labels(kept, top, left, void, bit_of, named, places)
            if numbered >= 0:
                _near_sets(kept, top, left, bit_of, lines, rings, sets[0])
            right = min(left + _TILE, width)
            for y in range(top, min(top + _TILE, height)):
                for i in range(_differing(kept[y, left:right], labels[y, left:right], places)):
                    x = left + int(places[i])
                    own = labels[y, x]
                    if numbered >= 0:
                        near = sets[0, y - top, x - left]
                        if near & bit_of[own]:
                            continue
                        choices[count] = _nearest_of_set(rgb[y, x], near, named, palette, own)
                    elif _is_near(kept, y, x, own):
                        continue
                    else:
                        choices[count] = _nearest_kept(rgb[y, x], kept, y, x, palette, void, own)
                    orphans[count, 0], orphans[count, 1] = y, x
                    count += 1
            for i in range(numbered):
                bit_of[named[i]] = 0
    return orphans[:count], choices[:count]


@compiled
def _paint(rgb: Any, labels: Any, orphans: Any, maps: Any, palette: Any, limits: Any, void: Any, found: Any) -> Any:
    """Mask of the orphans that are painted."""
    firm, first = maps
    painted = np.zeros(len(orphans), np.bool_)
    clean_y, clean_x = -1, -1  # the last pixel with clean surroundings: beside it, one more column decides
    for i in range(len(orphans)):
        y, x = int(orphans[i, 0]), int(orphans[i, 1])
        square = _square(rgb[y, x], palette[labels[y, x]])
        follows = clean_y == y and clean_x == x - 1
        if square <= _EXACT * _EXACT and _is_clean(rgb, labels, y, x, x + _NEAR if follows else x - _NEAR, palette):
            clean_y, clean_x, painted[i] = y, x, True
        else:
            painted[i] = (
                16 * square <= limits[labels[y, x]] and _is_solid(rgb, labels, y, x, palette, limits)
            ) or _is_spot(rgb, labels, y, x, firm, first, palette, void, found)
    return painted


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
    found = np.empty((2, (2 * _NEAR + 1) ** 2), labels.dtype)
    work = (
        np.zeros(int(void) + 1, np.uint64),
        np.empty(64, labels.dtype),
        np.empty((2, _TILE + 2 * _NEAR), np.uint64),
        np.empty((2, 13, _TILE), np.uint64),
        np.empty((2, _TILE + 1, _TILE), np.uint64),
        found,
        np.empty(_TILE + 2 * _NEAR + 1, np.uint32),
    )
    padded = _flatten(rgb, labels, mixed, steepest, void)
    firm, first = _supported(padded, mixed, void)
    flat = padded[:, 2:-2].copy()
    kept = _keep(rgb, firm, first, flat, palette, void, work)
    orphans, choices = _orphans(rgb, labels, kept, palette, void, work)
    painted = _paint(rgb, labels, orphans, (firm, first), palette, limits, void, found)
    touched = np.zeros((len(labels) // 8 + 3, labels.shape[1] // 8 + 3), np.bool_)  # blocks of 8 × 8 pixels, and a rim
    for i in range(len(orphans)):
        if painted[i]:
            y, x = int(orphans[i, 0]), int(orphans[i, 1])
            kept[y, x] = labels[y, x]
            touched[y // 8 : y // 8 + 3, x // 8 : x // 8 + 3] = True
    settled[:] = labels
    changed = 0
    for i in range(len(orphans)):
        y, x = int(orphans[i, 0]), int(orphans[i, 1])
        if painted[i]:
            continue
        label = choices[i]
        if touched[y // 8 + 1, x // 8 + 1]:  # a painted pixel may be near
            own = labels[y, x]
            label = own if _is_near(kept, y, x, own) else _nearest_kept(rgb[y, x], kept, y, x, palette, void, own)
        settled[y, x] = label
        changed += label != labels[y, x]
    return changed
