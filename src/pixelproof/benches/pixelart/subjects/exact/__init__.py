"""Kinds whose drawings can be checked cell by cell."""

from pixelproof.benches.pixelart.subjects._kind import ExactKind
from pixelproof.benches.pixelart.subjects.exact import (
    _bands,
    _boards,
    _clock,
    _counts,
    _figures,
    _glyphs,
    _lines,
    _maze,
    _shapes,
    _tic_tac_toe,
)

PUBLISHED_MAZE = _maze.PublishedMaze()
EXACT: tuple[ExactKind, ...] = (
    _boards.Checkerboard(),
    _boards.Chessboard(),
    _boards.Quadrants(),
    _boards.Window(),
    _tic_tac_toe.TicTacToe(),
    _bands.Stripes("vertical-flag", 1, upright=True),
    _bands.Stripes("horizontal-flag", 1, upright=False),
    _bands.RainbowStripes(),
    _bands.NordicCross(),
    _bands.Gradient(),
    _bands.DiagonalStripes(),
    _shapes.Frame(),
    _shapes.NestedSquares(),
    _shapes.Rings(),
    _shapes.Plus(),
    _figures.Arrow(),
    _figures.Triangle(),
    _figures.Tetromino(),
    _figures.Relation(),
    _figures.SymmetricFigure(),
    _lines.DiagonalLine(),
    _lines.Staircase(),
    _lines.Ladder(),
    _lines.Spiral(),
    _maze.Maze(),
    _lines.BarChart(),
    _lines.SortedBars(),
    _bands.ProgressBar(),
    _counts.DotsInARow(),
    _counts.CountSquares(),
    _counts.CountColours(),
    _counts.Die(),
    _counts.Domino(),
    _clock.TrafficLight(),
    _clock.Clock(),
    _glyphs.DIGIT,
    _glyphs.LETTER,
    _glyphs.NUMBER,
    _glyphs.LETTER_PAIR,
)
_ON_EIGHT_CELLS = frozenset(
    "checkerboard chessboard quadrants vertical-flag horizontal-flag rainbow-stripes gradient diagonal-stripes plus "
    "arrow diagonal-line progress-bar digit letter number letter-pair".split()
)
for _kind in EXACT:
    if _kind.id in _ON_EIGHT_CELLS:
        _kind.smallest = 8

__all__ = ["EXACT", "PUBLISHED_MAZE"]
