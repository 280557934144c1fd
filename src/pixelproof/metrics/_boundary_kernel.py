"""Contours of all classes for `contour_counts`, compiled. Imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import compiled

_GAP = 4
"""Most words from a pixel of a row to the next that is dilated with it: more take longer than a new group."""


@compiled
def _count_mixed(row: Any, below: Any) -> Any:
    """Number of squares of 2 × 2 pixels with several labels."""
    count = np.int64(row[-1] != below[-1])
    for x in range(len(row) - 1):
        count += np.int64((row[x] != row[x + 1]) | (row[x] != below[x]) | (row[x] != below[x + 1]))
    return count


@compiled
def _contours(labels: Any, classes: int) -> Any:
    """Rows and columns of the contour pixels of each class, and where those of each class begin.

    A pixel is on the contours of all labels of a square of 2 × 2 pixels that has several.
    """
    height, width = labels.shape
    mixed, total = np.int64(0), 0
    for y in range(height):
        mixed += _count_mixed(labels[y], labels[min(y + 1, height - 1)])
    found = np.empty((4 * mixed, 3), np.int32)
    for y in range(height):
        row, below = labels[y], labels[min(y + 1, height - 1)]
        for x in range(width):
            right = min(x + 1, width - 1)
            a, b, c, d = row[x], row[right], below[x], below[right]
            if a == b and a == c and a == d:
                continue
            if a < classes:
                found[total, 0], found[total, 1], found[total, 2], total = a, y, x, total + 1
            if b < classes and b != a:
                found[total, 0], found[total, 1], found[total, 2], total = b, y, x, total + 1
            if c < classes and c != a and c != b:
                found[total, 0], found[total, 1], found[total, 2], total = c, y, x, total + 1
            if d < classes and d != a and d != b and d != c:
                found[total, 0], found[total, 1], found[total, 2], total = d, y, x, total + 1
    start = np.zeros(classes + 2, np.int64)
    for i in range(total):
        start[found[i, 0] + 2] += 1
    for label in range(classes):
        start[label + 2] += start[label + 1]
    places = np.empty((total, 2), np.int32)
    for i in range(total):  # sorted by class
        at = start[found[i, 0] + 1]
        places[at, 0], places[at, 1] = found[i, 1], found[i, 2]
        start[found[i, 0] + 1] += 1
    return start[:-1], places


@compiled
def _end_of_group(places: Any, begin: int) -> int:
    """End of the group of places that begins here: they are in one row, and with no wide gap between their words."""
    row, word, end = places[begin, 0], places[begin, 1] >> 6, begin + 1
    while end < len(places) and places[end, 0] == row and (places[end, 1] >> 6) - word <= _GAP:
        word = places[end, 1] >> 6
        end += 1
    return end


@compiled
def _widen(spread: Any, wider: Any, words: int) -> None:
    """Dilate bits by one place on both sides; a word before and one after are read."""
    one, most = np.uint64(1), np.uint64(63)
    for k in range(1, words + 1):
        wider[k] = spread[k] | spread[k] << one | spread[k] >> one | spread[k - 1] >> most | spread[k + 1] << most


@compiled
def _dilated(places: Any, top: int, bottom: int, left: int, right: int, radius: int) -> Any:
    """Dilation of some pixels by a disc, 64 pixels to a word; from row `top` to `bottom`, word `left` to `right`.

    Groups of pixels of a row are dilated, and not whole rows: of many classes, each has few pixels in a row.
    """
    near = np.zeros((bottom - top, right - left), np.uint64)
    margin = (radius + 63) >> 6
    # A constant word of zeros at both ends avoids branches in the loop.
    most = right - left + 2 * margin + 2
    spread, wider = np.zeros(most, np.uint64), np.zeros(most, np.uint64)
    i = 0
    while i < len(places):
        end = _end_of_group(places, i)
        y, first = places[i, 0] - top, (places[i, 1] >> 6) - margin
        words = (places[end - 1, 1] >> 6) + margin - first + 1
        spread[: words + 2], wider[: words + 2] = np.uint64(0), np.uint64(0)
        for place in range(i, end):
            x = places[place, 1]
            spread[(x >> 6) - first + 1] |= np.uint64(1) << np.uint64(x & 63)
        begin, stop = max(first, left), min(first + words, right)
        reached = 0
        for dy in range(radius, -1, -1):
            while (reached + 1) ** 2 + dy**2 <= radius**2:
                _widen(spread, wider, words)
                spread, wider = wider, spread
                reached += 1
            for row in (y - dy, y + dy):
                if 0 <= row < len(near):
                    for word in range(begin, stop):
                        near[np.uint64(row), np.uint64(word - left)] |= spread[np.uint64(word - first + 1)]
        i = end
    return near


@compiled
def _count_near(places: Any, others: Any, radius: int) -> Any:
    """Number of pixels with one of the others within a disc."""
    top, bottom = places[0, 0], places[-1, 0] + 1
    left, right = places[:, 1].min() >> 6, (places[:, 1].max() >> 6) + 1
    first, end = 0, len(others)
    while first < end and others[first, 0] < top - radius:
        first += 1
    while end > first and others[end - 1, 0] >= bottom + radius:
        end -= 1
    if first == end:
        return 0
    left = min(left, others[first:end, 1].min() >> 6)
    right = max(right, (others[first:end, 1].max() >> 6) + 1)
    near, count = _dilated(others[first:end], top, bottom, left, right, radius), np.int64(0)
    for i in range(len(places)):
        y, x = places[i, 0] - top, places[i, 1]
        count += np.int64(near[y, (x >> 6) - left] >> np.uint64(x & 63) & np.uint64(1))
    return count


@compiled
def count_contours(
    prediction: npt.NDArray[Any], reference: npt.NDArray[Any], classes: int, radius: int
) -> npt.NDArray[np.int64]:
    """Contour pixels of each class as in `ContourCounts`, shape (4, classes)."""
    counts = np.zeros((4, classes), np.int64)
    p_start, p_places = _contours(prediction, classes)
    r_start, r_places = _contours(reference, classes)
    for label in range(classes):
        predicted = p_places[p_start[label] : p_start[label + 1]]
        actual = r_places[r_start[label] : r_start[label + 1]]
        counts[1, label], counts[3, label] = len(predicted), len(actual)
        if len(predicted) and len(actual):
            counts[0, label] = _count_near(predicted, actual, radius)
            counts[2, label] = _count_near(actual, predicted, radius)
    return counts
