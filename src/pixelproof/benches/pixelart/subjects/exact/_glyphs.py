"""Digits and letters made of straight strokes, known by their layout: any size, any proportions, any thickness."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, collapse, cropped, equal, pieces
from pixelproof.benches.pixelart.subjects._paint import bands, contrasting, place, stretched, whole
from pixelproof.benches.pixelart.subjects.exact._wording import STROKES

_DIGITS = {
    "0": ("### #.# ###",),
    "1": ("#",),
    "2": ("### ..# ### #.. ###", "## .# ## #. ##"),
    "3": ("## .# ## .# ##",),
    "4": ("#.# ### ..#",),
    "5": ("### #.. ### ..# ###", "## #. ## .# ##"),
    "6": ("### #.. ### #.# ###", "#.. ### #.# ###"),
    "7": ("## .#", "### #.# ..#"),
    "8": ("### #.# ### #.# ###",),
    "9": ("### #.# ### ..# ###", "### #.# ### ..#"),
}


def _hooks() -> tuple[str, ...]:
    """Layouts of the letter J: with or without a stroke that rises from its hook, and a bar at its top."""
    layouts = ["..# #.# ###", ".# ##"]
    for hook, rise, left, right in product((1, 2, 3), (0, 3), (0, 1, 2, 3, 4), (0, 1)):
        if (rise and hook == 1) or (right and not left):
            continue
        mask = np.zeros((7, 6), dtype=np.int64)
        mask[:, 4] = mask[6, 4 - hook : 4] = mask[6 - rise :, 4 - hook] = mask[0, 4 - left : 5 + right] = 1
        layouts.append(_written(collapse(cropped(mask == 1)).cells))
    return tuple(dict.fromkeys(layouts))


def _written(cells: Grid) -> str:
    return " ".join("".join(".#"[int(cell)] for cell in row) for row in cells)


_LETTERS = {
    "A": ("### #.# ### #.#",),
    "C": ("## #. ##",),
    "E": ("## #. ## #. ##", "### #.. ##. #.. ###"),
    "F": ("## #. ## #.", "### #.. ##. #.."),
    "H": ("#.# ### #.#",),
    "J": _hooks(),
    "L": ("#. ##",),
    "P": ("### #.# ### #..",),
    "T": ("### .#.",),
    "U": ("#.# ###",),
}

_SPAN = "Level strokes span the full width of the figure, and upright ones may be of any length"
_DIGIT_NOTES = dict.fromkeys("023458", _SPAN) | {
    "1": "The 1 is a single upright stroke, at least three times as high as wide",
    "6": f"{_SPAN}. The 6 may have a level stroke at its top or not",
    "7": "The 7 is a level stroke at the top and an upright stroke down from its right end; it may also have a shorter "
    "upright stroke down from its left end",
    "9": f"{_SPAN}. The 9 may have a level stroke at its bottom or not",
}
_LETTER_NOTES = {
    "A": "The A is two upright strokes of full height, joined by a level stroke at the top and a second one farther "
    "down, but not at the bottom",
    "C": "The C is an upright stroke of full height with two level strokes to its right, equally long, at the top and "
    "at the bottom",
    "E": "The E is an upright stroke of full height with three level strokes to its right: two equally long ones, at "
    "the top and at the bottom, and one between them that is not longer",
    "F": "The F is an upright stroke of full height with two level strokes to its right: one at the top, and one "
    "farther down, but not at the bottom, that is not longer",
    "H": "The H is two upright strokes of full height, joined by one level stroke, neither at the top nor at the "
    "bottom",
    "J": "The J is an upright stroke of full height with a level stroke to its left at the bottom. From the left end "
    "of that a shorter upright stroke may rise, and the J may have a level stroke at its top, to the left of the long "
    "upright stroke or to both sides",
    "L": "The L is an upright stroke of full height with a level stroke to its right at the bottom",
    "P": "The P is an upright stroke of full height with a closed rectangle of strokes to its right, from the top to "
    "farther down, but not to the bottom",
    "T": "The T is a level stroke at the top with an upright stroke down from exactly its middle",
    "U": "The U is two upright strokes of full height, joined by one level stroke at the bottom",
}


@dataclass(frozen=True)
class Alphabet:
    """Glyphs and their layouts, row by row; the first layout of each is the one that is drawn."""

    layouts: dict[str, tuple[str, ...]]
    notes: dict[str, str]
    """What else the text says about a glyph."""

    def read(self, mask: Mask) -> str:
        """The glyph that a figure is; empty for none, and for figures that are not taller than wide."""
        figure = cropped(mask)
        written = _written(collapse(figure).cells)
        upright = figure.shape[0] > figure.shape[1]
        return next((name for name, ways in self.layouts.items() if upright and written in ways), "")

    def even_strokes(self, mask: Mask) -> bool:
        """Whether all level strokes of a glyph are equally thick, all upright ones are, and it is large enough."""
        layout = collapse(cropped(mask))
        level, upright = _strokes(layout.cells.T, layout.heights), _strokes(layout.cells, layout.widths)
        height, width = sum(layout.heights), sum(layout.widths)
        single = layout.shape == (1, 1)
        centred = _written(layout.cells) not in self.layouts.get("T", ()) or layout.widths[0] == layout.widths[2]
        return height >= 5 and equal(level) and equal(upright) and centred and (not single or height >= 3 * width)


def _strokes(cells: Grid, widths: tuple[int, ...]) -> list[int]:
    """Widths of the columns of a layout that are upright strokes: those with ink in neighbouring rows."""
    inked = (cells[1:] & cells[:-1]).sum(axis=0)
    return [width for width, rows in zip(widths, inked, strict=True) if rows]


def _pattern(layout: str) -> Grid:
    return np.array([[mark == "#" for mark in row] for row in layout.split()], dtype=np.int64)


def _paint_strokes(rng: Rng, layouts: list[str], size: int) -> list[Grid]:
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


class Glyph(ExactKind):
    """A digit or a letter."""

    family = "glyphs"
    colours = 2
    conditions = ("a figure of straight strokes that can be read", "the right one", "even strokes")

    def __init__(self, id: str, grade: int, name: str, alphabet: Alphabet) -> None:
        self.id, self.grade, self.name, self.alphabet = id, grade, name, alphabet

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"glyph": pick(rng, tuple(self.alphabet.layouts))}

    def rule(self, p: Params) -> str:
        note = self.alphabet.notes[p["glyph"]]
        return f"The {self.name.format(p['glyph'])}, in one colour on a plain ground: {STROKES}. {note}"

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        (figure,) = _paint_strokes(rng, [self.alphabet.layouts[p["glyph"]][0]], size)
        return compact(contrasting(rng), place(rng, size, figure))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        seen = self.alphabet.read(look.figure)
        return bool(seen), seen == p["glyph"], bool(seen) and self.alphabet.even_strokes(look.figure)


class GlyphPair(ExactKind):
    """Two glyphs side by side."""

    family, grade, colours = "glyphs", 3, 2
    conditions = (
        "two figures side by side, one of them right",
        "the first",
        "the second",
        "equally tall",
        "even strokes",
    )

    def __init__(self, id: str, name: str, alphabet: Alphabet) -> None:
        self.id, self.name, self.alphabet = id, name, alphabet

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"glyphs": "".join(several(rng, tuple(self.alphabet.layouts), 2))}

    def rule(self, p: Params) -> str:
        notes = dict.fromkeys(part for glyph in p["glyphs"] for part in self.alphabet.notes[glyph].split(". "))
        return (
            f"The {self.name.format(p['glyphs'])}, in one colour on a plain ground: two figures, exactly equally high "
            "and in the same rows, side by side with a gap of at least one column between them. Each is "
            f"{STROKES}. {'. '.join(notes)}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        first, second = _paint_strokes(rng, [self.alphabet.layouts[glyph][0] for glyph in p["glyphs"]], size)
        gap = whole(rng, 1, size - first.shape[1] - second.shape[1])
        between = np.zeros((first.shape[0], gap), dtype=np.int64)
        return compact(contrasting(rng), place(rng, size, np.concatenate([first, between, second], axis=1)))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        figures = sorted(pieces(look.figure), key=lambda piece: piece.left)
        if len(figures) != 2 or figures[0].left + figures[0].width >= figures[1].left:
            return ()
        seen = [self.alphabet.read(figure.mask) for figure in figures]
        right = [one == wanted for one, wanted in zip(seen, p["glyphs"], strict=True)]
        level = equal([figure.height for figure in figures]) and equal([figure.top for figure in figures])
        strokes = all(seen) and all(self.alphabet.even_strokes(figure.mask) for figure in figures)
        return all(seen) and any(right), *right, level, strokes


_OF_DIGITS, _OF_LETTERS = Alphabet(_DIGITS, _DIGIT_NOTES), Alphabet(_LETTERS, _LETTER_NOTES)
_SHOWN = "{} as a seven-segment display shows it"
DIGIT = Glyph("digit", 1, f"digit {_SHOWN}", _OF_DIGITS)
LETTER = Glyph("letter", 2, "capital letter {}", _OF_LETTERS)
NUMBER = GlyphPair("number", f"number {_SHOWN}", _OF_DIGITS)
LETTER_PAIR = GlyphPair("letter-pair", "two capital letters {}", _OF_LETTERS)
