"""Exact checkers against drawings that were designed from the texts: unusual but right, and subtly wrong."""

import itertools

import numpy as np
import pytest

from pixelart_fixtures import read_fixtures
from pixelproof.benches.pixelart.subjects import KINDS, Subject
from sweeps import sweep

FIXTURES = read_fixtures()
EXACT = [kind for kind in KINDS.values() if kind.exact]
exact_kinds = pytest.mark.parametrize("kind", EXACT, ids=lambda kind: kind.id)


@pytest.mark.slow
@exact_kinds
def test_drawings_get_the_verdict_that_the_text_gives_them(kind):
    wrong = []
    for fixture in FIXTURES:
        if fixture.kind == kind.id:
            verdict = Subject(kind, fixture.params).check(fixture.grid, fixture.palette)
            if verdict.solved != fixture.right:
                wrong.append((fixture.place, fixture.comment, verdict.missed))
    assert not wrong


def test_every_drawing_is_of_an_exact_kind():
    assert {fixture.kind for fixture in FIXTURES} == {kind.id for kind in KINDS.values() if kind.exact}


@exact_kinds
def test_every_exact_kind_has_ten_drawings_of_either_sort(kind):
    ours = [fixture.right for fixture in FIXTURES if fixture.kind == kind.id]
    assert sum(ours) >= 10 and len(ours) - sum(ours) >= 10


def near_its_tip(fixture, row, column):
    """On the axis of a figure that points somewhere: its tip may be a cell longer or shorter."""
    rows, columns = np.nonzero(fixture.grid != fixture.grid[-1, -1])
    doubled = np.array([2 * row, 2 * column])
    return any((doubled == [rows.min() + rows.max(), columns.min() + columns.max()]).tolist())


def on_top_of_a_bar(fixture, row, column):
    """Where a bar of one column ends: sorted bars may be of any heights."""
    bar = fixture.grid[:, column] == fixture.grid[-1, column]
    return bar[row:].all() != bar[row - 1 : row].all() or bool(bar[row + 1 :].all())


def at_an_end(fixture, row, column):
    """At the end of a line, which may be longer than asked for."""
    line = np.pad(fixture.grid == fixture.grid[0, len(fixture.grid) // 2], 1)
    around = line[row : row + 3, column : column + 3]
    return around[1, [0, 2]].sum() + around[[0, 2], 1].sum() == 1


def on_the_axis(fixture, row, column):
    """In the middle column of a symmetric figure."""
    columns = np.flatnonzero((fixture.grid != fixture.grid[0, 0]).any(axis=0))
    return 2 * column == columns[0] + columns[-1]


FREEDOM = {
    "arrow": near_its_tip,
    "triangle": near_its_tip,
    "sorted-bars": on_top_of_a_bar,
    "symmetric-figure": on_the_axis,
    "spiral": at_an_end,
    "clock": lambda fixture, row, column: True,  # hands may be longer or shorter
    "maze": lambda fixture, row, column: True,  # walls may stand elsewhere
    **dict.fromkeys(("digit", "letter", "number", "letter-pair"), lambda fixture, row, column: True),  # lengths
}
"""Kind → where the text leaves a single cell open; in all other kinds no cell is."""


@pytest.mark.slow
@sweep("kind", EXACT, [kind.id for kind in EXACT])
def test_one_changed_cell_is_right_only_where_the_text_leaves_it_open(kind):
    """Every cell of the four smallest right drawings, in each other colour of the drawing and in a strange one."""
    right = [fixture for fixture in FIXTURES if fixture.kind == kind.id and fixture.right and no_colour_twice(fixture)]
    still_right = changed = 0
    for fixture in sorted(right, key=lambda fixture: len(fixture.grid))[:4]:
        subject = Subject(kind, fixture.params)
        palette = [*fixture.palette, (0, 160, 150)]
        for row, column in np.ndindex(fixture.grid.shape):
            for colour in range(len(palette)):
                grid = fixture.grid.copy()
                grid[row, column] = colour
                if colour == fixture.grid[row, column]:
                    continue
                changed += 1
                if subject.check(grid, palette).solved:
                    still_right += 1
                    only = (fixture.grid == fixture.grid[row, column]).sum() == 1  # a new colour may replace it
                    assert colour < len(fixture.palette) or only, fixture.place
                    assert FREEDOM[kind.id](fixture, row, column), (fixture.place, row, column)
    assert changed >= 50 and still_right <= changed / 4


def no_colour_twice(fixture):
    """Whether every colour of a drawing can be told from the others."""
    return all(np.abs(np.subtract(a, b)).max() > 3 for a, b in itertools.combinations(fixture.palette, 2))
