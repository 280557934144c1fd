"""Change masks: edited things from id maps, their light from colours, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import binary_dilation

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import Edit, apply, change_mask
from pixelproof.world.flat import make_flat
from pixelproof.world.solid.render import render
from world.edits.scenes import desk

SIDE = 128


@pytest.fixture(scope="module")
def moved():
    outcome = apply(desk(), Edit("move", "two", "closer", 0.2))
    assert outcome.possible, outcome.why_not
    layers = ("rgb", "ids", "depth")
    scenes = (desk(), outcome.after)
    pair = tuple(render(scene, SIDE, quality="draft", layers=layers, steady=True) for scene in scenes)
    return outcome.after, pair


def shown(scene, layers, id):
    return layers.ids == 1 + [thing.id for thing in scene.things].index(id)


def test_the_object_is_where_the_id_maps_show_it(moved):
    after, (one, other) = moved
    mask = change_mask(desk(), after, SIDE, rendered=(one, other))
    assert np.array_equal(mask.object, shown(desk(), one, "two") | shown(after, other, "two"))
    assert mask.object.sum() > 150


def test_light_is_the_same_surface_in_another_colour(moved):
    after, (one, other) = moved
    mask = change_mask(desk(), after, SIDE, rendered=(one, other))
    differs = np.abs(one.rgb.astype(int) - other.rgb).max(axis=2) >= 3
    assert ((mask.light | mask.edge) <= (differs & ~mask.object)).all()
    assert mask.light.sum() > 0.8 * (differs & ~mask.object & ~mask.edge).sum()  # the rest is noise
    assert (one.ids == other.ids)[mask.light | mask.edge].all()
    near = binary_dilation(mask.object, np.ones((3, 3)))
    assert not (mask.light & near).any() and (mask.edge <= near).all()
    # The lamp is at the right: shadows fall to the left of the block, old and new.
    table = 1 + [thing.id for thing in desk().things].index("table")
    assert (one.ids[mask.light] == table).mean() > 0.8 and mask.light.sum() > 100
    x = np.nonzero(mask.light)[1].mean()
    assert x < np.nonzero(mask.object)[1].mean()
    assert (mask.object.astype(int) + mask.edge + mask.light).max() == 1
    assert mask.changed.mean() < 0.25


def test_what_did_not_change_is_in_no_mask():
    mask = change_mask(desk(), desk(), 64)
    assert not mask.changed.any() and mask.rest.all()


def test_a_thing_that_is_removed_leaves_its_place_and_its_shadow(moved):
    gone = apply(desk(), Edit("remove", "two")).after
    mask = change_mask(desk(), gone, SIDE)
    assert np.array_equal(mask.object, shown(desk(), moved[1][0], "two")) and mask.light.any()


def test_a_support_that_is_renamed_changes_no_pixel():
    scene = desk()
    two = replace(scene.thing("two"), support=None)
    assert not change_mask(scene, scene.with_thing(two), 64).changed.any()


def test_another_camera_changes_every_pixel():
    after = apply(desk(), Edit("move camera", "", "up", 0.1)).after
    assert change_mask(desk(), after, 64).object.all()


def test_scenes_and_renders_must_belong_together(moved):
    after, (one, other) = moved
    small = render(after, 64, quality="draft", layers=("rgb", "ids", "depth"))
    for rendered in ((one, small), (one, render(after, SIDE, quality="draft", layers=("ids",)))):
        with pytest.raises(PixelProofError, match="rgb, ids and depth"):
            change_mask(desk(), after, SIDE, rendered=rendered)
    with pytest.raises(PixelProofError, match="one world"):
        change_mask(desk(), make_flat(7))
    with pytest.raises(PixelProofError, match="one size"):
        change_mask(make_flat(7, side=128, things=2, plates=0, pair=False, hop=False), make_flat(7))


@pytest.mark.parametrize("size", [None, "96", 96.5, 0])
def test_a_size_that_is_no_size_is_refused(size):
    with pytest.raises(PixelProofError, match="choose sides from 1"):
        change_mask(desk(), desk(), size)
