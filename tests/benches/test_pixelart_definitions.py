"""Discs, slopes and colours of exact subjects against scikit-image and linear programming; parameters."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from scipy.optimize import linprog
from skimage.color import deltaE_cie76, rgb2lab
from skimage.draw import circle_perimeter, disk

from pixelproof.benches.pixelart.subjects import KINDS, Subject

RELATION = Subject(KINDS["relation"], {"square": "red", "disc": "blue", "ground": "white", "way": "left of"})
COLOURS = [(255, 255, 255), (255, 0, 0), (0, 0, 255)]
TRIANGLE = Subject(KINDS["triangle"], {"to": "right"})


def beside_a_square(mask):
    """A red square of four cells to the left of a blue shape."""
    grid = np.zeros((len(mask) + 5,) * 2, dtype=int)
    grid[:4, :4] = 1
    grid[: mask.shape[0], 5 : 5 + mask.shape[1]] = np.where(mask, 2, 0)
    return grid


@pytest.mark.parametrize("radius", range(2, 16))
def test_circles_of_other_programs_are_discs(radius):
    rows, columns = np.indices((2 * radius + 1,) * 2) - radius
    outline = np.zeros(rows.shape, dtype=bool)
    outline[circle_perimeter(radius, radius, radius)] = True
    filled = np.zeros(rows.shape, dtype=bool)
    filled[disk((radius, radius), radius + 0.5)] = True
    for mask in (rows**2 + columns**2 <= radius**2, ndimage.binary_fill_holes(outline), filled):
        assert RELATION.check(beside_a_square(mask), COLOURS).solved, radius


@pytest.mark.parametrize("across", range(4, 20))
def test_squares_diamonds_and_nicked_discs_are_not(across):
    rows, columns = np.abs(2 * np.indices((across, across)) - across + 1)
    disc = rows**2 + columns**2 <= across**2 - 1
    nicked = disc.copy()
    nicked[0, np.flatnonzero(disc[0])[0]] = False
    shapes = [np.ones_like(disc), nicked, ndimage.binary_erosion(disc) ^ disc]
    shapes += [rows + columns <= across - across % 2] if across >= 7 else []
    for mask in shapes:
        assert not RELATION.check(beside_a_square(mask), COLOURS).solved


def pointing_right(gone, base):
    """A figure whose columns have lost so many cells on either side."""
    side = max(len(gone), base) + 2
    grid = np.zeros((side, side), dtype=int)
    for column, lost in enumerate(gone):
        grid[1 + lost : 1 + base - lost, column + 1] = 1
    return grid


def a_line_parts(gone):
    """Whether some line a·i + b has gone[i] ≤ a·i + b < gone[i] + 1 for all i, by linear programming."""
    i, one = np.arange(len(gone)), np.ones(len(gone))
    rows = np.concatenate([np.stack([-i, -one, 0 * i], axis=1), np.stack([i, one, one], axis=1)])
    limits = np.concatenate([-np.array(gone), np.array(gone) + 1])
    found = linprog([0, 0, -1], A_ub=rows, b_ub=limits, bounds=[(None, None), (None, None), (None, 1)])
    return found.x[2] > 1e-7


@pytest.mark.slow
@given(st.lists(st.integers(0, 2), min_size=2, max_size=8), st.integers(1, 2))
def test_sides_are_straight_where_a_line_parts_the_cells(steps, tip):
    gone = np.cumsum([0, *steps])
    base = 2 * int(gone[-1]) + tip
    wanted = base >= 5 and a_line_parts(gone)
    assert TRIANGLE.check(pointing_right(gone.tolist(), base), [(255, 255, 255), (0, 0, 0)]).solved == wanted


@given(st.floats(0.1, 3), st.floats(0, 0.99), st.integers(3, 9))
def test_every_straight_side_is_accepted(slope, start, length):
    gone = np.floor(slope * np.arange(length) + start).astype(int)
    base = 2 * int(gone[-1]) + 1
    if base >= 5:
        grid = pointing_right((gone - gone[0]).tolist(), base - 2 * int(gone[0]))
        if base - 2 * int(gone[0]) >= 5:
            assert TRIANGLE.check(grid, [(255, 255, 255), (0, 0, 0)]).solved


LEVEL = st.tuples(*[st.integers(0, 255)] * 3)


def lab(*colours):
    """CIELAB of colours, by scikit-image."""
    return rgb2lab(np.array([colours], dtype=np.uint8))[0]


@given(LEVEL, LEVEL)
def test_a_gradient_grows_lighter_by_cie_lightness(dark, light):
    step = np.diff(lab(dark, light)[:, 0])[0]
    grid = np.repeat([[0], [1]], 4, axis=0) * np.ones(8, dtype=int)
    solved = Subject(KINDS["gradient"], {"bands": 2, "light": "bottom"}).check(grid, [dark, light]).solved
    if abs(step - 2.5) > 0.05:
        assert solved == (step > 2.5)


@given(st.tuples(*[st.integers(0, 30)] * 3), st.tuples(*[st.integers(-3, 3)] * 3))
def test_near_blacks_that_look_the_same_are_one_colour(black, shift):
    other = tuple(np.clip(np.add(black, shift), 0, 255).tolist())
    far = deltaE_cie76(*lab(black, other))
    rows, columns = np.indices((16, 16))
    grid = np.where(rows < 8, 2, (rows + columns) % 2)  # below white, the two in turn
    flag = Subject(KINDS["gradient"], {"bands": 2, "light": "top"}).check(grid, [black, other, (255, 255, 255)])
    if far < 2.25:
        assert flag.solved


NAMES = "red orange yellow green blue purple pink white black grey".split()
OWN = {"chessboard": "black white", "die": "black white", "domino": "black white", "clock": "black white"}
OWN |= {"traffic-light": "black grey", "tic-tac-toe": "white black red blue"}
"""Kind → the colours that its text always names."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.exact], ids=lambda kind: kind.id)
def test_parameters_can_be_drawn_and_told_apart(kind):
    for seed in range(300):
        subject = kind.subject(np.random.default_rng(seed))
        values = [v for value in subject.params.values() for v in (value if isinstance(value, list) else [value])]
        named = [v for v in values if v in NAMES] + OWN.get(kind.id, "").split()
        again = 2 if kind.id == "rings" else 1  # rings are of two colours in turn
        assert max(map(named.count, named), default=0) <= again, subject.params
        if kind.id == "rings":
            assert subject.params["ground"] not in subject.params["rings"]
        assert not re.search(r"(?<!and )\b1 (cells|colours|rows|steps|rungs|dots|stripes|bands)\b", subject.text), (
            subject.text
        )
        assert subject.text.count("..") == 0 and "  " not in subject.text


@pytest.mark.slow
@pytest.mark.parametrize("hour", range(1, 13))
def test_clocks_of_every_size_can_be_drawn(hour):
    subject = Subject(KINDS["clock"], {"hour": hour, "ground": "red"})
    for size in range(16, 40):
        for seed in range(5):
            drawing = subject.draw(np.random.default_rng(seed), size)
            assert subject.check(drawing.grid, [tuple(bytes.fromhex(c)) for c in drawing.palette]).solved, (size, seed)


@pytest.mark.parametrize("id", ["triangle", "arrow"])
def test_the_text_says_that_sides_may_meet_beyond_the_tip(id):
    assert "The two lines may meet beyond the tip" in Subject(KINDS[id], {"to": "up"}).text
