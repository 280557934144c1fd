"""Things to count: dots and squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, equal, pieces
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import contrasting, place, round_mask, whole
from pixelproof.benches.pixelart.subjects.exact._wording import DISC

_COLOURS = ("red", "yellow", "green", "blue", "white", "black")


class DotsInARow(ExactKind):
    """N dots, evenly spaced."""

    id, family, grade, colours = "dots-in-a-row", "counts", 1, 2
    conditions = ("equal dots in line", "the right number", "the direction of the line", "evenly spaced")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"dots": whole(rng, 3, 7), "line": pick(rng, ("horizontal", "vertical"))}

    def rule(self, p: Params) -> str:
        across = "rows" if p["line"] == "horizontal" else "columns"
        return (
            f"{p['dots']} separate dots in one colour on a plain ground, in one {p['line']} line. The dots are exactly "
            "alike, either filled squares or discs (a single cell will do), all in exactly the "
            f"same {across}, with exactly the same gap of at least one cell between neighbours. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        count = p["dots"]
        dot = whole(rng, 1 + (size >= 3 * count), max(1 + (size >= 3 * count), (size - count + 1) // count - 1))
        gap = whole(rng, 1, (size - count * dot) // (count - 1))
        line = np.zeros((dot, count * dot + (count - 1) * gap), dtype=np.int64)
        shape = round_mask(dot) if whole(rng, 0, 1) else np.ones((dot, dot), dtype=np.bool_)
        for number in range(count):
            start = number * (dot + gap)
            line[:, start : start + dot] = shape
        return compact(contrasting(rng), place(rng, size, line if p["line"] == "horizontal" else line.T))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        dots = pieces(look.figure)
        alike = all(np.array_equal(dot.mask, dots[0].mask) for dot in dots)
        if len(dots) < 2 or not alike or not (dots[0].is_square or dots[0].is_disc):
            return ()
        level, upright = equal([dot.top for dot in dots]), equal([dot.left for dot in dots])
        along = sorted(dot.top if upright else dot.left for dot in dots)
        right_way = level if p["line"] == "horizontal" else upright
        return level or upright, len(dots) == p["dots"], right_way, equal(np.diff(along).tolist())


def _scatter(rng: Rng, size: int, kinds: list[int]) -> Grid:
    """Squares that do not touch: one per field of a board, somewhere in it."""
    fields = 3 if len(kinds) <= 9 else 4
    field = size // fields
    grid = np.zeros((size, size), dtype=np.int64)
    for number, kind in zip(several(rng, range(fields * fields), len(kinds)), kinds, strict=True):
        side = whole(rng, 2, max(2, field - 2))
        top, left = (place * field + whole(rng, 0, field - 1 - side) for place in divmod(number, fields))
        grid[top : top + side, left : left + side] = kind
    shift = whole(rng, 0, size - fields * field), whole(rng, 0, size - fields * field)
    return np.roll(grid, shift, axis=(0, 1))


class CountSquares(ExactKind):
    """N squares."""

    id, family, grade, colours = "count-squares", "counts", 1, 2
    conditions = ("nothing but separate squares", "the right number", "colour of the squares", "colour of the ground")

    def choose(self, rng: Rng) -> dict[str, Any]:
        squares, ground = several(rng, _COLOURS, 2)
        return {"count": whole(rng, 3, 9), "squares": squares, "ground": ground}

    def rule(self, p: Params) -> str:
        return (
            f"Exactly {p['count']} filled {p['squares']} squares of any sizes, but at least 2 by 2 cells, none "
            f"touching another even at a corner, on a plain {p['ground']} ground"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        return compact([swatch(rng, p[n]) for n in ("ground", "squares")], _scatter(rng, size, [1] * p["count"]))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        found = pieces(look.figure)
        if len(found) < min(2, p["count"]) or not all(piece.is_square and piece.height >= 2 for piece in found):
            return ()
        ink = int(look.cells[look.ink][0])
        return True, len(found) == p["count"], look.called(ink, p["squares"]), look.called(look.ground, p["ground"])


class CountColours(ExactKind):
    """Given numbers of squares in two colours."""

    id, family, grade, colours = "count-colours", "counts", 3, 3
    conditions = (
        "nothing but separate squares",
        "how many of the first",
        "how many of the second",
        "no others",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        first, second, ground = several(rng, _COLOURS, 3)
        return {"counts": [whole(rng, 2, 7), whole(rng, 2, 7)], "colours": [first, second], "ground": ground}

    def rule(self, p: Params) -> str:
        (one, other), (first, second) = p["counts"], p["colours"]
        return (
            f"Exactly {one} {first} and {other} {second} filled squares of any sizes, but at least 2 by 2 cells, none "
            f"touching another even at a corner, on a plain {p['ground']} ground"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        kinds = [1] * p["counts"][0] + [2] * p["counts"][1]
        return compact([swatch(rng, name) for name in (p["ground"], *p["colours"])], _scatter(rng, size, kinds))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        found = [] if base is None else pieces(base.ink)
        if look.colours > 4 or len(found) < 2 or not all(piece.is_square and piece.height >= 2 for piece in found):
            return ()
        shades = [np.unique(look.cells[piece.box]).tolist() for piece in found]
        if any(len(shade) > 1 for shade in shades):
            return ()
        counts = [sum(look.called(shade[0], name) for shade in shades) for name in p["colours"]]
        right = [count == wanted for count, wanted in zip(counts, p["counts"], strict=True)]
        return True, *right, sum(counts) == len(found)
