"""Compiled loops of channel detection; imported only where numba is installed.

Sums of products are made in a fixed order, as in numpy's place, so that both agree to the last bit.
"""

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
def _step(line: Any, x: Any) -> Any:
    """Largest difference of a channel between a pixel and the next."""
    largest = np.int64(0)
    for channel in range(line.shape[1]):
        largest = max(largest, abs(np.int64(line[x, channel]) - np.int64(line[x + 1, channel])))
    return largest


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
def _may_have_flat_pixels(rgb: Any, y: Any, x: Any, reach: int) -> bool:
    """Whether two neighbours of nearly one colour allow a flat pixel; in noise, few squares have any.

    The 3 × 3 pixels around a flat pixel contain one row of any three, and in it one of any two pairs of neighbours.
    """
    for row in range(y - reach, y + reach + 2, 3):
        for column in range(x - reach, x + reach + 1, 2):
            apart = np.int64(0)
            for channel in range(rgb.shape[2]):
                one, other = np.int64(rgb[row, column, channel]), np.int64(rgb[row, column + 1, channel])
                apart = max(apart, abs(one - other))
            if apart <= 1:
                return True
    return False


@compiled
def have_flat_pixels(rgb: npt.NDArray[np.uint8], places: npt.NDArray[np.intp], reach: int) -> Any:
    """Whether there is a flat pixel within a distance of each place along both axes."""
    some = np.zeros(len(places), np.bool_)
    for number in range(len(places)):
        if not _may_have_flat_pixels(rgb, places[number, 0], places[number, 1], reach):
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
    steps = np.zeros(lines.shape[1] + 1, np.int64)  # beyond both ends, there are none
    for number in range(len(lines)):
        line = lines[number]
        for x in range(len(line) - 1):
            steps[x + 1] = _step(line, x)
        for x in range(len(line) - 1):
            step = steps[x + 1]
            if step >= contrast and step >= steps[x] and step >= steps[x + 2]:
                shares[count] = step / _height(line, x)
                count += 1
    return shares[:count]


@compiled
def step_places(lines: npt.NDArray[np.uint8], contrast: int) -> Any:
    """Line and place of every step between neighbours that is large enough."""
    count, places = 0, np.empty((lines.shape[0] * max(lines.shape[1] - 1, 0), 2), np.intp)
    for number in range(len(lines)):
        line = lines[number]
        for x in range(len(line) - 1):
            if _step(line, x) >= contrast:
                places[count, 0], places[count, 1] = number, x
                count += 1
    return places[:count]


@compiled
def _cut(rows: Any, top: int, left: int, blocks: Any) -> None:
    """Write the luma of a row of 8 × 8 blocks, shape (8, 8, blocks), so that loops over blocks become vectors."""
    for y in range(8):
        row = rows[top + y]
        for number in range(blocks.shape[2]):
            for x in range(8):
                place = left + 8 * number + x
                blocks[y, x, number] = 0.299 * row[place, 0] + 0.587 * row[place, 1] + 0.114 * row[place, 2]


@compiled
def _add_scaled(total: Any, factor: float, part: Any) -> None:
    """Add `factor * part`."""
    for i in range(len(total)):
        total[i] += factor * part[i]


@compiled
def _transform(matrix: Any, blocks: Any, half: Any, whole: Any) -> None:
    """Write the two-dimensional DCT of blocks."""
    half[:], whole[:] = 0.0, 0.0
    for u in range(8):
        for x in range(8):
            for y in range(8):
                _add_scaled(half[u, x], matrix[u, y], blocks[y, x])
        for v in range(8):
            for x in range(8):
                _add_scaled(whole[u, v], matrix[v, x], half[u, x])


@compiled
def _count_below(coefficients: Any, limit: float, counts: Any) -> None:
    """For each block, count the coefficients below a limit, but for the mean."""
    counts[:] = 0
    for k in range(1, 64):
        values = coefficients[k // 8, k % 8]
        for i in range(len(counts)):
            counts[i] += abs(values[i]) < limit


@compiled
def _ranges(blocks: Any, low: Any, high: Any) -> None:
    """Least and largest luma of each block."""
    low[:], high[:] = blocks[0, 0], blocks[0, 0]
    for k in range(1, 64):
        values = blocks[k // 8, k % 8]
        for i in range(len(low)):
            low[i], high[i] = min(low[i], values[i]), max(high[i], values[i])


@compiled
def count_near_zero(
    rgb: npt.NDArray[np.uint8],
    tops: npt.NDArray[np.int64],
    blocks: int,
    matrix: npt.NDArray[np.float64],
    active: float,
    limit: float,
) -> npt.NDArray[np.int64]:
    """For two grids of blocks, one shifted by 4 pixels: near-zero coefficients, and blocks whose luma is not flat.

    Args:
        rgb: The image.
        tops: First rows of the rows of blocks that are examined.
        blocks: Number of blocks in a row.
        matrix: The DCT.
        active: Range of luma that a block must exceed.
        limit: Coefficients below this are near zero.
    """
    cut, half = np.empty((8, 8, blocks), np.float64), np.empty((8, 8, blocks), np.float64)
    whole, near = np.empty((8, 8, blocks), np.float64), np.empty(blocks, np.int64)
    low, high = np.empty(blocks, np.float64), np.empty(blocks, np.float64)
    counts = np.zeros((2, 2), np.int64)
    for top in tops:
        for grid in range(2):
            _cut(rgb, top + 4 * grid, 4 * grid, cut)
            _transform(matrix, cut, half, whole)
            _count_below(whole, limit, near)
            _ranges(cut, low, high)
            for number in range(blocks):
                if high[number] - low[number] > active:
                    counts[grid, 0] += near[number]
                    counts[grid, 1] += 1
    return counts
