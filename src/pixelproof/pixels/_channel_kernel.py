"""Compiled loops of channel detection; imported only where numba is installed.

Sums of products are made in a fixed order, as in numpy's place, so that both agree to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled


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
def _row_product(row: Any, matrix: Any, product: Any) -> None:
    """Write the product of a row of eight numbers and an 8 × 8 matrix; eight sums at once become vector operations."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(8):
        factor, line = row[i], matrix[i]
        a, b, c, d = a + factor * line[0], b + factor * line[1], c + factor * line[2], d + factor * line[3]
        e, f, g, h = e + factor * line[4], f + factor * line[5], g + factor * line[6], h + factor * line[7]
    product[0], product[1], product[2], product[3] = a, b, c, d
    product[4], product[5], product[6], product[7] = e, f, g, h


@compiled
def _near_zero(block: Any, matrix: Any, across: Any, limit: float, half: Any, whole: Any) -> int:
    """Number of DCT coefficients of a block, but for the mean, that are below a limit; `across` is transposed."""
    count = 0
    for u in range(8):
        _row_product(matrix[u], block, half)
        _row_product(half, across, whole)
        for v in range(0 if u else 1, 8):
            count += abs(whole[v]) < limit
    return count


@compiled
def _luma(rows: Any, luma: Any) -> None:
    """Write the luma of rows of RGB."""
    for y in range(len(luma)):
        row, line = rows[y], luma[y]
        for x in range(len(line)):
            line[x] = 0.299 * row[x, 0] + 0.587 * row[x, 1] + 0.114 * row[x, 2]


@compiled
def _is_active(block: Any, active: float) -> bool:
    """Whether the range of a block exceeds a limit."""
    low, high = block[0, 0], block[0, 0]
    for y in range(8):
        for x in range(8):
            low, high = min(low, block[y, x]), max(high, block[y, x])
    return bool(high - low > active)


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
    half, whole, across = np.empty(8, np.float64), np.empty(8, np.float64), matrix.T.copy()
    luma, counts = np.empty((16, 8 * blocks + 8), np.float64), np.zeros((2, 2), np.int64)
    for top in tops:
        _luma(rgb[top : top + 16], luma)
        for grid in range(2):
            for number in range(blocks):
                left = 4 * grid + 8 * number
                block = luma[4 * grid : 4 * grid + 8, left : left + 8]
                if _is_active(block, active):
                    counts[grid, 0] += _near_zero(block, matrix, across, limit, half, whole)
                    counts[grid, 1] += 1
    return counts
