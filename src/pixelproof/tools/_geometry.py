"""Coordinates of calls: integers 0..1000 of the original frame, origin top-left; pixels; masks in the form of COCO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
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


Mask = npt.NDArray[np.bool_]
_MOST_PIXELS = 64_000_000
"""Pixels of a mask that is decoded: the text of a larger one can be short."""


def encode_mask(mask: Mask) -> dict[str, Any]:
    """Encode a mask: `{"size": [height, width], "counts": text}`, as pycocotools does.

    >>> encode_mask(np.array([[False, True], [True, True]]))
    {'size': [2, 2], 'counts': '13'}
    """
    flat = np.asarray(mask, bool).ravel(order="F")
    edges = np.flatnonzero(np.diff(flat)) + 1
    bounds = np.concatenate([[0], edges, [len(flat)]])
    counts = np.diff(bounds).tolist()
    if len(flat) and flat[0]:
        counts.insert(0, 0)  # the first run is of pixels outside
    return {"size": [int(side) for side in mask.shape], "counts": _pack(counts)}


def decode_mask(rle: Mapping[str, Any]) -> Mask:
    """The mask of an encoding.

    >>> decode_mask({"size": [2, 2], "counts": "13"}).tolist()
    [[False, True], [True, True]]

    Raises:
        PixelProofError: It is damaged.
    """
    try:
        height, width = (int(side) for side in rle["size"])
        counts = _unpack(rle["counts"])
        if height * width > _MOST_PIXELS:
            raise ValueError(f"it has more than {_MOST_PIXELS:,} pixels")
        if height < 0 or width < 0 or min(counts, default=0) < 0 or sum(counts) != height * width:
            raise ValueError("the runs do not add up to the size")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise PixelProofError(f"The mask is no run-length encoding of COCO ({error}): make the trace again.") from error
    values = np.arange(len(counts)) % 2 == 1
    return np.repeat(values, counts).reshape((height, width), order="F")


def _pack(counts: list[int]) -> str:
    """Runs as text: differences to the run two before, five bits per character, lowest first, sign-extended."""
    text = []
    for place, count in enumerate(counts):
        value = count - (counts[place - 2] if place > 2 else 0)
        more = True
        while more:
            bits = value & 0x1F
            value >>= 5
            more = value != (-1 if bits & 0x10 else 0)
            text.append(chr((bits | 0x20 if more else bits) + 48))
    return "".join(text)


def _unpack(text: str) -> list[int]:
    counts: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64:
            raise ValueError(f"{character!r} is not a character of it")
        value |= (bits & 0x1F) << shift
        shift += 5
        if not bits & 0x20:
            if bits & 0x10:
                value -= 1 << shift
            counts.append(value + (counts[-2] if len(counts) > 2 else 0))
            value = shift = 0
    if shift:
        raise ValueError("it ends early")
    return counts
