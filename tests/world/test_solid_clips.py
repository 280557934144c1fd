"""Clips of solid scenes: no rule broken at either end, nothing in another on the way, smooth, and tracks that fit."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.solid import Camera, Light, Scene, make_scene, rotation_matrix, violations, yaw
from pixelproof.world.solid._settle import Simulation, corners, settle
from pixelproof.world.solid.clips import (
    CameraMove,
    Move,
    SolidClip,
    clip_sheet,
    ease,
    make_clip,
    read_clip,
    render_clip,
    tracks,
    worst_overlap,
    write_clip,
    write_webp,
)  # fmt: skip
from pixelproof.world.solid.clips._make import _move, _rolling
from pixelproof.world.solid.layouts._placing import ON_ITS_SIDE
from pixelproof.world.solid.layouts._surroundings import fixture
from pixelproof.world.solid.shapes import CATEGORIES, new_thing

TRUTH = ("ids", "amodal", "visible")


@pytest.fixture(scope="module")
def clip():
    return make_clip("tabletop", 5, 1, frames=9, movers=2)


@pytest.fixture(scope="module")
def taken(clip):
    return list(render_clip(clip, 96, layers=("rgb", *TRUTH)))


def table_with(category, rotation=(1.0, 0.0, 0.0, 0.0)):
    """One thing on a wide table, at rest."""
    kind = CATEGORIES[category]
    form = {key: sum(ends) / 2 for key, ends in kind.ranges.items()}  # no held-out shape
    look = {"colour": kind.colours[0], "material": kind.materials[0]}
    thing = new_thing(f"{category}-1", category, form, **look, position=(0.0, 0.0, 0.0), rotation=rotation)
    low = np.concatenate(corners(thing))[:, 2].min()
    thing = replace(thing, position=(0.0, 0.0, 0.0402 - float(low)), support="tabletop")
    size = {"width": 1.6, "depth": 1.1, "thickness": 0.04}
    top = fixture("tabletop", "tabletop", size, ("#b98a5c", "wooden"), (0.0, 0.0, 0.0))
    camera = Camera.looking_at((0.0, 0.0, 0.05), (0.0, -1.6, 1.2))
    return Scene("tabletop", 0, 0, settle((top, thing)), camera, (Light((1.0, -1.0, 2.0), 0.1, (3.0,) * 3),))


@pytest.mark.slow
def test_the_ends_break_no_rule_and_the_first_frame_is_a_scene(clip):
    assert clip.frame(0) == clip.scene
    assert not violations(clip.frame(0), 0.5) and not violations(clip.frame(8), 0.5)
    assert len(clip.moves) == 2 and {thing.id for thing in clip.scene.movable} >= {move.id for move in clip.moves}


@pytest.mark.slow
def test_nothing_is_in_another_on_the_way(clip):
    for share in np.linspace(0, 8, 41).tolist():
        contacts = Simulation(clip.frame(share).things).contacts()
        assert all(contact.depth <= 0.001 for contact in contacts)


@pytest.mark.slow
def test_a_way_through_another_thing_is_noticed():
    scene = make_scene("tabletop", 5, 1)
    one, other = scene.movable[:2]
    through = Move(one.id, "slide", 0, 8, (*other.position[:2], one.position[2]), one.rotation, "tabletop")
    assert worst_overlap(scene, one, through) > 0.001


@pytest.mark.slow
def test_the_same_arguments_give_the_same_clip_and_pictures(clip, taken):
    again = make_clip("tabletop", 5, 1, frames=9, movers=2)
    assert again == clip and make_clip("tabletop", 5, 2, frames=9, movers=2) != clip
    layers = list(render_clip(again, 96, layers=("rgb", *TRUTH)))
    for one, other in zip(layers, taken, strict=True):
        assert np.array_equal(one.rgb, other.rgb) and np.array_equal(one.ids, other.ids)


@pytest.mark.slow
def test_json_comes_back_and_others_are_refused(clip):
    assert SolidClip.from_json(clip.to_json()) == clip
    with pytest.raises(PixelProofError, match="not JSON"):
        SolidClip.from_json("{")
    with pytest.raises(PixelProofError, match="version 1 but 7"):
        SolidClip.from_json(json.dumps(json.loads(clip.to_json()) | {"version": 7}))
    data = json.loads(clip.to_json())
    data["moves"][0]["kind"] = "fly"
    with pytest.raises(PixelProofError, match=r"clip.moves\[0\].kind must be one of slide, roll, lift"):
        SolidClip.from_json(json.dumps(data))


@pytest.mark.slow
def test_tracks_are_those_of_the_masks(clip, taken):
    found = tracks(clip, taken)
    assert set(found) == {thing.id for thing in clip.scene.movable}
    for place, thing in enumerate(clip.scene.things):
        for number, seen in enumerate(found.get(thing.id, ())):
            mask, whole = taken[number].ids == place + 1, taken[number].amodal[place]
            assert seen.frame == number and seen.pixels == mask.sum()
            assert seen.visible == pytest.approx(mask.sum() / max(whole.sum(), 1))
            for box, pixels in ((seen.box, mask), (seen.amodal_box, whole)):
                if box is None:
                    assert not pixels.any()
                    continue
                image = Image.fromarray(pixels.astype(np.uint8) * 255)
                assert image.getbbox() == box  # Pillow's own


@pytest.mark.slow
def test_only_movers_move_in_the_pictures(clip, taken):
    for place, thing in enumerate(clip.scene.things):
        moving = thing.id in {move.id for move in clip.moves}
        if not thing.fixed:
            still = all(np.array_equal(taken[0].amodal[place], layers.amodal[place]) for layers in taken)
            assert still != moving


@pytest.mark.slow
@given(st.floats(0, 1), st.floats(0, 1))
def test_ease_goes_up(one, other):
    low, high = sorted((one, other))
    assert 0 <= ease(low) <= ease(high) <= 1
    assert ease(one) == pytest.approx(1 - ease(1 - one), abs=1e-12)


@pytest.mark.slow
@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    kind=st.sampled_from(["slide", "roll", "lift"]),
    end=st.tuples(st.floats(-0.6, 0.6), st.floats(-0.4, 0.4)).filter(lambda end: math.hypot(*end) > 0.05),
    turn=st.floats(-170, 170),
    height=st.floats(0.05, 0.5),
)
def test_a_move_is_smooth(kind, end, turn, height):
    ball = new_thing("ball-1", "ball", {"radius": 0.05}, colour="red", material="rubber", position=(0.0, 0.0, 0.04))
    level = kind != "lift"
    rotation = (1.0, 0.0, 0.0, 0.0) if kind == "roll" else yaw(turn)
    move = Move("ball-1", kind, 0, 200, (*end, 0.04 if level else 0.2), rotation, "tabletop", height, 0.0)
    move = _rolling(ball, move) if kind == "roll" else move
    middles = []
    for share in np.linspace(0, 1, 201).tolist():
        now = move.along(ball, share)
        middles.append(now.position + rotation_matrix(now.rotation) @ (0.0, 0.0, 0.05))
    steps = np.diff(np.array(middles), axis=0)
    length = math.hypot(*end) + 2 * height + 0.2
    assert np.abs(steps[[0, -1]]).max() < 1e-4 * length  # it begins and ends at rest
    assert np.abs(np.diff(steps, axis=0)).max() < 2e-3 * length  # and never jolts: twice the largest of its curve
    assert np.allclose(middles[-1][:2], end, atol=1e-5) and move.along(ball, 1.0).support == "tabletop"


@pytest.mark.slow
@pytest.mark.parametrize(("category", "rotation"), [("ball", (1.0, 0.0, 0.0, 0.0)), ("toilet roll", ON_ITS_SIDE)])
def test_what_is_round_rolls_without_slipping(category, rotation):
    scene = table_with(category, rotation)
    thing = scene.movable[0]
    for number in range(8):
        move = _move(generator(number, "test"), scene, thing, (0, 10), 1.0, False)
        if move and move.kind == "roll":
            break
    assert move is not None and move.kind == "roll"
    middle = np.array([0.0, 0.0, thing.size[2] / 2])
    ends = [np.array(each.position) + rotation_matrix(each.rotation) @ middle for each in (thing, move)]
    assert math.radians(move.angle) == pytest.approx(math.dist(*ends) / (max(thing.size[:2]) / 2), rel=0.01)
    assert not violations(scene.with_thing(move.along(thing, 1.0)))
    # The point that touches the ground has no speed.
    early, late = (move.along(thing, share) for share in (0.5, 0.5 + 1e-5))
    centres = [np.array(each.position) + rotation_matrix(each.rotation) @ middle for each in (early, late)]
    touch = centres[0] - (0.0, 0.0, max(thing.size[:2]) / 2)
    own = rotation_matrix(early.rotation).T @ (touch - early.position)
    moved = np.array(late.position) + rotation_matrix(late.rotation) @ own
    assert np.linalg.norm(moved - touch) < 0.03 * np.linalg.norm(centres[1] - centres[0])


def test_a_camera_goes_around_and_looks_at_the_same():
    camera = Camera.looking_at((0.1, 0.2, 0.3), (0.0, -2.0, 1.0))
    move = CameraMove((0.1, 0.2, 0.3), orbit=40.0, dolly=-0.25, first=0, last=10)
    assert move.at(camera, 0) == camera
    for frame in (3, 10):
        there = move.at(camera, frame)
        share = ease(frame / 10)
        assert there.project([[0.1, 0.2, 0.3]], 100, 100)[0, :2] == pytest.approx([50, 50], abs=1e-6)
        before = np.linalg.norm(np.subtract(camera.position, move.target))
        assert np.linalg.norm(np.subtract(there.position, move.target)) == pytest.approx(before * (1 + 0.25 * share))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "motion"), [("tabletop", "object"), ("room", "camera"), ("shelf", "both")])
def test_every_kind_and_motion(kind, motion):
    clip = make_clip(kind, 11, 0, frames=6, motion=motion)
    assert bool(clip.moves) == (motion != "camera") and bool(clip.camera) == (motion != "object")
    for frame in (0, 5):
        assert not violations(clip.frame(frame), 0.5)
    for frame in np.linspace(0, 5, 11).tolist():
        assert all(contact.depth <= 0.001 for contact in Simulation(clip.frame(frame).things).contacts())


@pytest.mark.slow
def test_a_thing_hides_behind_others_if_it_is_asked_to():
    clip = make_clip("tabletop", 5, 2, frames=16, hide=True, occlusion=0.8)
    seen = tracks(clip, list(render_clip(clip, 128, layers=TRUTH)))[clip.moves[0].id]
    assert min(each.visible for each in seen) < 0.55


@pytest.mark.slow
def test_files_come_back(tmp_path, clip, taken):
    write_clip(tmp_path / "a", clip, taken)
    write_clip(tmp_path / "b", clip, taken)
    assert read_clip(tmp_path / "a") == clip
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files[:3] == ["000000.json", "000000.npz", "000000.png"] and len(files) == 3 * 9 + 3
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    stored = json.loads((tmp_path / "a" / "tracks.json").read_text())
    assert stored[clip.moves[0].id][3]["pixels"] == tracks(clip, taken)[clip.moves[0].id][3].pixels
    with pytest.raises(PixelProofError, match="9 frames, but 8"):
        write_clip(tmp_path / "c", clip, taken[:8])
    with pytest.raises(PixelProofError, match="name the file of a clip"):
        read_clip(tmp_path / "nowhere")


@pytest.mark.slow
def test_an_animation_has_all_frames_and_lossless_is_exact(tmp_path, taken):
    pictures = [layers.rgb for layers in taken]
    write_webp(tmp_path / "clip.webp", pictures, 10, quality=100)
    with Image.open(tmp_path / "clip.webp") as image:
        assert image.n_frames == 9 and image.info["loop"] == 0
        for number, picture in enumerate(pictures):
            image.seek(number)
            assert np.array_equal(np.asarray(image.convert("RGB")), picture)
            assert image.info["duration"] == 100
    with pytest.raises(PixelProofError, match="all of one size"):
        write_webp(tmp_path / "none.webp", [])
    with pytest.raises(PixelProofError, match="frame rate of a clip"):
        write_webp(tmp_path / "none.webp", pictures, 0)
    with pytest.raises(PixelProofError, match="0 to 100, not 101"):
        write_webp(tmp_path / "none.webp", pictures, quality=101)
    assert clip_sheet(taken).ndim == 3


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"motion": "wind"}, "Choose one of: object, camera, both"),
        ({"frames": 1}, "2 to 10000, not 1"),
        ({"frames": 3, "movers": 3}, "4 to 10000, not 3"),
        ({"frames": 9.5}, "not 9.5"),
        ({"movers": 9}, "1 to 4, not 9"),
        ({"movers": 2, "motion": "camera"}, "Only the camera moves"),
        ({"hide": True, "motion": "camera"}, "Only the camera moves"),
        ({"fps": 0}, "frame rate of a clip must be from 0.1 to 240, not 0"),
        ({"seed": -1}, "A seed must be a whole number"),
        ({"index": -1}, "An index must be a whole number"),
        ({"kind": "sea"}, "Choose one of: tabletop"),
    ],
)
def test_what_is_not_possible_is_said(given_, sentence):
    with pytest.raises(PixelProofError, match=sentence):
        make_clip(**{"kind": "tabletop", "seed": 1} | given_)


def test_clips_speak_of_what_is_there(clip):
    with pytest.raises(PixelProofError, match="name things of its scene"):
        replace(clip, moves=(replace(clip.moves[0], id="ghost"),))
    with pytest.raises(PixelProofError, match="one thing twice"):
        replace(clip, moves=(clip.moves[0], clip.moves[0]))
    with pytest.raises(PixelProofError, match="frames 0 to 8, not 9"):
        clip.frame(9)
    with pytest.raises(PixelProofError, match="Choose one of: slide, roll, lift"):
        replace(clip.moves[0], kind="zigzag")
    with pytest.raises(PixelProofError, match="give it a time"):
        CameraMove((0.0, 0.0, 0.0), 10.0, first=3, last=3)
    with pytest.raises(PixelProofError, match="stop before the target"):
        CameraMove((0.0, 0.0, 0.0), dolly=1.0)
