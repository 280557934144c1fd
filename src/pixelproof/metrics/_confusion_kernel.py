"""Joint histogram for `confusion`, compiled. Imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import compiled


@compiled
def count_pairs(prediction: npt.NDArray[np.uint8], reference: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Joint histogram of the bytes of the reference (row) and of the prediction (column), shape (256, 256).

    Eight pixels are read at a time. Inside regions all eight are equal, and are counted by one addition. The other
    words are listed, because a branch on them would be mispredicted, and counted in four tables in turn, because two
    increments of one cell in a row would stall on store forwarding. Tables are padded, because equal cells at multiples
    of 4096 bytes would alias.
    """
    tables = np.zeros((4, 65536 + 80), np.uint32)
    p_words, r_words = _as_words(prediction), _as_words(reference)
    low, byte, last = np.uint64(0xFF), np.uint64(8), np.uint64(56)
    mixed, count = np.empty(len(p_words) + 1, np.uint32), np.uint64(0)
    for i in range(np.uint64(len(p_words))):
        p, r = p_words[i], r_words[i]
        equal = np.uint64(((p ^ (p >> byte | p << last)) | (r ^ (r >> byte | r << last))) == np.uint64(0))
        tables[0, (r & low) << byte | (p & low)] += np.uint32(equal << np.uint64(3))
        mixed[count] = i
        count += np.uint64(1) - equal
    for i in range(count):
        p, r = p_words[np.uint64(mixed[i])], r_words[np.uint64(mixed[i])]
        for k in range(8):
            tables[k & 3, (r & low) << byte | (p & low)] += np.uint32(1)
            p >>= byte
            r >>= byte
    for i in range(8 * len(p_words), prediction.size):
        tables[0, np.uint64(reference[i]) << byte | np.uint64(prediction[i])] += np.uint32(1)
    counts = np.zeros((256, 256), np.int64)
    for row in range(256):
        for column in range(256):
            cell = row * 256 + column
            counts[row, column] = np.int64(tables[0, cell]) + tables[1, cell] + tables[2, cell] + tables[3, cell]
    return counts


@compiled
def move_counts(
    one: npt.NDArray[np.uint8],
    other: npt.NDArray[np.uint8],
    reference: npt.NDArray[np.uint8],
    counts: npt.NDArray[np.int64],
) -> None:
    """Turn the joint histogram of one prediction into that of another, by the pixels where they differ.

    These are listed first, words and then pixels, because branches on them would be mispredicted.
    """
    words, count = _differing(_as_words(one), _as_words(other)), np.uint64(0)
    places = np.empty(8 * len(words) + 1, np.uint32)
    for i in range(len(words)):
        for k in range(8):
            place = np.uint64(8) * np.uint64(words[i]) + np.uint64(k)
            places[count] = place
            count += np.uint64(one[place] != other[place])
    for i in range(count):
        _move_count(one, other, reference, np.uint64(places[i]), counts)
    for last in range(one.size // 8 * 8, one.size):
        _move_count(one, other, reference, np.uint64(last), counts)


@compiled
def _as_words(labels: Any) -> Any:
    """The labels as words of eight, without those of the last, incomplete word."""
    return labels[: labels.size // 8 * 8].view(np.uint64)


@compiled
def _differing(one: Any, other: Any) -> Any:
    """Indices of the words that differ."""
    words, count = np.empty(len(one) + 1, np.uint32), np.uint64(0)
    for i in range(np.uint64(len(one))):
        words[count] = i
        count += np.uint64(one[i] != other[i])
    return words[:count]


@compiled
def _move_count(one: Any, other: Any, reference: Any, place: Any, counts: Any) -> None:
    """Count a pixel for the other prediction."""
    row = np.uint64(reference[place])
    counts[row, np.uint64(one[place])] -= 1
    counts[row, np.uint64(other[place])] += 1
