"""Plain forms against polygons of Pillow, and silhouettes that are none."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pixelproof.benches.pixelart.subjects import KINDS
from training.drawing.forms import FORMS, is_plain, turned

SIDE = 200
CORNERS = {
    "box": [(0, 0), (1, 0), (1, 1), (0, 1)],
    "triangle": [(0.5, 0), (1, 1), (0, 1)],
    "corner": [(0, 0), (1, 1), (0, 1)],
    "diamond": [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)],
    "hexagon": [(0.5, 0), (1, 0.25), (1, 0.75), (0.5, 1), (0, 0.75), (0, 0.25)],
}
AREAS = {"disc": np.pi / 4, "half disc": np.pi / 4, "quarter disc": np.pi / 4, "cross": 0.25 * 2 - 0.0625}


def cells(name, angle=0.0):
    u, v = (np.indices((SIDE, SIDE)) + 0.5) * 2 / SIDE - 1
    return FORMS[name](*turned(u, v, angle))


def polygon(corners):
    page = Image.new("1", (SIDE, SIDE))
    ImageDraw.Draw(page).polygon([(x * SIDE, y * SIDE) for x, y in corners], 1)
    return np.asarray(page)


@pytest.mark.parametrize("name", CORNERS)
def test_straight_forms_are_polygons(name):
    found = cells(name)
    mirrored = polygon(CORNERS[name])
    assert min((found != one).mean() for one in (mirrored, mirrored.T)) < 0.015


@pytest.mark.parametrize("name", AREAS)
def test_round_forms_have_their_areas(name):
    assert cells(name).mean() == pytest.approx(AREAS[name], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_every_form_fills_its_square_and_is_plain_whichever_way_it_stands(name):
    for quarter in range(4):
        mask = cells(name, quarter * np.pi / 2)
        assert mask.any(axis=0).mean() > 0.97 and mask.any(axis=1).mean() > 0.97
        assert is_plain(mask) and is_plain(np.pad(mask, ((3, 40), (10, 0))))
        small = np.asarray(Image.fromarray(mask).resize((20, 14)))
        assert is_plain(small)


@pytest.mark.parametrize("name", ["cat", "key", "anchor", "castle", "umbrella", "rocket", "star"])
def test_silhouettes_that_say_something_are_not_plain(name):
    drawing = KINDS[name].reference(24, 10)
    grid = np.array(drawing.grid)
    assert not is_plain(grid != grid[0, 0])
