"""Compiled tests of the edge rule's third and fourth step: blends and painted pixels; `_edges` describes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compiled import compiled
from ._flatness_kernel import FRAME
from ._near_kernel import NEAR, labels_near

_EXACT, _ALIKE, _SPOT, _REACH, _BEND_SQUARED_PERCENT = 4, 24, 5, 3, 9
_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


@compiled
def _square(rgb: Any, y: int, x: int, palette: Any, label: Any) -> Any:
    """Squared distance of a pixel's colour from that of a label."""
    r, g = np.int64(rgb[y, x, 0]) - palette[label, 0], np.int64(rgb[y, x, 1]) - palette[label, 1]
    b = np.int64(rgb[y, x, 2]) - palette[label, 2]
    return r * r + g * g + b * b


@compiled
def _is_beside(line: Any, offset: Any, square: Any) -> Any:
    """Whether a point is as near to a line as the root of `square`, ends included; both from the line's beginning."""
    length = line[0] * line[0] + line[1] * line[1] + line[2] * line[2]
    along = line[0] * offset[0] + line[1] * offset[1] + line[2] * offset[2]
    away = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]
    if along <= 0:
        return away <= square
    if along >= length:
        return away - 2 * along + length <= square
    return away * length - along * along <= square * length


@compiled
def is_blend(rgb: Any, y: int, x: int, own: Any, firm: Any, other: Any, palette: Any, void: Any, near: Any) -> bool:
    """Whether a label near, or its blend with one of another map, explains a colour as well as its own label does.

    Rows and columns are those of the image; the maps are framed. `near` is work space.
    """
    square = max(_square(rgb, y, x, palette, own), np.int64(_ALIKE * _ALIKE))
    ones = labels_near(firm, y + FRAME, x + FRAME, own, void, near[0])
    others = labels_near(other, y + FRAME, x + FRAME, own, void, near[1])
    for i in range(ones):
        one = near[0, i]
        r, g, b = palette[one, 0], palette[one, 1], palette[one, 2]
        offset = (np.int64(rgb[y, x, 0]) - r, np.int64(rgb[y, x, 1]) - g, np.int64(rgb[y, x, 2]) - b)
        for j in range(others):
            end = near[1, j]
            if _is_beside((palette[end, 0] - r, palette[end, 1] - g, palette[end, 2] - b), offset, square):
                return True
    return False


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
                if labels[row, column] != own or 16 * _square(rgb, row, column, palette, own) > limits[own]:
                    solid = False
                    break
            if solid:
                return True
    return False


@compiled
def _is_clean(rgb: Any, labels: Any, y: int, x: int, first: int, palette: Any) -> bool:
    """Whether all pixels near, from column `first` on, have the colour of their label."""
    height, width = labels.shape
    for row in range(max(y - NEAR, 0), min(y + NEAR + 1, height)):
        for column in range(max(first, 0), min(x + NEAR + 1, width)):
            if _square(rgb, row, column, palette, labels[row, column]) > _EXACT * _EXACT:
                return False
    return True


@compiled
def _difference(rgb: Any, y: int, x: int, y0: int, x0: int) -> Any:
    """The colour of a pixel minus that of another."""
    r, g = np.int64(rgb[y, x, 0]) - np.int64(rgb[y0, x0, 0]), np.int64(rgb[y, x, 1]) - np.int64(rgb[y0, x0, 1])
    return r, g, np.int64(rgb[y, x, 2]) - np.int64(rgb[y0, x0, 2])


@compiled
def _stands_out(rgb: Any, y: int, x: int, square: Any) -> bool:
    """Whether, at some distance, a colour is beside none of the lines between opposite pixels around it."""
    height, width = rgb.shape[:2]
    for reach in range(1, _REACH + 1):
        out = True
        for dy, dx in _LINES:
            y0, x0 = min(max(y - reach * dy, 0), height - 1), min(max(x - reach * dx, 0), width - 1)
            y1, x1 = min(max(y + reach * dy, 0), height - 1), min(max(x + reach * dx, 0), width - 1)
            line, offset = _difference(rgb, y1, x1, y0, x0), _difference(rgb, y, x, y0, x0)
            length = line[0] * line[0] + line[1] * line[1] + line[2] * line[2]
            if _is_beside(line, offset, max(square, length * _BEND_SQUARED_PERCENT // 100)):
                out = False
                break
        if out:
            return True
    return False


@compiled
def _is_spot(rgb: Any, labels: Any, y: int, x: int, firm: Any, first: Any, palette: Any, void: Any, near: Any) -> bool:
    """Whether a pixel stands out and no blend explains it."""
    own = labels[y, x]
    square = max(_square(rgb, y, x, palette, own), np.int64(_ALIKE * _ALIKE))
    return _stands_out(rgb, y, x, square) and not is_blend(rgb, y, x, own, firm, first, palette, void, near)


@compiled
def _count_alike(labels: Any, y: int, x: int, own: Any) -> Any:
    """Number of the 3 × 3 pixels around a pixel that have a label."""
    height, width = labels.shape
    count = np.int64(0)
    if 0 < y < height - 1 and 0 < x < width - 1:
        left = np.uint64(x - 1)
        for row in range(np.uint64(y - 1), np.uint64(y + 2)):
            count += np.int64(labels[row, left] == own)
            count += np.int64(labels[row, left + np.uint64(1)] == own)
            count += np.int64(labels[row, left + np.uint64(2)] == own)
        return count
    for row in range(max(y - 1, 0), min(y + 2, height)):
        for column in range(max(x - 1, 0), min(x + 2, width)):
            count += labels[row, column] == own
    return count


@compiled
def painted_pixels(
    rgb: Any, labels: Any, places: Any, colours: Any, maps: Any, palette: Any, limits: Any, void: Any
) -> Any:
    """Mask of the places, rows and columns of the image, whose pixels are painted.

    Args:
        rgb: The image.
        labels: Its nearest-colour labels.
        places: Rows and columns, row by row.
        colours: The pixels there, as int64.
        maps: Framed maps of firm pixels, and of firm and thin ones.
        palette: Colours of the labels.
        limits: Squared limit of closeness of each label, times 16.
        void: The label of no label.
    """
    painted, (firm, first) = np.zeros(len(places), np.bool_), maps
    near = np.empty((2, (2 * NEAR + 1) ** 2), labels.dtype)
    clean_y, clean_x = -1, -1  # the last pixel with clean surroundings: beside it, one more column decides
    for i in range(len(places)):
        y, x = int(places[i, 0]), int(places[i, 1])
        own = labels[y, x]
        r, g, b = colours[i, 0] - palette[own, 0], colours[i, 1] - palette[own, 1], colours[i, 2] - palette[own, 2]
        square = r * r + g * g + b * b
        follows = clean_y == y and clean_x == x - 1
        if square <= _EXACT * _EXACT and _is_clean(rgb, labels, y, x, x + NEAR if follows else x - NEAR, palette):
            clean_y, clean_x, painted[i] = y, x, True
        else:
            painted[i] = (16 * square <= limits[own] and _is_solid(rgb, labels, y, x, palette, limits)) or (
                _count_alike(labels, y, x, own) >= _SPOT
                and _is_spot(rgb, labels, y, x, firm, first, palette, void, near)
            )
    return painted
