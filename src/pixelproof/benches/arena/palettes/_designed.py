"""Designed palettes by size, from a table made by `python -m pixelproof.benches.arena.palettes`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette

from ._design import Colours

TABLE = "designed.json"


def designed(n: int) -> Colours:
    """Colours of a designed palette: far apart, with blends that are rarely decoded as a third.

    The first is meant for the background, or whatever label nearly every picture has: mixtures land on it most often.

    >>> len(designed(12)), designed(12) == designed(12)
    (12, True)
    """
    table = _table()
    size = min((size for size in table if size >= n), default=0)
    if n < 1 or not size:
        raise PixelProofError(f"Palettes are designed for 1 to {max(table)} labels, not for {n}: offer fewer labels.")
    return table[size][:n]


def design(labels: Sequence[str]) -> Palette:
    """The designed palette for labels; the background should come first.

    >>> design(["background", "cat"]).labels
    ('background', 'cat')
    """
    return Palette(tuple(labels), designed(len(labels)))


@cache
def _table() -> dict[int, Colours]:
    content = json.loads(resources.files(__package__).joinpath(TABLE).read_text("ascii"))
    return {int(size): tuple(_colour(word) for word in words.split()) for size, words in content.items()}


def _colour(word: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(word)
    return red, green, blue
