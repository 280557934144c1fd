"""Tic-tac-toe: lines, crosses, rings."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, several, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, box_of, cropped, equal, filled, pieces, runs
from pixelproof.benches.pixelart.subjects._paint import place, whole


class TicTacToe(ExactKind):
    """A position of the game."""

    id, family, grade, colours = "tic-tac-toe", "boards", 3, 4
    conditions = ("the board of four lines", "equal fields", "the crosses", "the rings", "nothing else", "exact marks")

    def choose(self, rng: Rng) -> dict[str, Any]:
        marks = whole(rng, 3, 6)
        fields = ["-"] * 9
        for turn, field in enumerate(several(rng, range(9), marks)):
            fields[field] = "XO"[turn % 2]
        return {"board": "".join(fields)}

    def rule(self, p: Params) -> str:
        rows = " / ".join(" ".join(p["board"][start : start + 3]) for start in (0, 3, 6))
        return (
            "A game of tic-tac-toe on a white ground. Two upright and two level black lines, straight, of any "
            "thickness and all from end to end of the board, make nine fields of exactly the same size. "
            f"Row by row from the top, the fields hold: {rows}. Each X is red: the two diagonals of a square of at "
            "least 3 by 3 cells, one cell thick. Each O is blue: the outline of a square of at least 3 by 3 cells, one "
            "cell thick, with or without its four corner cells. A mark lies anywhere in its field, and a field with - "
            "is empty"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        bar = 1 if size < 28 else whole(rng, 1, 2)
        field = (size - 2 * bar) // 3
        line = [0] * field + [1] * bar
        lines = np.array((line * 3)[: 3 * field + 2 * bar])
        board = (lines[:, None] | lines).astype(np.int64)
        side = field - 2 if field > 4 else 3
        for number, mark in enumerate(p["board"]):
            if mark != "-":
                top, left = ((field + bar) * place + (field - side) // 2 for place in divmod(number, 3))
                ring = _open(_outline(side)) if side > 3 or whole(rng, 0, 1) else _outline(side)
                shape = _cross(side) * 2 if mark == "X" else ring * 3
                board[top : top + side, left : left + side] += shape
        return compact([swatch(rng, name) for name in ("white", "black", "red", "blue")], place(rng, size, board))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        black = look.named("black")
        board, lines = look.cells[box_of(black)], black[box_of(black)]
        level, upright = (np.asarray(lines.all(axis=axis)) for axis in (1, 0))
        sides = [runs(line.astype(int).tolist()) for line in (level, upright)]
        if any([value for value, _ in side] != [0, 1, 0, 1, 0] for side in sides):
            return ()
        rows, columns = (_fields([length for _, length in side]) for side in sides)
        fields = [board[np.ix_(row, column)] for row in rows for column in columns]
        seen = "".join(_mark(field, look) for field in fields)
        exact = all(_is_exact(field != _white(look), mark) for field, mark in zip(fields, seen, strict=True))
        same_size = equal([len(row) for row in rows]) and equal([len(column) for column in columns])
        right = [all((seen[n] == mark) == (p["board"][n] == mark) for n in range(9)) for mark in "XO-"]
        around = look.named("white")
        around[box_of(black)] = True
        right[2] &= bool(around.all())
        return (np.array_equal(lines, level[:, None] | upright), same_size, *right, exact)


def _fields(lengths: list[int]) -> list[npt.NDArray[np.int64]]:
    """The three stretches of a side that no line takes."""
    starts = np.cumsum([0, *lengths])
    return [np.arange(starts[n], starts[n + 1]) for n in (0, 2, 4)]


def _cross(side: int) -> Grid:
    return np.eye(side, dtype=np.int64) | np.eye(side, dtype=np.int64)[::-1]


def _outline(side: int) -> Grid:
    ring = np.ones((side, side), dtype=np.int64)
    ring[1:-1, 1:-1] = 0
    return ring


def _white(look: Look) -> int:
    ground = look.on("white")
    return -1 if ground is None else ground.ground


def _is_exact(ink: Mask, mark: str) -> bool:
    """Whether the ink of a field is its mark by the definition: two diagonals, or the outline of a square."""
    shape = cropped(ink)
    side = shape.shape[0]
    if mark not in "XO" or shape.shape[1] != side or side < 3:
        return mark == "-"
    ways = [_cross(side)] if mark == "X" else [_outline(side), _open(_outline(side))]
    return any(np.array_equal(shape, way) for way in ways)


def _open(outline: Grid) -> Grid:
    """An outline without its corner cells."""
    ring = outline.copy()
    ring[[0, 0, -1, -1], [0, -1, 0, -1]] = 0
    return ring


def _mark(field: Grid, look: Look) -> str:
    """X, O, - for empty, or ? for anything else."""
    red, blue, white = (
        np.isin(field, [c for c in range(look.colours) if look.called(c, name)]) for name in ("red", "blue", "white")
    )
    if white.all():
        return "-"
    parts = pieces(~white)
    if len(parts) != 1 or min(parts[0].mask.shape) < 3:
        return "?"
    mask = parts[0].mask
    middle = [(length - 1) // 2 for length in mask.shape], [length // 2 for length in mask.shape]
    centre = mask[middle[0][0] : middle[1][0] + 1, middle[0][1] : middle[1][1] + 1]
    sides = [mask[0, middle[0][1]], mask[-1, middle[0][1]], mask[middle[0][0], 0], mask[middle[0][0], -1]]
    corners = [mask[0, 0], mask[0, -1], mask[-1, 0], mask[-1, -1]]
    if (red | white).all() and all(corners) and centre.all() and not any(sides):
        return "X"
    holed = filled(parts[0], field.shape).sum() > mask.sum()
    return "O" if (blue | white).all() and holed and not centre.any() and all(sides) else "?"
