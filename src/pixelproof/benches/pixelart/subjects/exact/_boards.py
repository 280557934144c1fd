"""Boards: rows and columns of fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Grid, Mask, Rng, compact, pick, several, swatch
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Layout, Look, collapse, equal, inner, shared_out
from pixelproof.benches.pixelart.subjects._paint import bands, contrasting, whole
from pixelproof.benches.pixelart.subjects.exact._wording import listed, may_differ


class Checkerboard(ExactKind):
    """n × n squares in two colours."""

    id, family, grade, colours = "checkerboard", "boards", 1, 2
    conditions = (
        "a checkerboard with the right number of rows or columns",
        "rows",
        "columns",
        "equal squares",
        "fills the picture",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"n": pick(rng, (3, 4, 5, 6, 8))}

    def rule(self, p: Params) -> str:
        n = p["n"]
        return (
            f"A checkerboard that fills the whole picture: {n} rows of {n} squares, coloured in turn so that squares "
            "with a common side differ. All rows and columns of squares are equally thick; "
            f"{may_differ(n, 'they')}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        field = bands(size, p["n"])
        return compact(contrasting(rng), (field[:, None] + field) % 2)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board, full = _board(look)
        rows, columns = (count == p["n"] for count in board.shape)
        return _alternates(board.cells) and (rows or columns), rows, columns, _equal_squares(board, full), full


def _board(look: Look) -> tuple[Layout, bool]:
    """The layout of a board, without a plain margin; and whether there is none."""
    board = inner(look.cells)
    return collapse(board), board.shape == look.cells.shape


def _equal_squares(board: Layout, full: bool) -> bool:
    """Whether all squares are equal: as equal as cells allow where they fill the picture, exactly where they do not."""
    if full:
        return shared_out(board.heights) and shared_out(board.widths)
    return equal(board.heights + board.widths)


def _alternates(cells: Grid) -> bool:
    return (
        min(cells.shape) >= 2
        and len(np.unique(cells)) == 2
        and bool((cells[1:] != cells[:-1]).all() and (cells[:, 1:] != cells[:, :-1]).all())
    )


class Chessboard(ExactKind):
    """8 × 8 squares, one of them marked."""

    id, family, grade, colours = "chessboard", "boards", 3, 3
    conditions = (
        "8 by 8 squares",
        "equal squares",
        "black and white alternate",
        "one marked square",
        "its place",
        "fills the picture",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        colour = pick(rng, ("red", "blue", "green", "yellow", "purple"))
        return {"row": whole(rng, 1, 8), "column": whole(rng, 1, 8), "colour": colour}

    def rule(self, p: Params) -> str:
        return (
            "A chessboard that fills the whole picture: 8 rows of 8 squares, black and white in turn, but for one: the "
            f"square in row {p['row']} from the top and column {p['column']} from the left is {p['colour']}. All rows "
            f"and columns of squares are equally thick; {may_differ(8, 'they')}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        field = bands(size, 8)
        board = (field[:, None] + field + whole(rng, 0, 1)) % 2
        board[np.ix_(field == p["row"] - 1, field == p["column"] - 1)] = 2
        return compact([swatch(rng, name) for name in ("white", "black", p["colour"])], board)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board, full = _board(look)
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
            _equal_squares(board, full),
            wrong == 1,
            int(marked.sum()) == 1,
            bool(marked[p["row"] - 1, p["column"] - 1]),
            full,
        )


_PLACES = ("top left", "top right", "bottom left", "bottom right")


class Quadrants(ExactKind):
    """Four quarters in four colours."""

    id, family, grade, colours = "quadrants", "boards", 1, 4
    conditions = ("four quarters", *_PLACES, "equal quarters")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"colours": several(rng, ("red", "yellow", "green", "blue", "white", "black"), 4)}

    def rule(self, p: Params) -> str:
        parts = [f"{colour} at the {place}" for colour, place in zip(p["colours"], _PLACES, strict=True)]
        return (
            f"Four quarters that fill the whole picture: {listed(parts)}. The two rows and the two columns of "
            "quarters are equally thick; only where the side of the picture is odd may they differ by one cell"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        field = bands(size, 2)
        return compact([swatch(rng, name) for name in p["colours"]], 2 * field[:, None] + field)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        board = collapse(look.cells)
        if board.shape != (2, 2) or look.colours < 3:
            return ()
        right = [look.called(int(c), name) for c, name in zip(board.cells.flat, p["colours"], strict=True)]
        return (True, *right, shared_out(board.heights) and shared_out(board.widths))


class Window(ExactKind):
    """A frame with r × c panes."""

    id, family, grade, colours = "window", "boards", 2, 2
    conditions = ("frame and panes", "rows", "columns", "equal panes", "colour of the frame", "colour of the panes")

    def choose(self, rng: Rng) -> dict[str, Any]:
        frame, panes = several(rng, ("black", "white", "red", "green", "blue", "yellow"), 2)
        rows, columns = whole(rng, 1, 4), whole(rng, 2, 4)
        return {"rows": rows, "columns": columns, "frame": frame, "panes": panes}

    def rule(self, p: Params) -> str:
        rows = "one row" if p["rows"] == 1 else f"{p['rows']} rows"
        return (
            f"A window that fills the whole picture: {rows} of {p['columns']} {p['panes']} panes, all rectangles of "
            f"exactly the same size, with a {p['frame']} frame along all four edges of the picture and straight "
            f"{p['frame']} bars from edge to edge between the panes. Frame and bars may be of any thickness"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        lines = [_bars(rng, size, p[side]) for side in ("rows", "columns")]
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
            equal(window.heights[1::2]) and equal(window.widths[1::2]),
            look.called(frame, p["frame"]),
            look.called(pane, p["panes"]),
        )


def _bars(rng: Rng, size: int, panes: int) -> Mask:
    """Which cells of a side belong to the frame: bars of one or two cells, and what equal panes leave over."""
    bars = [whole(rng, 1, 2), *[whole(rng, 1, 2)] * (panes - 1), 0]
    bars[-1] = bars[0]
    pane, left_over = divmod(size - sum(bars), panes)
    for _ in range(left_over):
        bars[whole(rng, 0, panes)] += 1
    line = [True] * bars[0]
    for bar in bars[1:]:
        line += [False] * pane + [True] * bar
    return np.array(line)
