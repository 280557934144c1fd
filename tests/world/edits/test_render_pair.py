"""Two scenes that are rendered together look exactly as if each were rendered alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pixelproof.world.edits import Edit, apply
from pixelproof.world.solid.render import LAYERS, render, render_pair
from world.edits.scenes import block, toys

EDITS = {
    "move": Edit("move", "mug", "left", 0.08),
    "remove": Edit("remove", "car"),
    "insert": Edit("insert", "new", "right", 0.15, "die", thing=block("new", (0.0, 0.0), turn=20.0)),
    "swap": Edit("swap", "mug", "", 0.0, "die"),
    "camera": Edit("zoom camera", "", "in", 1.1),
}


def glassy():
    """The toys, with a glass mug and a metal bowl: they show other things."""
    scene = toys()
    for id, material in (("mug", "glass"), ("bowl", "metal")):
        scene = scene.with_thing(replace(scene.thing(id), material=material))
    return scene


def assert_same(one, other):
    for name in LAYERS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("name", EDITS)
def test_rendering_together_changes_nothing(name):
    scene = glassy()
    after = apply(scene, EDITS[name]).after
    together = render_pair(scene, after, 96, 80, "draft")
    alone = [render(one, 96, 80, "draft", steady=True) for one in (scene, after)]
    for one, other in zip(together, alone, strict=True):
        assert_same(one, other)
    assert not np.array_equal(together[0].rgb, together[1].rgb)


@pytest.mark.slow
def test_rendering_together_changes_nothing_in_beauty_quality():
    scene = glassy()
    after = apply(scene, EDITS["move"]).after
    _, end = render_pair(scene, after, 64, quality="beauty")
    assert_same(end, render(after, 64, quality="beauty", steady=True))


def test_another_colour_of_a_thing_is_painted_anew():
    scene = toys()
    after = scene.with_thing(replace(scene.thing("mug"), colour="blue"))
    _, end = render_pair(scene, after, 64, quality="draft", layers=("rgb",))
    assert np.array_equal(end.rgb, render(after, 64, quality="draft", layers=("rgb",), steady=True).rgb)


def test_equal_scenes_are_rendered_once():
    one, other = render_pair(toys(), replace(toys()), 32, quality="draft", layers=("rgb",))
    assert one is other
