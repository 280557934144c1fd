"""Digits and letters of straight strokes, known by their layout: any size, place, proportion and thickness."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, collapse, cropped, even, pieces
from pixelproof.benches.pixelart.subjects._paint import bands, contrasting, place, stretched, whole

_DIGITS = {
    "0": ("### #.# ###",),
    "1": ("#",),
    "2": ("### ..# ### #.. ###",),
    "3": ("## .# ## .# ##",),
    "4": ("#.# ### ..#",),
    "5": ("### #.. ### ..# ###",),
    "6": ("### #.. ### #.# ###", "#.. ### #.# ###"),
    "7": ("## .#", "### #.# ..#"),
    "8": ("### #.# ### #.# ###",),
    "9": ("### #.# ### ..# ###", "### #.# ### ..#"),
}
_LETTERS = {
    "A": ("### #.# ### #.#",),
    "C": ("## #. ##",),
    "E": ("## #. ## #. ##",),
    "F": ("## #. ## #.",),
    "H": ("#.# ### #.#",),
    "J": ("..# #.# ###", ".# ##"),
    "L": ("#. ##",),
    "P": ("### #.# ### #..",),
    "T": ("### .#.",),
    "U": ("#.# ###",),
}
"""Layouts, row by row, that count as the glyph; the first is the one we draw."""


def _pattern(layout: str) -> Grid:
    return np.array([[mark == "#" for mark in row] for row in layout.split()], dtype=np.int64)


def _read(mask: Mask, glyphs: dict[str, tuple[str, ...]]) -> str:
    """The glyph that a figure is; empty for none."""
    figure = cropped(mask)
    layout = collapse(figure)
    if not figure.size or figure.shape[0] <= figure.shape[1] or figure.shape[0] < 5:
        return ""
    if layout.shape == (1, 1) and figure.shape[0] < 3 * figure.shape[1]:  # a block, not a stroke
        return ""
    return next((name for name, ways in glyphs.items() if any(layout.shows(_pattern(way)) for way in ways)), "")


def _strokes(rng: Rng, layouts: list[str], size: int) -> list[Grid]:
    """Glyphs of one height and one thickness, narrow enough to stand side by side."""
    room = (size - len(layouts) + 1) // len(layouts)
    stroke = whole(rng, 1, max(1, room // 6))
    height = whole(rng, max(5 * stroke, size // 2), size)
    return [_stroked(rng, _pattern(layout), height, stroke, min(room, height * 4 // 5)) for layout in layouts]


def _stroked(rng: Rng, pattern: Grid, height: int, stroke: int, room: int) -> Grid:
    """A pattern with its sizes: full rows are level strokes, the others the stretches between them."""
    if pattern.size == 1:
        return np.ones((height, stroke), dtype=np.int64)
    level = pattern.all(axis=1)
    lengths = np.bincount(bands(height - stroke * int(level.sum()), int((~level).sum())))
    rows = np.full(len(pattern), stroke)
    rows[~level] = lengths
    width = whole(rng, 2 * stroke + 1, max(2 * stroke + 1, room))
    if pattern.shape[1] == 2:
        upright = pattern.all(axis=0)
        columns = np.where(upright, stroke, width - stroke)
    elif pattern[:, 1].all():  # an upright in the middle
        columns = np.array([(width - stroke) // 2, stroke, (width - stroke) // 2])
    else:
        columns = np.array([stroke, width - 2 * stroke, stroke])
    return stretched(pattern, rows.tolist(), columns.tolist())


_STROKES = (
    "nothing but straight level and upright strokes with square corners, joined without gaps, clearly taller than wide"
)


class Glyph(ExactKind):
    """A digit or a letter."""

    family = "glyphs"
    conditions = ("a figure of straight strokes that can be read", "the right one")

    def __init__(self, id: str, grade: int, name: str, glyphs: dict[str, tuple[str, ...]]) -> None:
        self.id, self.grade, self.name, self.glyphs = id, grade, name, glyphs

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"glyph": pick(rng, tuple(self.glyphs))}

    def text(self, p: Params) -> str:
        return f"The {self.name} {p['glyph']} in one colour on a plain ground: {_STROKES}"

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        (figure,) = _strokes(rng, [self.glyphs[p["glyph"]][0]], size)
        return compact(contrasting(rng), place(rng, size, figure))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        seen = _read(look.figure, self.glyphs)
        return bool(seen), seen == p["glyph"]


class GlyphPair(ExactKind):
    """Two glyphs side by side."""

    family, grade = "glyphs", 3
    conditions = ("two figures side by side, one of them right", "the first", "the second", "equally tall")

    def __init__(self, id: str, name: str, glyphs: dict[str, tuple[str, ...]]) -> None:
        self.id, self.name, self.glyphs = id, name, glyphs

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"glyphs": "".join(several(rng, tuple(self.glyphs), 2))}

    def text(self, p: Params) -> str:
        return (
            f"The {self.name} {p['glyphs']} in one colour on a plain ground: two figures of equal height, side by side "
            f"with a gap between them, each of {_STROKES}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        first, second = _strokes(rng, [self.glyphs[glyph][0] for glyph in p["glyphs"]], size)
        gap = whole(rng, 1, size - first.shape[1] - second.shape[1])
        between = np.zeros((first.shape[0], gap), dtype=np.int64)
        return compact(contrasting(rng), place(rng, size, np.concatenate([first, between, second], axis=1)))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        figures = sorted(pieces(look.figure), key=lambda piece: piece.left)
        if len(figures) != 2 or figures[0].left + figures[0].width >= figures[1].left:
            return ()
        seen = [_read(figure.mask, self.glyphs) for figure in figures]
        right = [one == wanted for one, wanted in zip(seen, p["glyphs"], strict=True)]
        level = even([figure.height for figure in figures]) and even([figure.top for figure in figures])
        return all(seen) and any(right), *right, level


DIGIT = Glyph("digit", 1, "digit of a seven-segment display", _DIGITS)
LETTER = Glyph("letter", 2, "capital letter", _LETTERS)
NUMBER = GlyphPair("number", "number of a seven-segment display", _DIGITS)
LETTER_PAIR = GlyphPair("letter-pair", "two capital letters", _LETTERS)
