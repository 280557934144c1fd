"""Figures that point somewhere, pieces that turn, shapes beside shapes, mirror images."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import (
    VIVID,
    Drawing,
    Grid,
    Mask,
    Rng,
    compact,
    pick,
    rgb_of,
    several,
    swatch,
)
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, Piece, box_of, cropped, pieces
from pixelproof.benches.pixelart.subjects._paint import (
    DIRECTIONS,
    contrasting,
    enlarged,
    place,
    round_mask,
    turned,
    whole,
)
from pixelproof.benches.pixelart.subjects.exact._wording import DISC


def _side(to: str) -> str:
    return f"straight {to}" if to in ("up", "down") else f"to the {to}"


_STRAIGHT = (
    "Each of the two sides from base to tip is straight: a straight line that passes through none of their "
    "centres parts the cells inside from those outside. The two lines may meet beyond the tip"
)


class _Pointing(ExactKind):
    """Figures in one colour that point somewhere."""

    family = "shapes"
    colours = 2

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"to": pick(rng, DIRECTIONS)}

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        found = pieces(look.figure)
        if len(found) != 1:
            return ()
        turned_right = [np.rot90(found[0].mask, -turn) for turn in range(len(DIRECTIONS))]
        ways = [way for mask, way in zip(turned_right, DIRECTIONS, strict=True) if self._points_right(mask)]
        exact = p["to"] in ways and self._is_exact(turned_right[DIRECTIONS.index(p["to"])])
        return bool(ways), p["to"] in ways, exact

    @abstractmethod
    def _points_right(self, mask: Mask) -> bool:
        """Whether the figure is of this kind and points to the right."""

    @abstractmethod
    def _is_exact(self, mask: Mask) -> bool:
        """Whether a figure that points to the right has the proportions that the text states."""


def _extents(mask: Mask) -> npt.NDArray[np.int64]:
    """For every column: the number of cells from its first to its last."""
    first = mask.argmax(axis=0)
    last = mask.shape[0] - 1 - mask[::-1].argmax(axis=0)
    return np.asarray(last - first + 1, dtype=np.int64)


def _is_wedge(extents: npt.NDArray[np.int64]) -> bool:
    """Whether the columns of a symmetric figure narrow along straight sides from a base to a tip of one or two cells.

    Straight: a line a·i + b parts the cells inside from those outside, that is floor(a·i + b) cells are gone from
    either side of column i. Such a line exists if every two columns leave a common slope a.
    """
    gone = (extents[0] - extents) // 2
    if len(extents) < 2 or extents[-1] > 2 or extents[0] < 3 or (extents - extents[0]).max() > 0:
        return False
    columns, other = np.triu_indices(len(gone), 1)
    rise, run = gone[other] - gone[columns], other - columns
    return bool(((rise - 1) / run).max() < ((rise + 1) / run).min())


def _wedge(base: int, length: int) -> Mask:
    """A triangle that points to the right, with a tip of one or two cells."""
    steps = (base - 1) // 2
    extents = base - 2 * (steps * np.arange(length) // (length - 1))
    return np.asarray(np.abs(2 * np.arange(base)[:, None] - (base - 1)) < extents)


class Arrow(_Pointing):
    """An arrow with a shaft and a head."""

    id, grade = "arrow", 2
    conditions = ("an arrow", "its direction", "proportions, and a filled head")

    def rule(self, p: Params) -> str:
        return (
            f"One arrow in one colour on a plain ground, pointing {_side(p['to'])}: a straight shaft of constant "
            "thickness, at least 2 cells long, and a head at its end. The head is a filled triangle, at least 3 cells "
            "long from base to tip, whose base sticks out by at least 2 cells on each side of the shaft and whose tip "
            f"is one or two cells wide. {_STRAIGHT}. The two halves of the arrow on both sides of its axis are "
            "mirror images"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        shaft = whole(rng, 1, size // 8)
        base = shaft + 2 * whole(rng, 2, (size - shaft) // 2)
        head = _wedge(base, whole(rng, 3, size - 2))
        length = whole(rng, 2, size - head.shape[1])
        tail = np.zeros((base, length), dtype=np.bool_)
        tail[(base - shaft) // 2 : (base + shaft) // 2] = True
        mask = np.concatenate([tail, head], axis=1)
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extents = _extents(mask)
        shaft = _shaft(extents)
        solid = bool((mask[:, :shaft].sum(axis=0) == extents[0]).all())
        mirrored = np.array_equal(mask, mask[::-1])
        return solid and mirrored and shaft >= 2 and len(np.unique(extents[shaft:])) >= 3 and _is_wedge(extents[shaft:])

    def _is_exact(self, mask: Mask) -> bool:
        extents = _extents(mask)
        shaft = _shaft(extents)
        wide = len(extents) - shaft >= 3 and extents[shaft] >= extents[0] + 4
        return bool(wide and (mask.sum(axis=0) == extents).all())


def _shaft(extents: npt.NDArray[np.int64]) -> int:
    """Number of columns before the first that differs."""
    return int(np.argmax(extents != extents[0]))


class Triangle(_Pointing):
    """A filled triangle."""

    id, grade = "triangle", 1
    conditions = ("a filled triangle", "its direction", "size")

    def rule(self, p: Params) -> str:
        return (
            f"One filled triangle in one colour on a plain ground, pointing {_side(p['to'])}: its straight base is at "
            "least 5 cells wide, its tip one or two cells wide, and it is at least 3 cells long from base to tip. "
            f"{_STRAIGHT}. Its two halves on both sides of its axis are mirror images"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        mask = _wedge(whole(rng, size // 3, size - 2), whole(rng, size // 3, size - 2))
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extents = _extents(mask)
        solid = bool((mask.sum(axis=0) == extents).all())
        return solid and np.array_equal(mask, mask[::-1]) and _is_wedge(extents)

    def _is_exact(self, mask: Mask) -> bool:
        return bool(mask.shape[0] >= 5 and mask.shape[1] >= 3)


_COLOURS = ("red", "yellow", "green", "blue", "white", "black")


_TETROMINOES: dict[str, tuple[list[list[int]], str]] = {
    "I": ([[1, 1, 1, 1]], "four squares in one straight line"),
    "O": ([[1, 1], [1, 1]], "two rows of two squares"),
    "T": ([[1, 1, 1], [0, 1, 0]], "three squares in a line and the fourth beside the middle one"),
    "L": ([[1, 1, 1], [1, 0, 0]], "three squares in a line and the fourth beside one of the ends"),
    "S": ([[1, 1, 0], [0, 1, 1]], "two lines of two squares, shifted by one square"),
}


class Tetromino(ExactKind):
    """A Tetris piece, however turned."""

    id, family, grade, colours = "tetromino", "shapes", 2, 2
    conditions = ("a Tetris piece", "the right one", "colour", "ground of another colour")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"piece": pick(rng, tuple(_TETROMINOES)), "colour": pick(rng, VIVID)}

    def rule(self, p: Params) -> str:
        return (
            f"One {p['colour']} Tetris piece, turned or mirrored in any way, on a plain ground that is not "
            f"{p['colour']}: four squares of exactly the same size, at least 2 by 2 cells each, joined side to side "
            f"without gaps or lines between them: {_TETROMINOES[p['piece']][1]}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        ink = swatch(rng, p["colour"])
        ground = pick(rng, [colour for colour in ("000000", "ffffff", "9a9a9e") if colour != ink])
        figure = pick(rng, _turns(_TETROMINOES[p["piece"]][0]))
        figure = enlarged(figure, whole(rng, 2, (size - 2) // max(figure.shape)))
        return compact([ground, ink], place(rng, size, figure))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        figure = cropped(look.figure)
        shown = [name for name, (shape, _) in _TETROMINOES.items() if any(_is(figure, turn) for turn in _turns(shape))]
        if not shown:
            return ()
        right = look.called(int(look.cells[look.ink][0]), p["colour"])
        return True, p["piece"] in shown, right, not look.called(look.ground, p["colour"])


def _turns(shape: list[list[int]]) -> list[Grid]:
    """A shape and its mirror image, each turned four ways."""
    figure = np.array(shape)
    return [np.rot90(side, quarters) for side in (figure, figure[:, ::-1]) for quarters in range(4)]


def _is(figure: Mask, pattern: Grid) -> bool:
    unit = figure.shape[0] // pattern.shape[0]
    return unit >= 2 and np.array_equal(figure, enlarged(pattern, unit))


class Relation(ExactKind):
    """A square and a disc, one beside the other."""

    id, family, grade, colours = "relation", "shapes", 2, 3
    conditions = ("two separate shapes", "the square", "the disc", "where one is to the other")

    def choose(self, rng: Rng) -> dict[str, Any]:
        square, disc, ground = several(rng, _COLOURS, 3)
        way = pick(rng, ("left of", "right of", "above", "below"))
        return {"square": square, "disc": disc, "ground": ground, "way": way}

    def rule(self, p: Params) -> str:
        way = {"left of": "farther left", "right of": "farther right", "above": "higher up", "below": "farther down"}
        return (
            f"A filled {p['square']} square and a filled {p['disc']} disc on a plain {p['ground']} ground, each at "
            "least 4 cells wide, not touching each other even at a corner. Every cell of the square is "
            f"{way[p['way']]} than every cell of the disc. {DISC}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        most = size // 2 - 1
        square, diameter = whole(rng, 4, most), whole(rng, 4, most)
        length = square + diameter + whole(rng, 1, size - square - diameter)
        breadth = whole(rng, max(square, diameter), size)
        grid = np.zeros((breadth, length), dtype=np.int64)
        shift = whole(rng, 0, breadth - square), whole(rng, 0, breadth - diameter)
        grid[shift[0] : shift[0] + square, :square] = 1
        grid[shift[1] : shift[1] + diameter, length - diameter :][round_mask(diameter)] = 2
        grid = grid if p["way"] in ("left of", "above") else grid[:, ::-1]
        grid = grid if p["way"].endswith("of") else grid.T
        return compact([swatch(rng, p[name]) for name in ("ground", "square", "disc")], place(rng, size, grid))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        base = look.on(p["ground"])
        if base is None or look.colours != 3 or len(found := pieces(base.ink)) != 2:
            return ()
        large = [piece for piece in found if min(piece.mask.shape) >= 4]
        squares = [piece for piece in large if piece.is_square and _called(look, piece, p["square"])]
        discs = [piece for piece in large if piece.is_disc and _called(look, piece, p["disc"])]
        right = bool(squares and discs) and _stands(squares[0], discs[0], p["way"])
        return bool(squares or discs), len(squares) == 1, len(discs) == 1, right


def _called(look: Look, piece: Piece, name: str) -> bool:
    cells = look.cells[piece.box][piece.mask]
    return len(np.unique(cells)) == 1 and look.called(int(cells[0]), name)


def _stands(one: Piece, other: Piece, way: str) -> bool:
    return {
        "left of": one.left + one.width <= other.left,
        "right of": other.left + other.width <= one.left,
        "above": one.top + one.height <= other.top,
        "below": other.top + other.height <= one.top,
    }[way]


class SymmetricFigure(ExactKind):
    """Any figure that is its own mirror image."""

    id, family, grade = "symmetric-figure", "shapes", 3
    conditions = ("one figure that nearly mirrors itself", "left and right mirror", "top and bottom differ", "colours")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"colours": whole(rng, 2, 4)}

    def rule(self, p: Params) -> str:
        return (
            f"One figure of your own in exactly {p['colours']} colours on a plain ground of one more colour. The cells "
            "of the figure hang together by their sides, cover at least a tenth of the picture and touch none of its "
            "edges. Colours included, its left half is the exact mirror image of its right half, but its top half is "
            "not that of its bottom half"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        palette = contrasting(rng, p["colours"] + 1)
        while True:
            height, half = whole(rng, 6, 9), whole(rng, 3, 5)
            coat = rng.integers(1, p["colours"] + 1, (height, half))
            side = np.where(rng.random((height, half)) < 0.65, coat, 0)
            figure = np.concatenate([side, side[:, ::-1][:, whole(rng, 0, 1) :]], axis=1)
            most = (size - 2) // max(figure.shape)
            grid = np.pad(place(rng, size - 2, enlarged(figure, whole(rng, max(1, most // 2), most))), 1)
            if self.check(grid, rgb_of(palette), p).solved:
                return compact(palette, grid)

    def count_colours(self, p: Params) -> int:
        return 1 + int(p["colours"])

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        figure = look.cells[box_of(look.ink)]
        edges = look.ink[[0, -1]].any() or look.ink[:, [0, -1]].any()
        if edges or len(pieces(look.ink, corners=False)) != 1 or look.ink.mean() < 0.1:
            return ()
        same = float((figure == figure[:, ::-1]).mean())
        return (
            same >= 0.9,
            same == 1,
            not np.array_equal(figure, figure[::-1]),
            len(np.unique(look.cells[look.ink])) == p["colours"],
        )
