"""Compiled loops of the rule for edges, which `_edges` describes; imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_VOID, _FIRM, _THIN, _NEAR, _FRACTION = 255, 15, 5, 6, 5


@compiled
def _change(rgb: Any, y: int, x: int) -> Any:
    """The greatest change of a channel from one side of a pixel to the other."""
    height, width, _ = rgb.shape
    up, down, left, right = max(y - 1, 0), min(y + 1, height - 1), max(x - 1, 0), min(x + 1, width - 1)
    change: Any = 0
    for c in range(3):
        change = max(change, abs(np.int64(rgb[y, right, c]) - np.int64(rgb[y, left, c])))
        change = max(change, abs(np.int64(rgb[down, x, c]) - np.int64(rgb[up, x, c])))
    return change


@compiled
def _is_steep(rgb: Any, y: int, x: int, change: Any) -> Any:
    """Whether a change is more than a fraction of the range of every channel nearby."""
    height, width, _ = rgb.shape
    left, right = max(x - 3, 0), min(x + 4, width)
    r0, g0, b0 = rgb[y, x, 0], rgb[y, x, 1], rgb[y, x, 2]
    r1, g1, b1 = r0, g0, b0
    for row in range(max(y - 3, 0), min(y + 4, height)):
        for column in range(left, right):
            r, g, b = rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2]
            r0, g0, b0 = min(r0, r), min(g0, g), min(b0, b)
            r1, g1, b1 = max(r1, r), max(g1, g), max(b1, b)
    return _FRACTION * change > max(np.int64(r1) - r0, np.int64(g1) - g0, np.int64(b1) - b0)


@compiled
def _flatten(rgb: Any, labels: Any, mixed: Any, steepest: int) -> Any:
    """The labels of flat pixels; the others have none."""
    flat = labels.copy()
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            if mixed[y, x]:
                change = _change(rgb, y, x)
                if change > steepest and _is_steep(rgb, y, x, change):
                    flat[y, x] = _VOID
    return flat


@compiled
def _support(flat: Any, y: int, x: int) -> int:
    height, width = flat.shape
    count = 0
    for dy in range(-2, 3):
        row = min(max(y + dy, 0), height - 1)
        for dx in range(-2, 3):
            count += flat[row, min(max(x + dx, 0), width - 1)] == flat[y, x]
    return count


@compiled
def _is_blend(colour: Any, own: int, near: Any, near_count: int, firm_somewhere: Any, palette: Any) -> bool:
    """Whether a blend of a label nearby with another one explains a colour at least as well as its own label."""
    distance = 0
    for c in range(3):
        distance += (np.int64(colour[c]) - palette[own, c]) ** 2
    for i in range(near_count):
        one = near[i]
        for other in range(len(palette)):
            if not firm_somewhere[other] or other == one or other == own:
                continue
            length, along, square = 0, 0, 0
            for c in range(3):
                line, seen = palette[other, c] - palette[one, c], np.int64(colour[c]) - palette[one, c]
                length += line * line
                along += line * seen
                square += seen * seen
            if 0 < along < length and square * length - along * along <= distance * length:
                return True
    return False


@compiled
def _runs(values: Any) -> Any:
    """How many equal values begin at each pixel and go on to the right, up to 255: whoever looks around can leap."""
    height, width = values.shape
    runs = np.ones((height, width), np.uint8)
    for y in range(height):
        for x in range(width - 2, -1, -1):
            if values[y, x] == values[y, x + 1]:
                runs[y, x] = min(np.int64(runs[y, x + 1]) + 1, 255)
    return runs


@compiled
def _labels_near(values: Any, runs: Any, y: int, x: int, found: Any, near: Any) -> int:
    """Write the labels around a pixel into `near`, and return their number; `found` is false before and after."""
    height, width = values.shape
    count = 0
    for row in range(max(y - _NEAR, 0), min(y + _NEAR + 1, height)):
        column, end = max(x - _NEAR, 0), min(x + _NEAR + 1, width)
        while column < end:
            label = values[row, column]
            if label != _VOID and not found[label]:
                found[label] = True
                near[count] = label
                count += 1
            column += runs[row, column]
    for i in range(count):
        found[near[i]] = False
    return count


@compiled
def settle(
    rgb: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.uint8],
    mixed: npt.NDArray[np.bool_],
    palette: npt.NDArray[np.int64],
    steepest: int,
    settled: npt.NDArray[np.uint8],
) -> int:
    """Write the labels with edges settled; the number of pixels whose label came from around them."""
    height, width = labels.shape
    flat = _flatten(rgb, labels, mixed, steepest)
    firm, kept = flat.copy(), flat.copy()
    firm_somewhere, found, near = np.zeros(256, np.bool_), np.zeros(256, np.bool_), np.zeros(256, np.int64)
    for y in range(height):
        for x in range(width):
            if mixed[y, x] and flat[y, x] != _VOID:
                support = _support(flat, y, x)
                if support < _FIRM:
                    firm[y, x] = _VOID
                if support < _THIN:
                    kept[y, x] = _VOID
            firm_somewhere[firm[y, x]] = True
    firm_somewhere[_VOID] = False
    runs = _runs(firm)
    for y in range(height):
        for x in range(width):
            if mixed[y, x] and kept[y, x] != _VOID and firm[y, x] == _VOID:
                own = labels[y, x]
                count = _labels_near(firm, runs, y, x, found, near)
                alone = True
                for i in range(count):
                    alone = alone and near[i] != own
                if alone and _is_blend(rgb[y, x], own, near, count, firm_somewhere, palette):
                    kept[y, x] = _VOID
    runs = _runs(kept)
    loose = 0
    for y in range(height):
        for x in range(width):
            settled[y, x] = labels[y, x]
            if kept[y, x] == _VOID:
                loose += 1
                best = np.int64(1) << 40
                for i in range(_labels_near(kept, runs, y, x, found, near)):
                    label = near[i]
                    distance = np.int64(0)
                    for c in range(3):
                        distance += (np.int64(rgb[y, x, c]) - palette[label, c]) ** 2
                    if distance < best or (distance == best and label < settled[y, x]):
                        best = distance
                        settled[y, x] = label
    return loose
