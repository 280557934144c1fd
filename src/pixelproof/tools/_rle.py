"""Masks as run-length encoding, in the compressed form of COCO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

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
