"""Things to count: dots and squares, pips on dice and dominoes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, pick, several, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, Piece, box_of, equal, pieces
from pixelproof.benches.pixelart.subjects._paint import contrasting, place, round_mask, whole
from pixelproof.benches.pixelart.subjects.exact._wording import DISC, lying, pip_shape

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


_PIPS = {
    1: ("....x....",),
    2: ("x.......x", "..x...x.."),
    3: ("x...x...x", "..x.x.x.."),
    4: ("x.x...x.x",),
    5: ("x.x.x.x.x",),
    6: ("x.xx.xx.x", "xxx...xxx"),
}
"""Where the pips are, row by row, and how they are with the die turned."""


def _pip(rng: Rng, side: int) -> Mask:
    """A pip that can lie in the centre of a face, and beside the edge without touching one there."""
    widths = [width for width in range(1, max(2, side // 5) + 1) if (side - width) % 2 == 0]
    width = pick(rng, [width for width in widths if (side - width) // 2 >= width + 2])
    return round_mask(width) if whole(rng, 0, 1) else np.ones((width, width), dtype=np.bool_)


def _face(rng: Rng, pips: int, side: int, pip: Mask) -> Mask:
    """The pips of a square field."""
    width = len(pip)
    middle = (side - width) // 2
    margin = whole(rng, 1, middle - width - 1)
    places = [margin, middle, side - width - margin]
    face = np.zeros((side, side), dtype=np.bool_)
    for number, mark in enumerate(pick(rng, _PIPS[pips])):
        if mark == "x":
            top, left = (places[n] for n in divmod(number, 3))
            face[top : top + width, left : left + width] |= pip
    return face


def _thirds(pips: list[Piece], height: int, width: int) -> str:
    """Which thirds of a face hold pips; a third with two pips spoils it."""
    marks = ["."] * 9
    for pip in pips:
        row, column = pip.centre
        number = 3 * min(int(3 * (row + 0.5) / height), 2) + min(int(3 * (column + 0.5) / width), 2)
        marks[number] = "x" if marks[number] == "." else "?"
    return "".join(marks)


def _places(pips: list[Piece], side: int) -> str:
    """Which of the nine places of a square that is centred on a face hold pips; empty where one lies elsewhere."""
    if not pips:
        return ""
    end = side - pips[0].width
    margin = min(min(pip.top, pip.left) for pip in pips)
    number = {2 * margin: 0, 2 * (end - margin): 2, end: 1}  # twice the three places along a side
    marks = ["."] * 9
    for pip in pips:
        if 2 * pip.top not in number or 2 * pip.left not in number:
            return ""
        marks[3 * number[2 * pip.top] + number[2 * pip.left]] = "x"
    return "".join(marks) if margin >= 1 else ""


def _alike(pips: Sequence[Piece]) -> bool:
    """Whether all pips are the same square or the same disc."""
    same = all(np.array_equal(pip.mask, pips[0].mask) for pip in pips)
    return bool(pips) and same and (pips[0].is_square or pips[0].is_disc)


def _tile(look: Look, ground: str) -> Mask | None:
    """Black cells of the white rectangle on a ground, in its box; None where there is anything else."""
    base = look.on(ground)
    if base is None:
        return None
    box = box_of(base.ink)
    white, black = look.named("white")[box], look.named("black")[box]
    return black if (white | black).all() and black.any() and white.any() else None


class Die(ExactKind):
    """The face of a die."""

    id, family, grade, colours = "die", "counts", 2, 3
    conditions = (
        "a white square face with black pips",
        "the number of pips",
        "the usual pattern",
        "equal squares or discs",
        "exact places",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"pips": whole(rng, 1, 6), "ground": pick(rng, ("red", "green", "blue", "yellow"))}

    def rule(self, p: Params) -> str:
        return (
            f"One face of a die, seen straight on: a white square without outline on a plain {p['ground']} ground, "
            f"with exactly {lying(p['pips'])}. {pip_shape(p['pips'] == 1, 'the edge of the face')}. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        side = whole(rng, max(9, size // 2), size - 2)
        face = 1 + _face(rng, p["pips"], side, _pip(rng, side)).astype(np.int64)
        grid = place(rng, size, face)
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        face = _tile(look, p["ground"])
        if face is None or face.shape[0] != face.shape[1]:
            return ()
        side, marks, pips = len(face), pieces(face, corners=False), pieces(face)
        exact = len(pips) == p["pips"] and _places(pips, side) in _PIPS[p["pips"]]
        usual = exact or _thirds(marks, side, side) in _PIPS[p["pips"]]
        return True, len(marks) == p["pips"], usual, _alike(pips), exact


class Domino(ExactKind):
    """A domino: two fields of pips and a line between."""

    id, family, grade, colours = "domino", "counts", 3, 3
    conditions = (
        "a white tile with a black line across its middle",
        "pips on the left",
        "pips on the right",
        "patterns",
        "two squares and a full line",
        "equal squares or discs",
        "exact places",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        pips = [whole(rng, 1, 6), whole(rng, 1, 6)]
        return {"pips": pips, "ground": pick(rng, ("red", "green", "blue", "yellow"))}

    def rule(self, p: Params) -> str:
        left, right = map(lying, p["pips"])
        return (
            f"A domino tile lying on its side on a plain {p['ground']} ground, without outline: two white squares of "
            "exactly the same size, side by side, and between them an upright black line, one or two cells wide and "
            f"exactly as high as they are. The left square holds exactly {left}; the right square holds exactly "
            f"{right}. {pip_shape(False, 'the edges of the squares')}. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        side = 1 + 2 * whole(rng, 3, ((size - 1) // 2 - 1) // 2)  # odd, so that a pip of one cell can lie in its centre
        pip = _pip(rng, side)
        left, right = (_face(rng, pips, side, pip) for pips in p["pips"])
        line = np.ones((side, whole(rng, 1, min(2, size - 2 * side))), dtype=np.bool_)
        tile = 1 + np.concatenate([left, line, right], axis=1).astype(np.int64)
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], place(rng, size, tile))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        tile = _tile(look, p["ground"])
        if tile is None or not 1.6 <= tile.shape[1] / tile.shape[0] <= 2.7:
            return ()
        height, width = tile.shape
        middle = (width - 1) / 2
        marks = pieces(tile, corners=False)
        lines = [mark for mark in marks if mark.height >= 0.6 * height and abs(mark.centre[1] - middle) <= 1]
        pips = [mark for mark in marks if mark not in lines]
        halves = [[pip for pip in pips if pip.centre[1] < middle], [pip for pip in pips if pip.centre[1] > middle]]
        shifted = [[Piece(p.mask, p.top, p.left - (n and width - width // 2)) for p in h] for n, h in enumerate(halves)]
        numbers = [len(half) == wanted for half, wanted in zip(halves, p["pips"], strict=True)]
        patterns = [_thirds(half, height, width // 2) in _PIPS[n] for half, n in zip(shifted, p["pips"], strict=True)]
        gate = len(lines) == 1 and lines[0].width <= 3 and bool(pips)
        shape, alike, exact = _exact_tile(tile, p["pips"])
        return (gate, *numbers, exact or all(patterns), shape, alike, exact)


def _exact_tile(tile: Mask, numbers: Sequence[int]) -> tuple[bool, bool, bool]:
    """Whether a tile is two squares and a line between, with pips that are alike and lie in their exact places."""
    side, width = tile.shape
    line = tile[:, side : width - side]
    halves = [pieces(half) for half in (tile[:, :side], tile[:, width - side :])]
    right = [
        len(half) == count and _places(half, side) in _PIPS[count] for half, count in zip(halves, numbers, strict=True)
    ]
    return line.shape[1] in (1, 2) and bool(line.all()), _alike(halves[0] + halves[1]), all(right)
