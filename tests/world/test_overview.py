"""The small picture of a scene, put together from its things, against the renderer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pixelproof.world.edits import Edit, apply
from pixelproof.world.solid.render import render
from pixelproof.world.solid.render._raster import overview
from world.edits.scenes import boards, desk, toys, with_camera

SIDE = 96


def agrees(scene):
    seen, layers = overview(scene, SIDE), render(scene, SIDE, quality="draft", layers=("ids", "visible"))
    return np.array_equal(seen.ids, layers.ids) and np.array_equal(seen.visible, layers.visible)


@pytest.mark.parametrize("make", [desk, toys, boards, partial(desk, stacked=True)])
def test_it_has_the_values_of_the_renderer(make):
    assert agrees(make())


@pytest.mark.parametrize(
    "edit", [Edit("move", "two", "left", 0.2), Edit("remove", "mug"), Edit("turn camera", way="left", amount=5.0)]
)
def test_edited_scenes_share_things_and_still_agree(edit):
    before = desk()
    overview(before, SIDE)
    assert agrees(apply(before, edit, share=1.0).after or pytest.fail("the edit is possible"))
    assert agrees(before)


def test_things_behind_the_camera_and_out_of_the_picture():
    near = with_camera(desk(), position=(0.0, 0.05, 0.3))
    far = replace(desk(), things=tuple(replace(one, position=(9.0, 9.0, 0.0)) for one in desk().things))
    assert agrees(near) and agrees(far) and not overview(far, SIDE).visible.any()
