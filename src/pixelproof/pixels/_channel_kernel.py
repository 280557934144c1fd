"""Compiled loops of channel detection; imported only where numba is installed.

Sums of products are made in a fixed order, as in numpy's place, so that both agree to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_LANES = 16
"""Blocks are computed in multiples of this, for the rest of a loop that vectors do not divide is slow."""


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


@compiled
def _write_luma(row: Any, luma: Any) -> None:
    """Luma of a row of pixels."""
    for x in range(len(luma)):
        luma[x] = 0.299 * row[3 * x] + 0.587 * row[3 * x + 1] + 0.114 * row[3 * x + 2]


@compiled
def _cut(luma: Any, offset: int, count: int, blocks: Any) -> None:
    """Copy a row of 8 × 8 blocks, shape (8, 8, blocks), so that loops over blocks become vectors."""
    for y in range(8):
        for x in range(8):
            row, line = luma[y + offset, x + offset :], blocks[y, x]
            for number in range(count):
                line[number] = row[8 * number]


@compiled
def _combine(weights: Any, parts: Any, column: int, total: Any) -> None:
    """Write the weighted sum of eight rows of numbers; added one after the other, but kept in registers."""
    w0, w1, w2, w3, w4, w5, w6, w7 = weights
    a, b, c, d = parts[0, column], parts[1, column], parts[2, column], parts[3, column]
    e, f, g, h = parts[4, column], parts[5, column], parts[6, column], parts[7, column]
    for i in range(len(total)):
        half = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i]
        total[i] = half + w4 * e[i] + w5 * f[i] + w6 * g[i] + w7 * h[i]


@compiled
def _row(matrix: Any, u: int) -> Any:
    """A row of the DCT, as numbers: in an array, they would be read again for each block."""
    first = matrix[u, 0], matrix[u, 1], matrix[u, 2], matrix[u, 3]
    return first + (matrix[u, 4], matrix[u, 5], matrix[u, 6], matrix[u, 7])


@compiled
def _transform(matrix: Any, blocks: Any, half: Any, whole: Any) -> None:
    """Write the two-dimensional DCT of blocks, and between its two steps columns by frequencies of the rows."""
    for u in range(8):
        for x in range(8):
            _combine(_row(matrix, u), blocks, x, half[x, u])
    for u in range(8):
        for v in range(8):
            _combine(_row(matrix, v), half, u, whole[u, v])


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
    wide = -(-blocks // _LANES) * _LANES
    cut, half = np.zeros((8, 8, wide), np.float64), np.empty((8, 8, wide), np.float64)
    whole, near = np.empty((8, 8, wide), np.float64), np.empty(wide, np.int64)
    low, high = np.empty(wide, np.float64), np.empty(wide, np.float64)
    luma, counts = np.empty((12, 8 * blocks + 4), np.float64), np.zeros((2, 2), np.int64)
    for top in tops:
        for y in range(12):
            _write_luma(rgb[top + y].reshape(-1), luma[y])
        for grid in range(2):
            _cut(luma, 4 * grid, blocks, cut)
            _transform(matrix, cut, half, whole)
            _count_below(whole, limit, near)
            _ranges(cut, low, high)
            for number in range(blocks):
                if high[number] - low[number] > active:
                    counts[grid, 0] += near[number]
                    counts[grid, 1] += 1
    return counts
