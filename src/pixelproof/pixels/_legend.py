"""Parsing of a legend in a model's text: the colours that it declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from ._colours import Colour
from ._palette import Palette

_NUMBER = r"\s*(\d{1,3})\s*"
_COLOUR = re.compile(
    rf"#([0-9a-f]{{6}})\b|[\[(]{_NUMBER},{_NUMBER},{_NUMBER}[\])]|\|{_NUMBER}\|{_NUMBER}\|{_NUMBER}\|", re.IGNORECASE
)
_FARTHEST = 48
"""Largest distance, in characters, between a label and its colour."""


def declared_palette(text: str, labels: Sequence[str]) -> Palette | None:
    """The palette of the labels that a text gives a colour to, in their own order; None if it gives none.

    Colours may be `#rrggbb`, `[r, g, b]` or `(r, g, b)`; they may stand behind or before their labels, in lines, JSON
    or tables, where each number may have a column of its own. The last word on a label counts; of two labels with one
    colour, the first keeps it.

    >>> declared_palette("I used **Sky**: [90, 160, 255] and Sea = #000078.", ["sea", "sky", "sun"])
    Palette(labels=('sea', 'sky'), colours=((0, 0, 120), (90, 160, 255)))
    >>> declared_palette("Here is your mask.", ["sky"]) is None
    True
    """
    colours = [(match.start(), match.end(), colour) for match in _COLOUR.finditer(text) if (colour := _read(match))]
    names = _mentions(text, labels)
    behind = _paired([(end, label) for _, end, label in names], [(start, colour) for start, _, colour in colours])
    before = _paired([(end, colour) for _, end, colour in colours], [(start, label) for start, _, label in names])
    found = dict(behind)
    if len(before) > len(behind):
        found = {label: colour for colour, label in before}
    chosen: dict[str, Colour] = {}
    for label in labels:
        if label in found and found[label] not in chosen.values():
            chosen[label] = found[label]
    return Palette(tuple(chosen), tuple(chosen.values())) if chosen else None


def _read(match: re.Match[str]) -> Colour | None:
    if match[1]:
        value = int(match[1], 16)
        return value >> 16, value >> 8 & 255, value & 255
    red, green, blue = (int(number) for number in match.groups() if number is not None)
    return (red, green, blue) if max(red, green, blue) <= 255 else None


def _mentions(text: str, labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Occurrences of labels as (start, end, label). Spaces, hyphens and underscores are equal; longer labels first."""
    known = {_plain(label): label for label in labels}
    words = sorted(known, key=len, reverse=True)
    pattern = "|".join(re.escape(word).replace(r"\ ", r"[\s_-]+") for word in words)
    if not pattern:
        return []
    every = re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    return [(match.start(), match.end(), known[_plain(match[0])]) for match in every]


def _plain(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", label).casefold()


A = TypeVar("A")
B = TypeVar("B")


def _paired(first: list[tuple[int, A]], second: list[tuple[int, B]]) -> list[tuple[A, B]]:
    """Pair each of the second spans with the last of the first spans before it, if that is near and not paired yet."""
    pairs: list[tuple[A, B]] = []
    place, last = 0, None
    for start, value in second:
        while place < len(first) and first[place][0] <= start:
            last = first[place]
            place += 1
        if last is not None and start - last[0] <= _FARTHEST:
            pairs.append((last[1], value))
        last = None
    return pairs
