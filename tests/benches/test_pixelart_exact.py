"""The published maze, against drawings made by hand; and colours by their names."""

import numpy as np
import pytest
from PIL import ImageColor

from pixelproof.benches.pixelart.subjects import NAMES, is_called, published

COLOURS = {".": "white", "#": "black", "r": "red", "g": "green", "y": "yellow"}
MAZES = """
a maze as a hall: nothing
#.######
#......#
#......#
#......#
#......#
#......#
######.#

a maze: solved
#.#######
#.#.....#
#.#.###.#
#.#.#...#
#.#.#.###
#...#...#
#######.#
#.......#
#######.#

a maze with its way barred: missed: exit; a way through; winding
#.#######
#.#.....#
#.#.###.#
#.#.#...#
#.#.#.###
#...#...#
#######.#
#.......#
#########

a straight passage: missed: winding
#.########
#.########
#.########
#.########
#.########
#.########
#........#
########.#
########.#
########.#

a maze with start and goal marked: solved
#g#######
#.#.....#
#.#.###.#
#.#.#...#
#.#.#.###
#...#...#
#######.#
#.......#
#######r#

a maze without any opening: missed: entrance; exit; a way through; winding
#########
#.#.....#
#.#.###.#
#.#.#...#
#.#.#.###
#...#...#
#######.#
#.......#
#########

a maze with a margin: solved
yyyyyyyyyyy
y#.#######y
y#.#.....#y
y#.#.###.#y
y#.#.#...#y
y#.#.#.###y
y#...#...#y
y#######.#y
y#.......#y
y#######.#y
yyyyyyyyyyy
"""


@pytest.mark.parametrize("drawing", MAZES.strip().split("\n\n"), ids=lambda drawing: drawing.split(":")[0])
def test_the_published_maze_gets_the_verdict_of_a_fair_reader(drawing):
    title, *rows = drawing.splitlines()
    marks = sorted({mark for row in rows for mark in row})
    grid = np.array([[marks.index(mark) for mark in row] for row in rows])
    verdict = published("maze").check(grid, [ImageColor.getrgb(COLOURS[mark]) for mark in marks])
    expected = title.split(": ", 1)[1]
    if expected == "nothing":
        assert verdict.share == 0 and not verdict.solved
    elif expected == "solved":
        assert verdict.solved and verdict.share == 1
    else:
        assert "missed: " + "; ".join(verdict.missed) == expected
        assert verdict.share == pytest.approx(1 - len(verdict.missed) / len(verdict.met))


@pytest.mark.parametrize(
    ("css", "names"),
    [
        ("red crimson firebrick darkred #ff0000 #e53935", {"red"}),
        ("orange darkorange #ff8800", {"orange"}),
        ("yellow gold #ffeb3b", {"yellow"}),
        ("green lime forestgreen darkgreen limegreen #4caf50", {"green"}),
        ("blue navy royalblue dodgerblue mediumblue #2196f3", {"blue"}),
        ("purple indigo rebeccapurple blueviolet #9c27b0", {"purple"}),
        ("pink lightpink hotpink deeppink", {"pink"}),
        ("black #111111 #000000", {"black"}),
        ("white ivory snow whitesmoke", {"white"}),
        ("grey silver darkgrey lightgrey slategrey", {"grey"}),
        ("cyan teal tan saddlebrown", set()),
        ("magenta violet", {"purple", "pink"}),
    ],
)
def test_colours_are_called_as_people_call_them(css, names):
    for colour in css.split():
        assert {name for name in NAMES if is_called(ImageColor.getrgb(colour), name)} == names, colour
