"""Compiled loops of channel detection; imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled


@compiled
def columns_of(image: npt.NDArray[np.uint8], first: int, stride: int) -> Any:
    """Evenly spaced columns of an image, as lines of pixels, shape (columns, height, channels)."""
    height, width, channels = image.shape
    columns = np.empty((-(-(width - first) // stride), height, channels), np.uint8)
    for y in range(height):
        for number in range(len(columns)):
            for channel in range(channels):
                columns[number, y, channel] = image[y, first + number * stride, channel]
    return columns


@compiled
def _apart(one: Any, other: Any) -> Any:
    """Difference of two levels."""
    return max(one, other) - min(one, other)


@compiled
def _write_steps(line: Any, changes: Any, steps: Any) -> None:
    """Largest difference of a channel between each pixel and the next.

    `changes` is work space for those of each channel: bytes in a row, so that the loops become vector instructions.
    """
    levels, channels = line.reshape(-1), line.shape[1]
    after = levels[channels:]
    for i in range(len(after)):
        changes[i] = _apart(levels[i], after[i])
    if channels == 3:
        for x in range(len(steps)):
            steps[x] = max(changes[3 * x], changes[3 * x + 1], changes[3 * x + 2])
    else:
        for x in range(len(steps)):
            steps[x] = changes[channels * x : channels * x + channels].max()


@compiled
def _height(line: Any, x: int) -> Any:
    """Largest range of a channel from 2 pixels before a step to 2 pixels after it."""
    largest = np.int64(0)
    for channel in range(line.shape[1]):
        low, high = np.int64(255), np.int64(0)
        for place in range(max(x - 2, 0), min(x + 4, len(line))):
            level = np.int64(line[place, channel])
            low, high = min(low, level), max(high, level)
        largest = max(largest, high - low)
    return largest


@compiled
def _is_flat(rgb: Any, y: Any, x: Any) -> bool:
    """Whether no channel has a range above 1 within 3 × 3 pixels."""
    for channel in range(rgb.shape[2]):
        low = high = np.int64(rgb[y, x, channel])
        for row in range(y - 1, y + 2):
            for column in range(x - 1, x + 2):
                level = np.int64(rgb[row, column, channel])
                low, high = min(low, level), max(high, level)
            if high - low > 1:
                return False
    return True


@compiled
def _may_have_flat_pixels(levels: Any, width: int, y: int, x: int, reach: int) -> bool:
    """Whether two neighbours of nearly one colour allow a flat pixel; in noise, few squares have any.

    The 3 × 3 pixels around a flat pixel contain one row of any three, and in it one of any two pairs of neighbours.
    """
    for row in range(y - reach, y + reach + 2, 3):
        at, alike = np.uint64(3 * (row * width + x - reach)), np.uint8(0)
        for pair in range(reach + 1):
            i = at + np.uint64(6 * pair)
            red = _apart(levels[i], levels[i + np.uint64(3)])
            green = _apart(levels[i + np.uint64(1)], levels[i + np.uint64(4)])
            blue = _apart(levels[i + np.uint64(2)], levels[i + np.uint64(5)])
            alike |= np.uint8(max(red, green, blue) <= 1)
        if alike:
            return True
    return False


@compiled
def have_flat_pixels(rgb: npt.NDArray[np.uint8], places: npt.NDArray[np.intp], reach: int) -> Any:
    """Whether there is a flat pixel within a distance of each place along both axes."""
    some, levels = np.zeros(len(places), np.bool_), rgb.reshape(-1)
    for number in range(len(places)):
        if not _may_have_flat_pixels(levels, rgb.shape[1], places[number, 0], places[number, 1], reach):
            continue
        top, left = places[number, 0] - reach, places[number, 1] - reach
        for cell in range((2 * reach + 1) ** 2):
            if _is_flat(rgb, top + cell // (2 * reach + 1), left + cell % (2 * reach + 1)):
                some[number] = True
                break
    return some


@compiled
def transition_shares(lines: npt.NDArray[np.uint8], contrast: int) -> Any:
    """Of each transition, the share that its largest step makes up.

    Args:
        lines: Lines of pixels, shape (lines, length, channels).
        contrast: Least step that counts.
    """
    count, shares = 0, np.empty(lines.shape[0] * max(lines.shape[1] - 1, 0), np.float64)
    steps = np.zeros(lines.shape[1] + 1, np.uint8)  # beyond both ends, there are none
    changes = np.empty(lines.shape[1] * lines.shape[2], np.uint8)
    for number in range(len(lines)):
        line = lines[number]
        _write_steps(line, changes, steps[1:-1])
        for x in range(len(line) - 1):
            step = steps[x + 1]
            if step >= contrast and step >= steps[x] and step >= steps[x + 2]:
                shares[count] = step / _height(line, x)
                count += 1
    return shares[:count]


@compiled
def step_places(lines: npt.NDArray[np.uint8], contrast: int, first: int, stride: int, columns: bool) -> Any:
    """Row and column, in the image, of every step between neighbours in these lines that is large enough.

    Args:
        lines: Evenly spaced lines of pixels, shape (lines, length, channels).
        contrast: Least step that counts.
        first: Row or column of the first line.
        stride: Distance of two lines.
        columns: Whether lines are columns.
    """
    count, places = 0, np.empty((lines.shape[0] * max(lines.shape[1] - 1, 0), 2), np.intp)
    steps = np.empty(max(lines.shape[1] - 1, 0), np.uint8)
    changes = np.empty(lines.shape[1] * lines.shape[2], np.uint8)
    along, across = np.int64(not columns), np.int64(columns)
    for number in range(len(lines)):
        _write_steps(lines[number], changes, steps)
        for x in range(len(steps)):
            if steps[x] >= contrast:
                places[count, across], places[count, along] = first + stride * number, x
                count += 1
    return places[:count]
