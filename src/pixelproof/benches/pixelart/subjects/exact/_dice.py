"""Pips on dice and dominoes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, pick
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, Piece, even, largest, pieces
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import place, round_mask, whole

_PIPS = {
    1: ("....x....",),
    2: ("x.......x", "..x...x..", "...x.x...", ".x.....x."),
    3: ("x...x...x", "..x.x.x..", "...xxx...", ".x..x..x."),
    4: ("x.x...x.x",),
    5: ("x.x.x.x.x",),
    6: ("x.xx.xx.x", "xxx...xxx"),
}
"""Where the pips are, row by row; the first is the usual way, the others are a die lying differently."""


def _face(rng: Rng, pips: int, side: int) -> Mask:
    """The pips of a square field."""
    dot = whole(rng, 1, max(1, side // 5))
    places = [round(side * (2 * n + 1) / 6 - dot / 2) for n in range(3)]
    face = np.zeros((side, side), dtype=np.bool_)
    for number, mark in enumerate(pick(rng, _PIPS[pips][:2])):
        if mark == "x":
            top, left = (places[n] for n in divmod(number, 3))
            face[top : top + dot, left : left + dot] |= round_mask(dot)
    return face


def _pattern(pips: list[Piece], face: Piece) -> str:
    """Which thirds of a face hold pips; a third with two pips spoils it."""
    marks = ["."] * 9
    for pip in pips:
        row, column = pip.centre
        across = int(3 * (column - face.left + 0.5) / face.width)
        down = int(3 * (row - face.top + 0.5) / face.height)
        number = 3 * min(down, 2) + min(across, 2)
        marks[number] = "x" if marks[number] == "." else "?"
    return "".join(marks)


def _tile(look: Look, ground: str) -> tuple[Piece, list[Piece]] | None:
    """A white block on a ground, and the black marks on it; None where there is no such thing."""
    white, black = look.named("white"), look.named("black")
    block = largest(white | black)  # a line across the block may part its white
    if block is None or not block.is_block or 2 * white.sum() < block.area:
        return None
    outside = look.cells[~(white | black)]
    plain = bool(outside.size) and len(np.unique(outside)) == 1 and look.called(int(outside[0]), ground)
    alone = block.area == int((white | black).sum())
    return (block, pieces(black, corners=False)) if plain and alone else None


class Die(ExactKind):
    """The face of a die."""

    id, family, grade = "die", "counts", 2
    conditions = ("a white square face with black pips", "the number of pips", "the usual pattern")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"pips": whole(rng, 1, 6), "ground": pick(rng, ("red", "green", "blue", "yellow"))}

    def text(self, p: Params) -> str:
        return (
            f"One face of a die, seen straight on: a white square without outline on a plain {p['ground']} ground, "
            f"with black pips that show a {p['pips']} in the usual pattern"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        side = whole(rng, max(9, size // 2), size - 2)
        face = 1 + _face(rng, p["pips"], side).astype(np.int64)
        if whole(rng, 0, 1):
            face[[0, 0, -1, -1], [0, -1, 0, -1]] = 0
        grid = place(rng, size, np.pad(face, 1))
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        tile = _tile(look, p["ground"])
        if tile is None or not tile[1] or not even([tile[0].height, tile[0].width], 2):
            return ()
        return True, len(tile[1]) == p["pips"], _pattern(tile[1], tile[0]) in _PIPS[p["pips"]]


class Domino(ExactKind):
    """A domino: two fields of pips and a line between."""

    id, family, grade = "domino", "counts", 3
    conditions = (
        "a white tile with a black line across its middle",
        "pips on the left",
        "pips on the right",
        "patterns",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        pips = [whole(rng, 1, 6), whole(rng, 1, 6)]
        return {"pips": pips, "ground": pick(rng, ("red", "green", "blue", "yellow"))}

    def text(self, p: Params) -> str:
        left, right = p["pips"]
        return (
            f"A domino tile lying on its side on a plain {p['ground']} ground: white, without outline, about twice as "
            "wide as high, with an upright black line across its middle, and black pips in the usual patterns of a "
            f"die that show a {left} on the left half and a {right} on the right half"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        side = (size - 1) // 2 if size < 20 else whole(rng, 7, (size - 1) // 2)
        left, right = (_face(rng, pips, side) for pips in p["pips"])
        line = np.ones((side, 1), dtype=np.bool_)
        line[[0, -1]] = bool(whole(rng, 0, 1))
        tile = 1 + np.concatenate([left, line, right], axis=1).astype(np.int64)
        grid = place(rng, size, tile)
        return compact([swatch(rng, name) for name in (p["ground"], "white", "black")], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        found = _tile(look, p["ground"])
        if found is None or not 1.6 <= found[0].width / found[0].height <= 2.7:
            return ()
        tile, marks = found
        middle = tile.centre[1]
        lines = [mark for mark in marks if mark.height >= 0.6 * tile.height and abs(mark.centre[1] - middle) <= 1]
        pips = [mark for mark in marks if mark not in lines]
        halves = [[m for m in pips if m.centre[1] < middle], [m for m in pips if m.centre[1] > middle]]
        width = tile.width // 2
        fields = [Piece(tile.mask[:, :width], tile.top, left) for left in (tile.left, tile.left + tile.width - width)]
        numbers = [len(marks) == wanted for marks, wanted in zip(halves, p["pips"], strict=True)]
        patterns = [_pattern(half, field) in _PIPS[n] for half, field, n in zip(halves, fields, p["pips"], strict=True)]
        return len(lines) == 1 and lines[0].width <= 3 and bool(pips), *numbers, all(patterns)
