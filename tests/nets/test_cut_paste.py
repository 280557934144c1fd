"""Editors that move pixels: what they are given, what they do, and what they decline."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benches.spatial.desk_pairs import STEPS, DeskBench
from pixelproof.benches.spatial._annotations import annotate
from pixelproof.contract import Fault, PixelProofError, Prompt, Source
from pixelproof.models import open_model
from pixelproof.nets import EditInputs, GroundView, Migan, get_net
from pixelproof.pixels import read_image
from pixelproof.store import asset_path
from pixelproof.world.edits import pivot
from world.edits.scenes import desk

pytestmark = pytest.mark.slow  # renders
BENCH = DeskBench(annotations="things")
DECLINED = {"rotation", "insertion", "multi-step"}


def needs(*assets: str) -> None:
    pytest.importorskip("onnxruntime")
    for asset in assets:
        try:
            asset_path(asset)
        except PixelProofError as error:
            pytest.skip(str(error))


@pytest.fixture(autouse=True, scope="module")
def cv2():
    return pytest.importorskip("cv2")


@pytest.fixture(scope="module")
def items():
    listed = list(BENCH.items(Source("world"), 0, None))
    return dict(zip([*STEPS, "impossible", "twin"], listed, strict=True))


def rgb(answer):
    assert answer.failure is None, answer.failure
    return read_image(answer.images[-1]).astype(int)


def ask(item, name="cut-paste", bench=BENCH):
    model = open_model(f"nets/{name}", bench)
    return model.answer(bench.prompt(item), item, 0, 0)


def layers(item, which):
    pair = BENCH.pair_of(item)
    return BENCH.renderer_of(item).render(getattr(pair, which))


def mask_of(item, which, id):
    scene = getattr(BENCH.pair_of(item), which)
    number = next(n for n, thing in enumerate(scene.things, 1) if thing.id == id)
    return layers(item, which).ids == number


@pytest.mark.parametrize("operation", STEPS)
def test_the_annotations_say_nothing_about_the_target(items, operation):
    pair, renderer = BENCH.pair_of(items[operation]), BENCH.renderer_of(items[operation])
    known = annotate(pair, renderer)
    assert annotate(replace(pair, after=pair.before, text="", difficulty={}), renderer) == known
    named = {id for step in pair.steps for id in (step.target, step.anchor) if id}
    assert set(known["things"]) <= named, "no other thing"
    assert set(known) == {"camera", "steps", "things"} and all("thing" not in step for step in known["steps"])


def test_impossible_edits_and_their_twins_are_annotated_alike(items):
    for name in ("impossible", "twin"):
        assert BENCH.prompt(items[name]).data["annotations"] is None
        answer = ask(items[name])
        assert answer.failure.fault is Fault.MODEL and "not annotated" in answer.failure.detail


def test_annotations_are_given_on_request_alone(items):
    plain = DeskBench()
    assert set(plain.prompt(items["move"]).data) == {"instruction", "photo"}
    assert plain.prompt(items["move"]).parts == BENCH.prompt(items["move"]).parts, "models that read see no difference"
    with pytest.raises(PixelProofError, match="--annotations things"):
        ask(items["move"], bench=plain)
    damaged = Prompt((), data={"photo": BENCH.prompt(items["move"]).data["photo"], "annotations": {"camera": 3}})
    with pytest.raises(PixelProofError, match="malformed"):
        EditInputs.of(damaged)


@pytest.mark.parametrize("operation", STEPS)
def test_what_moving_pixels_cannot_do_is_declined(items, operation):
    answer = ask(items[operation])
    if operation in DECLINED:
        assert answer.failure.fault is Fault.MODEL and answer.failure.name == "cannot-edit"
        assert BENCH.score(items[operation], answer, {}).failure == answer.failure
    else:
        assert rgb(answer).shape == (256, 256, 3)


def test_a_moved_thing_is_where_it_should_be_and_gone_from_where_it_was(items):
    item = items["move"]
    picture, before = rgb(ask(item)), layers(item, "before").rgb.astype(int)
    old, new = mask_of(item, "before", "two"), mask_of(item, "after", "two")
    colour = before[old].mean(axis=0)
    like = np.abs(picture - colour).sum(axis=2) < np.abs(before[~old] - colour).sum(axis=1).min() + 60
    assert like[new].mean() > 0.7 and like[old & ~new].mean() < 0.1
    untouched = ~cv2_dilate(old | new, 6)
    assert np.array_equal(picture[untouched], before[untouched]), "nothing else has changed"


def cv2_dilate(mask, margin):
    import cv2

    return cv2.dilate(mask.astype(np.uint8), np.ones((2 * margin + 1,) * 2, np.uint8)).astype(bool)


def test_removal_changes_the_pixels_of_the_thing_alone(items):
    item = items["removal"]
    picture, before = rgb(ask(item)), layers(item, "before").rgb.astype(int)
    mask = mask_of(item, "before", "two")
    rim = cv2_dilate(mask, 3)
    assert np.array_equal(picture[~rim], before[~rim])
    target = layers(item, "after").rgb.astype(int)
    assert np.abs(picture - target)[mask].mean() < 0.35 * np.abs(before - target)[mask].mean()


def test_a_turn_of_the_camera_is_a_homography(items):
    item = items["viewpoint"]
    picture, target = rgb(ask(item)), layers(item, "after").rgb.astype(int)
    inner = np.s_[40:-40, 40:-40]
    copy = layers(item, "before").rgb.astype(int)
    assert np.abs(picture - target)[inner].mean() < 0.15 * np.abs(copy - target)[inner].mean()


def test_scaling_changes_the_area_by_the_square(items):
    item = items["scaling"]
    before = layers(item, "before").rgb.astype(int)
    old, new = mask_of(item, "before", "two"), mask_of(item, "after", "two")
    changed = np.abs(rgb(ask(item)) - before).sum(axis=2) > 40
    grown = changed & new & ~old
    assert grown.sum() > 0.7 * (new & ~old).sum()


@given(st.floats(20, 230), st.floats(120, 230), st.floats(0, 0.2))
def test_points_of_a_plane_project_back(x, y, height):
    view = GroundView(desk().camera, 256, 256)
    point = view.on_plane([(x, y)], desk().thing("two").position[2] + height)[0]
    if not np.isnan(point).any():
        pixel, depth = view.project(point)
        assert np.allclose(pixel, (x, y), atol=1e-6) and depth > 0


def test_the_place_of_a_thing_follows_from_its_mask(items):
    scene = desk()
    view = GroundView(scene.camera, 256, 256)
    for id in ("two", "mug"):
        mask = mask_of(items["move"], "before", id)
        centre = view.centre_of(mask, float(pivot(scene.thing(id))[2]))
        assert np.linalg.norm(centre - pivot(scene.thing(id))) < 0.03
    assert view.centre_of(np.zeros((256, 256), bool), 0.0) is None


def test_cards_name_weights_and_libraries():
    card = get_net("cut-paste").card()
    assert card["weights"] == {} and card["runtime"][0].startswith("opencv")
    assert json.loads(json.dumps(card)) == card


def test_migan_fills_holes_and_nothing_else():
    needs("migan")
    grey = np.full((120, 200, 3), 90, np.uint8)
    hole = np.zeros((120, 200), bool)
    migan = Migan()
    assert np.array_equal(migan.fill(grey, hole), grey)
    hole[50:60, 80:100] = True
    red, black = grey.copy(), grey.copy()
    red[hole], black[hole] = (255, 0, 0), 0
    filled = migan.fill(red, hole)
    assert np.array_equal(filled[~hole], grey[~hole])
    assert np.abs(filled.astype(int) - 90).max() < 10, "a plain surface stays plain"
    assert np.array_equal(filled, migan.fill(black, hole)), "what is removed leaves no trace"


def test_missing_weights_are_one_sentence_with_the_command(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    with pytest.raises(PixelProofError, match="pixelproof data assets get migan"):
        get_net("cut-paste-migan")


def test_masks_by_sam_and_holes_by_migan(items):
    needs("migan", "sam2-tiny")
    known, segmented = rgb(ask(items["move"])), rgb(ask(items["move"], "cut-paste-sam2-migan"))
    assert np.abs(known - segmented).mean() < 3, "the mask of a block is easy"
