"""Descriptive statistics of a drawing, given as a grid of palette indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.integer[Any]]


def _legal(grid: Grid, colours: int) -> npt.NDArray[np.bool_]:
    return (grid >= 0) & (grid < colours)


def palette_validity(grid: Grid, colours: int) -> float:
    """Share of cells whose index is one of the `colours` of the palette.

    >>> palette_validity(np.array([[0, 1], [2, -1]]), 2)
    0.5
    """
    return float(_legal(grid, colours).mean())


def colour_efficiency(grid: Grid, colours: int) -> float:
    """Share of the palette's colours that are used; illegal indices are ignored.

    >>> colour_efficiency(np.array([[0, 0], [3, 9]]), 4)
    0.5
    """
    return len(np.unique(grid[_legal(grid, colours)])) / colours


def edge_density(grid: Grid) -> float:
    """Share of differing pairs among all 2hw − h − w pairs of neighbouring cells.

    >>> edge_density(np.array([[0, 1], [1, 0]]))
    1.0
    """
    height, width = grid.shape
    pairs = 2 * height * width - height - width
    differing = np.count_nonzero(grid[1:] != grid[:-1]) + np.count_nonzero(grid[:, 1:] != grid[:, :-1])
    return float(differing / pairs) if pairs else 0.0


def background(grid: Grid) -> int:
    """The most frequent index on the border; ties go to the first in reading order.

    >>> background(np.array([[7, 7, 7], [7, 0, 7], [0, 0, 0]]))
    7
    """
    height, width = grid.shape
    inside = np.zeros(grid.shape, dtype=bool)
    inside[1 : height - 1, 1 : width - 1] = True
    # Ties go by place, not by index, so that renaming the colours cannot move the background.
    indices, first, counts = np.unique(grid[~inside], return_index=True, return_counts=True)
    return int(indices[np.lexsort((first, -counts))[0]])


def fill_balance(grid: Grid) -> float:
    """1 − |2b − 1|, where b is the background's share: 1 if figure and background are equal, 0 if either is missing.

    >>> fill_balance(np.array([[5, 5], [5, 0]]))
    0.5
    """
    share = float((grid == background(grid)).mean())
    return 1.0 - abs(2.0 * share - 1.0)


def entropy(grid: Grid, colours: int) -> float:
    """Entropy of the legal cells' colours, normalised by log(`colours`); 0 for one colour.

    >>> entropy(np.array([[0, 1], [1, 0]]), 4)
    0.5
    """
    legal = grid[_legal(grid, colours)]
    if colours < 2 or not legal.size:
        return 0.0
    shares = np.unique(legal, return_counts=True)[1] / legal.size
    return min(1.0, abs(float(shares @ np.log(shares))) / float(np.log(colours)))  # abs: no −0.0


def horizontal_symmetry(grid: Grid) -> float:
    """Share of cell pairs that match when left and right are swapped; 1 where there is no pair.

    >>> horizontal_symmetry(np.array([[0, 5, 0], [0, 5, 1]]))
    0.5
    """
    half = grid.shape[1] // 2
    return float((grid[:, :half] == grid[:, ::-1][:, :half]).mean()) if half else 1.0


def vertical_symmetry(grid: Grid) -> float:
    """Share of cell pairs that match when top and bottom are swapped; 1 where there is no pair.

    >>> vertical_symmetry(np.array([[0, 1], [0, 2]]))
    0.5
    """
    return horizontal_symmetry(grid.T)


def continuity(grid: Grid) -> float:
    """Share of cells with at least one 4-neighbour of their own colour.

    >>> continuity(np.array([[0, 0, 1], [2, 2, 3]])) == 4 / 6
    True
    """
    joined = np.zeros(grid.shape, dtype=bool)
    down, right = grid[1:] == grid[:-1], grid[:, 1:] == grid[:, :-1]
    joined[1:] |= down
    joined[:-1] |= down
    joined[:, 1:] |= right
    joined[:, :-1] |= right
    return float(joined.mean())
