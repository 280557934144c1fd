"""Boards: rows and columns of fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, collapse, even, inner
from pixelproof.benches.pixelart.subjects._names import swatch
from pixelproof.benches.pixelart.subjects._paint import bands, contrasting, place, whole


class Checkerboard(ExactKind):
    """n × n squares in two colours."""

    id, family, grade = "checkerboard", "boards", 1
    conditions = ("a checkerboard with the right number of rows or columns", "rows", "columns", "equal squares")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"n": pick(rng, (3, 4, 5, 6, 8))}

    def text(self, p: Params) -> str:
        return f"A checkerboard of {p['n']} by {p['n']} equal squares in two colours"

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        side = pick(rng, (size, size - 2, size - 2 - whole(rng, 0, size // 6)))
        field = bands(side, p["n"])
        margin, *two = contrasting(rng, 3)
        board = 1 + (field[:, None] + field + whole(rng, 0, 1)) % 2
        grid = np.pad(place(rng, size - 2, board), 1) if side < size else board
        return compact([margin, *two], grid)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board = collapse(inner(look.cells))
        rows, columns = (count == p["n"] for count in board.shape)
        return (
            _alternates(board.cells) and (rows or columns),
            rows,
            columns,
            even(board.heights) and even(board.widths) and even(board.heights + board.widths, 2),
        )


def _alternates(cells: Grid) -> bool:
    return (
        min(cells.shape) >= 2
        and len(np.unique(cells)) == 2
        and bool((cells[1:] != cells[:-1]).all() and (cells[:, 1:] != cells[:, :-1]).all())
    )


class Chessboard(ExactKind):
    """8 × 8 squares, one of them marked."""

    id, family, grade = "chessboard", "boards", 3
    conditions = ("8 by 8 squares", "equal squares", "black and white alternate", "one marked square", "its place")

    def choose(self, rng: Rng) -> dict[str, Any]:
        colour = pick(rng, ("red", "blue", "green", "yellow", "purple"))
        return {"row": whole(rng, 1, 8), "column": whole(rng, 1, 8), "colour": colour}

    def text(self, p: Params) -> str:
        return (
            "A chessboard of 8 by 8 equal squares, black and white in turn, of which one single square is "
            f"{p['colour']}: the one in row {p['row']} from the top and column {p['column']} from the left"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        field = bands(size, 8)
        board = (field[:, None] + field + whole(rng, 0, 1)) % 2
        board[np.ix_(field == p["row"] - 1, field == p["column"] - 1)] = 2
        return compact([swatch(rng, name) for name in ("white", "black", p["colour"])], board)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board = collapse(inner(look.cells))
        if board.shape != (8, 8):
            return ()
        black, white, marked = (
            np.isin(board.cells, [c for c in range(look.colours) if look.called(c, name)])
            for name in ("black", "white", p["colour"])
        )
        odd = np.indices((8, 8)).sum(axis=0) % 2 == 1
        wrong = min(int((~np.where(swap, white, black)).sum()) for swap in (odd, ~odd))
        return (
            wrong <= 8,
            even(board.heights) and even(board.widths),
            wrong == 1,
            int(marked.sum()) == 1,
            bool(marked[p["row"] - 1, p["column"] - 1]),
        )


_PLACES = ("top left", "top right", "bottom left", "bottom right")


class Quadrants(ExactKind):
    """Four quarters in four colours."""

    id, family, grade = "quadrants", "boards", 1
    conditions = ("four quarters", *_PLACES, "equal quarters")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"colours": several(rng, ("red", "yellow", "green", "blue", "white", "black"), 4)}

    def text(self, p: Params) -> str:
        parts = [f"{colour} at the {place}" for colour, place in zip(p["colours"], _PLACES, strict=True)]
        return f"Four equal quarters that fill the whole picture: {', '.join(parts[:3])} and {parts[3]}"

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        field = bands(size, 2)
        return compact([swatch(rng, name) for name in p["colours"]], 2 * field[:, None] + field)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board = collapse(look.cells)
        if board.shape != (2, 2) or look.colours < 3:
            return ()
        right = [look.called(int(c), name) for c, name in zip(board.cells.flat, p["colours"], strict=True)]
        return (True, *right, even(board.heights) and even(board.widths))


class Window(ExactKind):
    """A frame with r × c panes."""

    id, family, grade = "window", "boards", 2
    conditions = ("frame and panes", "rows", "columns", "equal panes", "colour of the frame", "colour of the panes")

    def choose(self, rng: Rng) -> dict[str, Any]:
        frame, panes = several(rng, ("black", "white", "red", "green", "blue", "yellow"), 2)
        rows, columns = whole(rng, 1, 4), whole(rng, 2, 4)
        return {"rows": rows, "columns": columns, "frame": frame, "panes": panes}

    def text(self, p: Params) -> str:
        rows = "one row" if p["rows"] == 1 else f"{p['rows']} rows"
        return (
            f"A window that fills the whole picture: {rows} of {p['columns']} equal {p['panes']} panes, with a "
            f"{p['frame']} frame around and between them"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        outer, bar = whole(rng, 1, 2), whole(rng, 1, 2)
        lines = [_bars(size, p[side], outer, bar) for side in ("rows", "columns")]
        frame = lines[0][:, None] | lines[1]
        return compact([swatch(rng, p["panes"]), swatch(rng, p["frame"])], frame.astype(np.int64))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        window = collapse(look.cells)
        shape = window.shape
        if look.colours != 2 or min(shape) < 3 or shape[0] % 2 == 0 or shape[1] % 2 == 0:
            return ()
        frame, pane = int(window.cells[0, 0]), int(window.cells[1, 1])
        open_rows, open_columns = (np.arange(length) % 2 == 1 for length in shape)
        rows, columns = shape[0] // 2 == p["rows"], shape[1] // 2 == p["columns"]
        return (
            window.shows(np.where(open_rows[:, None] & open_columns, pane, frame)) and (rows or columns),
            rows,
            columns,
            even(window.heights[1::2]) and even(window.widths[1::2]),
            look.called(frame, p["frame"]),
            look.called(pane, p["panes"]),
        )


def _bars(size: int, panes: int, outer: int, bar: int) -> Mask:
    """Which cells of a side belong to the frame."""
    clear = size - 2 * outer - (panes - 1) * bar
    sizes = np.bincount(bands(clear, panes), minlength=panes).tolist()
    line = [True] * outer
    for number, length in enumerate(sizes):
        line += [False] * length + [True] * (bar if number < panes - 1 else outer)
    return np.array(line)
