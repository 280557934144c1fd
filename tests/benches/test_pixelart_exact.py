"""Exact checkers against drawings made by hand: what a fair reader of the text would accept, and what not."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import ImageColor

from pixelproof.benches.pixelart.subjects import KINDS, NAMES, Subject, is_called

COLOURS = dict(zip(".#rgbyope", "white black red green blue yellow orange purple grey".split(), strict=True))
BLOCKS = [block.splitlines() for block in Path(__file__).with_name("pixelart_drawings.txt").read_text().split("\n\n")]
DRAWINGS = {lines[0]: lines[1:] for lines in BLOCKS if lines[0].startswith("#")}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_get_the_verdict_that_they_deserve(name):
    subject, expected, *rows = DRAWINGS[name]
    id, params = subject.split(" ", 1)
    marks = sorted({mark for row in rows for mark in row})
    grid = [[marks.index(mark) for mark in row] for row in rows]
    palette = [ImageColor.getrgb(COLOURS[mark]) for mark in marks]
    verdict = Subject(KINDS[id], json.loads(params), wording=1).check(np.array(grid), palette)
    if expected == "solved":
        assert verdict.solved and verdict.share == 1, verdict.missed
    elif expected == "nothing":
        assert verdict.share == 0 and not verdict.solved
    else:
        assert "missed: " + "; ".join(verdict.missed) == expected
        assert verdict.share == pytest.approx(1 - len(verdict.missed) / len(verdict.met))


def test_every_exact_kind_has_a_drawing_by_hand():
    drawn = {lines[0].split()[0] for lines in DRAWINGS.values()}
    assert drawn >= {id for id, kind in KINDS.items() if kind.exact}


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
