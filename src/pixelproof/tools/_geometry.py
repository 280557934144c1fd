"""Coordinates of calls: integers 0..1000 of the original frame, origin top-left; and pixels."""

from __future__ import annotations

from collections.abc import Sequence

from pixelproof.pixels import Box

GRID = 1000
"""Coordinates run from 0 to this along both sides of a frame."""


def pixel_box(box: Sequence[int], width: int, height: int) -> Box:
    """Pixels that a box touches; left/top inclusive, right/bottom exclusive, never empty.

    >>> pixel_box([0, 250, 500, 251], 640, 480)
    (0, 120, 320, 121)
    """
    left, top = (min(value * side // GRID, side - 1) for value, side in zip(box[:2], (width, height), strict=True))
    right, bottom = (-(-value * side // GRID) for value, side in zip(box[2:], (width, height), strict=True))
    return left, top, max(right, left + 1), max(bottom, top + 1)


def pixel_point(point: Sequence[int], width: int, height: int) -> tuple[int, int]:
    """Column and row of the pixel at a point.

    >>> pixel_point([1000, 500], 640, 480)
    (639, 240)
    """
    return min(point[0] * width // GRID, width - 1), min(point[1] * height // GRID, height - 1)


def grid_box(box: Sequence[float], width: int, height: int) -> list[int]:
    """The smallest box of the grid that contains a box of pixels, clipped to the frame.

    >>> grid_box((0, 120, 320, 121), 640, 480)
    [0, 250, 500, 253]
    """
    low = [int(value * GRID // side) for value, side in zip(box[:2], (width, height), strict=True)]
    high = [int(-(-value * GRID // side)) for value, side in zip(box[2:], (width, height), strict=True)]
    return [min(max(value, 0), GRID) for value in (*low, *high)]


def grid_point(x: float, y: float, width: int, height: int) -> list[int]:
    """The nearest point of the grid to a point in pixels.

    >>> grid_point(320, 120, 640, 480)
    [500, 250]
    """
    return [min(max(round(value * GRID / side), 0), GRID) for value, side in ((x, width), (y, height))]
