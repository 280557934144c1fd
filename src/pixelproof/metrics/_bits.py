"""Bit-packed masks, 64 pixels per word: shifting and combining whole images takes microseconds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]


def pack(mask: Mask, margin: int = 0) -> Bits:
    """Pack a mask into rows of words: pixel x is bit x mod 64 of word x div 64. Rows end in `margin` or more zeros."""
    height, width = mask.shape
    packed = np.packbits(mask, axis=1, bitorder="little")
    rows = np.zeros((height, -(-(width + margin) // 64) * 8), np.uint8)
    rows[:, : packed.shape[1]] = packed
    return rows.view("<u8").astype(np.uint64, copy=False)


def unpack(bits: Bits, width: int) -> Mask:
    """Unpack the first `width` pixels of each row."""
    return np.unpackbits(bits.astype("<u8", copy=False).view(np.uint8), axis=1, count=width, bitorder="little").view(
        bool
    )


def from_right(bits: Bits, steps: int = 1) -> Bits:
    """Shift left by `steps` pixels; bits of the next row come in at the end of each row."""
    flat = bits.reshape(-1)
    words, rest = divmod(steps, 64)
    moved = np.zeros_like(flat)
    kept = flat.size - words
    moved[:kept] = flat[words:] >> np.uint64(rest)
    if rest:
        moved[: kept - 1] |= flat[words + 1 :] << np.uint64(64 - rest)
    return moved.reshape(bits.shape)


def from_left(bits: Bits) -> Bits:
    """Shift right by one pixel; bits of the previous row come in at the start of each row."""
    flat = bits.reshape(-1)
    moved = flat << np.uint64(1)
    moved[1:] |= flat[:-1] >> np.uint64(63)
    return moved.reshape(bits.shape)


def count(bits: Bits) -> int:
    """Number of set pixels.

    >>> count(pack(np.eye(70, dtype=bool)))
    70
    """
    if hasattr(np, "bitwise_count"):
        return int(np.bitwise_count(bits).sum(dtype=np.int64))
    return int(np.unpackbits(np.ascontiguousarray(bits).view(np.uint8)).sum(dtype=np.int64))  # numpy 1
