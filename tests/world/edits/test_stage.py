"""Windows of renders, kept structures, and a stage that draws one thing."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import pivot, placed
from pixelproof.world.edits.stage import Stage
from pixelproof.world.solid.render import render
from pixelproof.world.solid.render._structure import _kept
from world.edits.scenes import desk

SIDE = 96


@lru_cache(maxsize=2)
def whole(quality):
    return render(desk(), SIDE, quality=quality, steady=True)


SPAN = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1)).map(sorted)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(SPAN, SPAN, st.sampled_from(["draft", "draft", "beauty"]))
def test_a_window_is_the_crop_of_the_whole(across, down, quality):
    (left, right), (top, bottom) = across, down
    right, bottom = right + 1, bottom + 1
    part = render(desk(), SIDE, quality=quality, window=(left, top, right, bottom))
    for name in ("rgb", "depth", "normals", "ids"):
        assert np.array_equal(getattr(part, name), getattr(whole(quality), name)[top:bottom, left:right]), name
    assert np.array_equal(part.amodal, whole(quality).amodal[:, top:bottom, left:right])
    assert np.array_equal(part.visible, whole(quality).visible)


@pytest.mark.parametrize("window", [(0, 0, 0, 9), (9, 0, 3, 9), (-1, 0, 9, 9), (0, 0, SIDE + 1, 9)])
def test_a_window_is_inside_the_picture(window):
    with pytest.raises(PixelProofError, match="left, top, right, bottom"):
        render(desk(), SIDE, window=window)


@pytest.mark.slow
def test_structures_are_kept_with_their_scene_and_go_with_it():
    scene = replace(desk(), index=77)
    first, again = (render(scene, 64, quality="draft", layers=("rgb",)).rgb for _ in range(2))
    other = render(replace(scene, index=78), 64, quality="draft", layers=("rgb",)).rgb
    assert np.array_equal(first, again) and np.array_equal(first, other)
    kept = len(_kept)
    del scene
    gc.collect()
    assert len(_kept) < kept


def test_another_scene_with_other_things_is_not_mistaken():
    scene = desk()
    moved = scene.with_thing(placed(scene.thing("two"), 0.1, -0.2, pivot(scene.thing("two"))[2]))
    one, other = (render(one, 64, quality="draft", layers=("ids",)).ids for one in (scene, moved))
    assert (one != other).any()


@pytest.mark.parametrize("id", ["mug", "two", "book"])
def test_a_stage_draws_a_thing_where_the_renderer_does(id):
    scene = desk()
    stage = Stage(scene, id, 128)
    drawn = stage.draw(tuple(pivot(scene.thing(id)).tolist()))
    truth = render(scene, 128, quality="draft", layers=("rgb", "ids"), steady=True)
    mask = truth.ids == 1 + [thing.id for thing in scene.things].index(id)
    left, top, right, bottom = drawn.box
    alpha = np.zeros((128, 128))
    alpha[top:bottom, left:right] = drawn.alpha
    assert ((alpha > 0.5) != mask).sum() <= 0.1 * mask.sum() + 4
    assert abs(alpha.sum() - mask.sum()) < 0.03 * mask.sum() + 3
    picture = stage.compose(drawn)
    assert np.array_equal(picture[alpha == 0], stage.plate.rgb[alpha == 0])
    ours, bare = (np.abs(one[mask].astype(int) - truth.rgb[mask]).mean() for one in (picture, stage.plate.rgb))
    assert ours < 25 and ours < 0.6 * bare  # ambient light is an estimate


def test_a_stage_moves_turns_and_scales_and_hides_what_is_behind():
    scene = desk()
    stage = Stage(scene, "mug", 128)
    x, y, z = pivot(scene.thing("mug")).tolist()
    here, large = stage.draw((x, y, z)), stage.draw((x, y, z), factor=2.0)
    assert 3 < large.alpha.sum() / here.alpha.sum() < 5.5
    turned = stage.draw((x, y, z), 90.0)
    assert turned.alpha.shape != here.alpha.shape or (turned.rgb != here.rgb).any()
    assert stage.draw((x, y, -0.5)).alpha.sum() == 0  # below the table
    assert stage.draw((50.0, 0.0, z)).box == (0, 0, 0, 0)
    moved = stage.draw((x - 0.2, y, z))
    assert moved.box[0] < here.box[0]


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(SPAN, SPAN)
def test_an_isolated_window_has_the_same_surfaces_and_almost_the_same_light(across, down):
    (left, right), (top, bottom) = across, down
    window = left, top, right + 1, bottom + 1
    part = render(desk(), SIDE, quality="draft", window=window, isolated=True)
    crop = np.s_[top : bottom + 1, left : right + 1]
    for name in ("depth", "ids"):
        assert np.allclose(getattr(part, name), getattr(whole("draft"), name)[crop], atol=1e-6), name
    assert np.abs(part.rgb.astype(int) - whole("draft").rgb[crop]).mean() < 8


@pytest.mark.slow
def test_a_stage_learns_the_light_of_a_picture():
    """Indirect light and shadows, which a stage does not compute, are fitted as a gain that depends on normals."""
    stage = Stage(desk(), "two", SIDE, samples=1)
    place = pivot(desk().thing("two"))

    def error():
        drawn = stage.draw(place)
        left, top, right, bottom = drawn.box
        inside = drawn.alpha > 0.9
        return np.abs(drawn.rgb[inside] - whole("draft").rgb[top:bottom, left:right][inside].astype(float)).mean()

    plain = error()
    stage.gain = stage.fit_gain(whole("draft").rgb, place)
    assert error() < 0.6 * plain
