"""Sentences that several subjects share."""

from __future__ import annotations

from collections.abc import Sequence

DISC = (
    "A disc that is d cells wide and high holds every cell whose centre is as near to the centre of the disc as the "
    "nearest cell of its leftmost column, or nearer, and none that is more than d / 2 cells away, and it is its own "
    "mirror image left to right, top to bottom and along both diagonals"
)
"""The definition that `Piece.is_disc` checks."""

STROKES = (
    "nothing but straight level and upright strokes with square corners, joined without gaps, all level strokes "
    "equally thick and all upright strokes equally thick, with ground between parallel strokes that face each other. "
    "It is at least 5 cells high, and higher than wide"
)
"""The style of digits and letters."""

_PLACES = {
    2: "two opposite corners",
    3: "two opposite corners and the centre",
    4: "the four corners",
    5: "the four corners and the centre",
    6: "the four corners and the middles of two opposite sides",
}


def lying(pips: int) -> str:
    """The pips of a face of a die, and where they lie."""
    if pips == 1:
        return "one black pip, exactly in the centre of the square"
    return (
        f"{pips} black pips, whose centres are {_PLACES[pips]} of an invisible square that is centred exactly on the "
        "white one"
    )


def pip_shape(single: bool, edges: str) -> str:
    """The shape of the pips of a die."""
    if single:
        return f"The pip is a filled square or a disc, and it does not touch {edges}"
    return (
        "The pips are exactly alike, either filled squares or discs, and they touch neither each other, even at a "
        f"corner, nor {edges}"
    )


def may_differ(parts: int, what: str) -> str:
    """The allowance for parts that share out a picture's side."""
    return f"only where {parts} does not divide the side of the picture may {what} differ by one cell"


def cells(number: int) -> str:
    """A number of cells.

    >>> cells(1), cells(2)
    ('1 cell', '2 cells')
    """
    return f"{number} cell{'' if number == 1 else 's'}"


def listed(words: Sequence[object]) -> str:
    """Words with commas and a final "and".

    >>> listed(["red", "white", "blue"])
    'red, white and blue'
    """
    *first, last = map(str, words)
    return f"{', '.join(first)} and {last}" if first else last
