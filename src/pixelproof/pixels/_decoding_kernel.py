"""Compiled loops of colour decoding; imported only where numba is installed.

Bytes lie in words lowest first, as on every machine that numba compiles for. Indices are unsigned, for otherwise each
would be tested for counting from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._compiled import compiled

_SEVERAL, _SEVERAL_OF_MANY = 255, 65535
_CHUNK = 512
"""Groups of eight pixels per block, so that data stays in the cache."""


@compiled
def _cell(pixel: Any) -> Any:
    """Cell number of a colour at 64³, `green << 14 | red << 6 | blue`; bits above the lowest 24 are ignored."""
    # The product has red and green where its first factor moves them, 48 bits up, and blue where the second does.
    return (pixel & np.uint64(0xFCFCFC)) * np.uint64(1 << 48 | 1 << 26) >> np.uint64(44)


@compiled
def _look_up(words: Any, winner: Any, labels: Any) -> None:
    """Write the only candidate of each pixel's cell; three words are eight pixels."""
    for i in range(len(words) // 3):
        a, b, c = words[3 * i], words[3 * i + 1], words[3 * i + 2]
        labels[8 * i] = winner[_cell(a)]
        labels[8 * i + 1] = winner[_cell(a >> np.uint64(24))]
        labels[8 * i + 2] = winner[_cell(a >> np.uint64(48) | b << np.uint64(16))]
        labels[8 * i + 3] = winner[_cell(b >> np.uint64(8))]
        labels[8 * i + 4] = winner[_cell(b >> np.uint64(32))]
        labels[8 * i + 5] = winner[_cell(b >> np.uint64(56) | c << np.uint64(8))]
        labels[8 * i + 6] = winner[_cell(c >> np.uint64(16))]
        labels[8 * i + 7] = winner[_cell(c >> np.uint64(40))]


@compiled
def _rank(candidate: Any, red: Any, green: Any, blue: Any) -> Any:
    """Squared distance of a colour to a candidate in the high bits; its index, which decides ties, in the low bits."""
    r = red - np.int32(candidate & np.uint32(255))
    g = green - np.int32(candidate >> np.uint32(8) & np.uint32(255))
    b = blue - np.int32(candidate >> np.uint32(16) & np.uint32(255))
    return np.uint32(r * r + g * g + b * b) << np.uint32(8) | candidate >> np.uint32(24)


@compiled
def _nearest_of_list(pixels: Any, i: Any, start: Any, candidates: Any) -> Any:
    """Compare the candidates of a pixel's cell, three at once: few lists are longer, and reading beyond is harmless."""
    at = np.uint64(3) * i
    red, green, blue = np.int32(pixels[at]), np.int32(pixels[at + np.uint64(1)]), np.int32(pixels[at + np.uint64(2)])
    cell = np.uint64((green >> 3) << 10 | (red >> 3) << 5 | blue >> 3)
    first, end = np.uint64(start[cell]), np.uint64(start[cell + np.uint64(1)])
    one = _rank(candidates[first], red, green, blue)
    two = _rank(candidates[first + np.uint64(1)], red, green, blue)
    least = min(min(one, two), _rank(candidates[first + np.uint64(2)], red, green, blue))
    for place in range(first + np.uint64(3), end):
        least = min(least, _rank(candidates[place], red, green, blue))
    return np.uint8(least)


@compiled
def _open_places(labels: Any, words: Any, groups: Any, places: Any) -> Any:
    """Write the indices of pixels with several candidates, and return their number; branch-free."""
    ones, tops = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    found, count = np.uint64(0), np.uint64(0)
    for group in range(len(words)):
        groups[found] = group
        zeros = ~words[group]  # a byte is zero where a label is SEVERAL
        found += np.uint64(((zeros - ones) & ~zeros & tops) != np.uint64(0))
    for i in range(found):
        for k in range(8):
            place = np.uint64(8) * np.uint64(groups[i]) + np.uint64(k)
            places[count] = place
            count += np.uint64(labels[place] == _SEVERAL)
    return count


@compiled
def nearest(
    pixels: npt.NDArray[np.uint8],
    winner: npt.NDArray[np.uint8],
    start: npt.NDArray[np.uint32],
    candidates: npt.NDArray[np.uint32],
    labels: npt.NDArray[np.uint8],
) -> None:
    """Write the index of the nearest palette colour of each pixel; ties go to the lowest index.

    Some thousand pixels at a time are looked up first; those that have several candidates are collected then, and
    compared in a loop of their own.
    """
    total = len(labels) // 8
    words, label_words = pixels[: 24 * total].view(np.uint64), labels[: 8 * total].view(np.uint64)
    groups, places = np.empty(_CHUNK + 1, np.uint32), np.empty(8 * _CHUNK + 1, np.uint32)
    for begin in range(0, total, _CHUNK):
        end = min(begin + _CHUNK, total)
        here = labels[8 * begin : 8 * end]
        _look_up(words[3 * begin : 3 * end], winner, here)
        count = _open_places(here, label_words[begin:end], groups, places)
        colours = pixels[24 * begin : 24 * end]
        for k in range(count):
            place = np.uint64(places[k])
            here[place] = _nearest_of_list(colours, place, start, candidates)
    for i in range(8 * total, len(labels)):
        labels[i] = _nearest_of_list(pixels, np.uint64(i), start, candidates)


@compiled
def nearest_of_many(
    pixels: npt.NDArray[np.uint8],
    winner: npt.NDArray[np.uint16],
    start: npt.NDArray[np.uint32],
    candidates: npt.NDArray[np.uint64],
    labels: npt.NDArray[np.uint16],
) -> None:
    """As `nearest`, for palettes of more than 255 colours."""
    for i in range(len(labels)):
        red, green, blue = np.int64(pixels[3 * i]), np.int64(pixels[3 * i + 1]), np.int64(pixels[3 * i + 2])
        label = winner[green >> 2 << 14 | red >> 2 << 6 | blue >> 2]
        if label == _SEVERAL_OF_MANY:
            cell, least = green >> 3 << 10 | red >> 3 << 5 | blue >> 3, np.int64(1) << 40
            for place in range(start[cell], start[cell + 1]):
                candidate = np.int64(candidates[place])
                r, g, b = red - (candidate & 255), green - (candidate >> 8 & 255), blue - (candidate >> 16 & 255)
                least = min(least, (r * r + g * g + b * b) << 16 | candidate >> 24)
            label = np.uint16(least & 0xFFFF)
        labels[i] = label


@compiled
def squared_distances(
    pixels: npt.NDArray[np.uint8],
    palette: npt.NDArray[np.int32],
    labels: npt.NDArray[Any],
    distances: npt.NDArray[np.float32],
) -> None:
    """Write the squared distance of each pixel to the colour of its label: integers below 2²⁴, hence exact."""
    for i in range(len(labels)):
        r = np.int32(pixels[3 * i]) - palette[labels[i], 0]
        g = np.int32(pixels[3 * i + 1]) - palette[labels[i], 1]
        b = np.int32(pixels[3 * i + 2]) - palette[labels[i], 2]
        distances[i] = np.float32(r * r + g * g + b * b)


@compiled
def any_beyond(
    pixels: npt.NDArray[np.uint8], palette: npt.NDArray[np.int32], labels: npt.NDArray[Any], square: int
) -> bool:
    """Whether any pixel's squared distance from the colour of its label exceeds the limit; usually decided early."""
    for i in range(len(labels)):
        r = np.int32(pixels[3 * i]) - palette[labels[i], 0]
        g = np.int32(pixels[3 * i + 1]) - palette[labels[i], 1]
        b = np.int32(pixels[3 * i + 2]) - palette[labels[i], 2]
        if r * r + g * g + b * b > square:
            return True
    return False
