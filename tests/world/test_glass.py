"""Glass and metal: pictures show what is behind and around, ground truth is that of the first surface."""

from __future__ import annotations

import numpy as np
import pytest

from pixelproof.world.edits import change_mask
from pixelproof.world.solid import MATERIALS, Camera, Environment, Light, Scene, Thing
from pixelproof.world.solid.render import render
from world.test_render import block, linear_of, shape_of

SIDE = 64
CAMERA = Camera.looking_at((0.0, 0.0, 0.5), (0.0, -4.0, 0.9), 1.6)
LAMP = Light((-2.0, -3.0, 4.0), 0.3, (12.0, 11.0, 10.0))
FLOOR = block("floor", (0.0, 0.0, -0.1), (9.0, 9.0, 0.1), colour="beige", material="stone", fixed=True)


def scene(*things: Thing, lights: tuple[Light, ...] = (LAMP,)) -> Scene:
    even = (0.5, 0.5, 0.5)
    return Scene("tabletop", 0, 0, (FLOOR, *things), CAMERA, lights, Environment(even, even, even))


def take(*things: Thing, **more: object):
    more = {"quality": "draft", "steady": True} | more
    return render(scene(*things), SIDE, shape_of=shape_of, layers=("rgb", "ids", "depth", "normals"), **more)  # type: ignore[arg-type]


def sheet(material: str, colour: str = "white") -> Thing:
    return block("sheet", (0.0, -1.0, 0.0), (0.8, 0.02, 0.8), colour=colour, material=material)


BEHIND = block("behind", (0.0, 0.5, 0.0), (0.7, 0.4, 0.7), colour="red", material="paper")


@pytest.mark.slow
def test_the_truth_of_glass_is_that_of_an_opaque_thing() -> None:
    glass, wood = take(BEHIND, sheet("glass")), take(BEHIND, sheet("plastic"))
    for name in ("ids", "depth", "normals"):
        assert np.array_equal(getattr(glass, name), getattr(wood, name))


@pytest.mark.parametrize(("material", "least"), [("pane", 0.76), ("glass", 0.45)])
def test_what_is_behind_shows_in_proportion(material: str, least: float) -> None:
    """Linear differences between a red and a white thing behind glass, over those without the glass."""
    white = block("behind", BEHIND.position, BEHIND.size, colour="white", material="paper")
    bare = [linear_of(take(one).rgb) for one in (BEHIND, white)]
    seen = [linear_of(take(one, sheet(material)).rgb) for one in (BEHIND, white)]
    front = take(BEHIND, sheet(material)).ids == 3
    both = front & (take(BEHIND).ids == 2)
    both[:, 0] = False
    share = (seen[1] - seen[0])[both][:, 1].mean() / (bare[1] - bare[0])[both][:, 1].mean()
    assert least < share < MATERIALS[material].clear
    if material == "pane":
        assert np.abs(linear_of(take(sheet(material)).rgb) - linear_of(take().rgb))[front].mean() < 0.06


def test_coloured_glass_tints() -> None:
    white = block("behind", BEHIND.position, BEHIND.size, colour="white", material="paper")
    seen = linear_of(take(white, sheet("glass", "green")).rgb)
    both = (take(white, sheet("glass")).ids == 3) & (take(white).ids == 2)
    red, green, _ = seen[both].mean(axis=0)
    assert green > 1.5 * red


def test_glass_lets_light_through_that_other_things_keep_off() -> None:
    def ground(material: str) -> float:
        lid = block("lid", (0.0, 0.6, 0.6), (1.6, 1.6, 0.01), material=material, colour="white")
        layers = take(lid)
        floor = (layers.ids == 1) & (layers.depth > 4.0) & (layers.depth < 5.0)
        floor[:, : SIDE // 4] = floor[:, -SIDE // 4 :] = False
        return float(linear_of(layers.rgb[floor]).mean())

    assert ground("plastic") < 0.8 * ground("glass") < 0.8 * ground("pane") * 1.02


def test_metal_reflects_what_stands_beside_it_in_drafts_too() -> None:
    mirror = block("mirror", (0.0, 0.6, 0.0), (1.6, 0.05, 1.2), colour="white", material="metal")
    pictures = [linear_of(take(mirror, block("a", (0.0, -0.4, 0.0), (0.3, 0.3, 0.3), colour=colour)).rgb) for colour in ("red", "blue")]  # fmt: skip # noqa: E501
    face = take(mirror, block("a", (0.0, -0.4, 0.0), (0.3, 0.3, 0.3))).ids == 2
    change = (pictures[0] - pictures[1])[face]
    assert (change[:, 0] > 0.03).mean() > 0.01 and (change[:, 2] < -0.03).mean() > 0.01


def test_a_window_of_a_picture_with_glass_is_that_part_of_it() -> None:
    things = (BEHIND, sheet("glass", "green"))
    box = (10, 20, 50, 60)
    whole, part = take(*things), take(*things, window=box)
    assert np.array_equal(part.rgb, whole.rgb[20:60, 10:50])


def test_a_thing_behind_glass_that_changes_is_in_the_change_mask() -> None:
    from pixelproof.world.solid.layouts._surroundings import fixture
    from pixelproof.world.solid.shapes import category, new_thing

    def thing(id: str, name: str, place: tuple[float, float, float], colour: str, material: str) -> Thing:
        form = {key: sum(ends) / 2 for key, ends in category(name).ranges.items()}
        return new_thing(id, name, form, colour=colour, material=material, position=place, scale=1.2)

    table = fixture("table", "tabletop", {"width": 1.2, "depth": 0.8, "thickness": 0.05}, ("#c9cfcb", "plastic"), (0.0,) * 3)  # fmt: skip # noqa: E501
    vase = thing("vase", "vase", (0.0, -0.2, 0.05), "white", "glass")
    camera = Camera.looking_at((0.0, 0.0, 0.15), (0.0, -1.2, 0.3), 1.4)
    lamp = Light((0.8, -0.6, 1.6), 0.1, (2.4, 2.4, 2.4))
    scenes = [
        Scene(
            "tabletop", 0, 0, (table, vase, thing("ball", "ball", (0.0, 0.3, 0.05), colour, "rubber")), camera, (lamp,)
        )
        for colour in ("red", "blue")
    ]
    mask = change_mask(*scenes, 96)
    pair = [render(one, 96, quality="draft", layers=("rgb", "ids"), steady=True) for one in scenes]
    through = (pair[0].ids == 2) & (np.abs(pair[0].rgb.astype(int) - pair[1].rgb).max(axis=2) > 25)
    assert through.sum() > 30 and mask.changed[through].all()
