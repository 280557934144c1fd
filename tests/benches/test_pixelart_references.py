"""The ceiling: our own drawings must be legal, different from each other, and a maze must be a maze."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.pixelart.subjects import (
    CATEGORIES,
    Drawing,
    published,
    reduce_colours,
    reference,
    subject_named,
)

SIZES = (4, 5, 8, 16, 23, 24, 32, 64, 128)


@pytest.mark.slow
@pytest.mark.parametrize("subject", CATEGORIES)
@pytest.mark.parametrize("size", SIZES)
def test_drawings_are_legal_at_any_size_and_number_of_colours(subject, size):
    for colours in (2, 3, 4, 10, 256):
        drawing = reference(subject, size, colours)
        grid = np.array(drawing.grid)
        assert grid.shape == (size, size)
        assert 2 <= len(drawing.palette) <= min(colours, 10)
        assert sorted(np.unique(grid)) == list(range(len(drawing.palette)))
        assert len(set(drawing.palette)) == len(drawing.palette)


def test_no_two_subjects_look_alike():
    pictures = [reference(subject, 24, 10).pixels() for subject in CATEGORIES]
    for index, one in enumerate(pictures):
        for other in pictures[:index]:
            assert (one != other).any(axis=2).mean() > 0.5


def steps(open_cells, start, goal):
    """Length of the shortest way, by breadth-first search; None if there is none."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        row, column = queue.popleft()
        for cell in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            inside = 0 <= cell[0] < len(open_cells) and 0 <= cell[1] < len(open_cells)
            if inside and open_cells[cell] and cell not in distance:
                distance[cell] = distance[row, column] + 1
                queue.append(cell)
    return distance.get(goal), len(distance)


@pytest.mark.parametrize("size", SIZES)
def test_the_maze_leads_from_top_left_to_bottom_right(size):
    drawing = reference("maze", size, 10)
    path = drawing.palette.index("f2e3b6")
    open_cells = np.array(drawing.grid) == path
    exit_column = size - 2 - (size % 2 == 0)
    length, reached = steps(open_cells, (0, 1), (size - 1, exit_column))
    assert length is not None and reached == open_cells.sum(), "every corridor must be reachable"
    if size >= 16:
        assert length >= 1.25 * (size - 1 + exit_column - 1), "a straight way through is no maze"
        blocks = open_cells[:-1, :-1] & open_cells[1:, :-1] & open_cells[:-1, 1:] & open_cells[1:, 1:]
        assert not blocks.any(), "corridors are one cell wide"
        # A perfect maze is a tree: one edge fewer than cells, so exactly one way between any two.
        edges = (open_cells[1:] & open_cells[:-1]).sum() + (open_cells[:, 1:] & open_cells[:, :-1]).sum()
        assert edges == open_cells.sum() - 1


@given(st.data())
def test_reducing_colours_only_merges(data):
    palette = data.draw(st.lists(st.integers(0, 0xFFFFFF).map("{:06x}".format), min_size=2, max_size=6, unique=True))
    row = st.lists(st.integers(0, len(palette) - 1), min_size=4, max_size=4).map(tuple)
    drawing = Drawing(tuple(palette), data.draw(st.tuples(row, row, row)))
    colours = data.draw(st.integers(1, 6))
    reduced = reduce_colours(drawing, colours)
    used = {cell for cells in drawing.grid for cell in cells}
    assert len(reduced.palette) == min(colours, len(used)) and set(reduced.palette) <= set(drawing.palette)
    pairs = {
        (a, b)
        for before, after in zip(drawing.grid, reduced.grid, strict=True)
        for a, b in zip(before, after, strict=True)
    }
    assert len(pairs) == len(used), "cells of one colour must stay of one colour"


def test_merging_takes_the_nearest_first():
    grid = ((0, 0, 0, 1), (2, 2, 2, 2))
    assert reduce_colours(Drawing(("cc0000", "ff0000", "0000ff"), grid), 2).palette == ("cc0000", "0000ff")


@pytest.mark.parametrize("subject", CATEGORIES)
def test_subjects_are_recognised_by_their_wording(subject):
    text = published(subject).text
    assert subject_named(text) == subject
    assert subject_named(f"  {text.upper()}! ") == subject


@pytest.mark.parametrize("text", ["", "Sunday", "a hopeless case", "Monalisa"])
def test_other_wordings_are_not(text):
    assert subject_named(text) is None
