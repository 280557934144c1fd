"""Scenes are read back from pixels: what moved, what is gone, where the camera is."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import fft, ndimage
from skimage.registration import phase_cross_correlation

from pixelproof.benches.spatial import Spatial
from pixelproof.benches.spatial.perception import displacement, read_outlines, read_scene
from pixelproof.benches.spatial.scores import score_edits, turn_error
from pixelproof.contract import Source
from pixelproof.models import open_model
from pixelproof.pixels import read_image
from pixelproof.world.edits import Edit, apply, pivot
from pixelproof.world.solid import make_scene, rotation_matrix
from pixelproof.world.solid.render import render
from world.edits.scenes import block, desk, toys

SIDE = 256
pytestmark = pytest.mark.slow


def picture(scene, quality=90):
    rgb = render(scene, SIDE, quality="draft", layers=("rgb",)).rgb
    if not quality:
        return rgb
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def read(before, after, edit, change=lambda rgb: rgb):
    return read_scene(before, picture(before, 0), change(picture(after)), [edit])


def position_error(reading, after, id):
    return math.dist(pivot(reading.scene.thing(id)), pivot(after.thing(id)))


@pytest.mark.parametrize(
    "share", [0.0, 0.5, *(pytest.param(share, marks=pytest.mark.sweep) for share in (-1.0, 0.25, 1.0, 1.5))]
)
def test_moves_are_read_in_millimetres(share):
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit, share).after
    reading = read(desk(), after, edit)
    assert not reading.doubts and not reading.changed
    assert position_error(reading, after, "mug") < 0.003
    if share == 0:
        assert reading.scene == desk()


def test_turns_are_read():
    edit = Edit("turn", "car", "clockwise", 70.0)
    after = apply(toys(), edit, 1 - 1e-9).after
    got = read(toys(), after, edit).scene.thing("car")
    assert turn_error(rotation_matrix(after.thing("car").rotation), rotation_matrix(got.rotation), "C1") < 3


@pytest.mark.parametrize("degrees", [100.0, 165.0])
def test_turns_that_show_or_hide_a_handle_are_read(degrees):
    edit = Edit("turn", "mug", "clockwise", degrees)
    after = apply(desk(), edit, 1 - 1e-9).after
    got = read(desk(), after, edit).scene.thing("mug")
    assert turn_error(rotation_matrix(after.thing("mug").rotation), rotation_matrix(got.rotation), "C1") < 8


def test_a_lettered_box_that_is_turned_halfway_has_turned():
    parcel = replace(block("parcel", (0.05, 0.0), "parcel"), text="TOKYO")
    scene = replace(desk(), things=(*desk().without("one").things, parcel))
    edit = Edit("turn", "parcel", "clockwise", 180.0)
    after = apply(scene, edit, 1 - 1e-9).after
    got = read(scene, after, edit).scene.thing("parcel")
    assert turn_error(rotation_matrix(after.thing("parcel").rotation), rotation_matrix(got.rotation), "C1") < 5


def test_scales_are_read():
    edit = Edit("scale", "car", amount=1.4)
    after = apply(toys(), edit, 1 - 1e-9).after
    assert read(toys(), after, edit).scene.thing("car").scale / after.thing("car").scale == pytest.approx(1, abs=0.03)


@pytest.mark.sweep
def test_a_thing_that_grew_on_a_shelf_did_not_come_closer():
    """Seen from the side, both look alike in outline; shadows and parts tell."""
    scene = make_scene("shelf", seed=47, index=2)
    edit = Edit("scale", "cupcake-1", amount=1.25)
    after = apply(scene, edit, 1 - 1e-9).after
    reading = read(scene, after, edit)
    assert position_error(reading, after, "cupcake-1") < 0.003
    assert reading.scene.thing("cupcake-1").scale / after.thing("cupcake-1").scale == pytest.approx(1, abs=0.02)


@pytest.mark.sweep
def test_a_turn_on_a_shelf_is_followed_to_where_the_render_fits_best():
    scene = make_scene("shelf", seed=47, index=3)
    edit = Edit("turn", "toy-boat-2", "clockwise", 75.0)
    after = apply(scene, edit, 1 - 1e-9).after
    got = read(scene, after, edit).scene.thing("toy-boat-2")
    assert turn_error(rotation_matrix(after.thing("toy-boat-2").rotation), rotation_matrix(got.rotation), "C1") < 4


def test_a_thing_that_is_gone_is_missing():
    edit = Edit("move", "mug", "left", 0.12)
    reading = read(desk(), desk().without("mug"), edit)
    assert all(thing.id != "mug" for thing in reading.scene.things) and not reading.changed


@pytest.mark.sweep
def test_a_thing_that_became_another_one_is_in_doubt():
    edit = Edit("move", "mug", "left", 0.12)
    bowl = replace(block("bowl", (-0.12, 0.25), "bowl"), colour="green")
    after = replace(desk().without("mug"), things=(*desk().without("mug").things, bowl))
    assert read(desk(), after, edit).doubts


def test_a_bystander_that_moved_is_named_and_found():
    edit = Edit("move", "mug", "left", 0.12)
    x, y, z = desk().thing("two").position
    after = apply(desk(), edit).after
    after = after.with_thing(replace(after.thing("two"), position=(x + 0.03, y, z)))
    reading = read(desk(), after, edit)
    assert reading.changed == ("two",)
    assert position_error(reading, after, "two") < 0.005 and position_error(reading, after, "mug") < 0.003


def test_the_wrong_instance_is_not_taken_for_the_right_one():
    after = apply(desk(), Edit("move", "two", "left", 0.08), 1 - 1e-9).after
    reading = read(desk(), after, Edit("move", "one", "left", 0.08))
    assert position_error(reading, desk(), "one") < 1e-9
    assert "two" in reading.changed and position_error(reading, after, "two") < 0.005


def test_light_size_and_noise_make_no_difference():
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit).after

    def degraded(rgb):
        small = Image.fromarray(rgb).resize((192, 192), Image.Resampling.LANCZOS)
        noise = np.random.default_rng(0).normal(0, 3, (192, 192, 3))
        return np.clip(0.9 * np.asarray(small, np.float64) + 8 + noise, 0, 255).astype(np.uint8)

    assert position_error(read(desk(), after, edit, degraded), after, "mug") < 0.006


@pytest.mark.parametrize(
    "edit", [Edit("move camera", way="right", amount=0.15), Edit("turn camera", way="left", amount=8.0)]
)
def test_cameras_are_read(edit):
    after = apply(desk(), edit, 1 - 1e-9).after
    camera = read(desk(), after, edit).scene.camera
    turned = turn_error(rotation_matrix(after.camera.rotation), rotation_matrix(camera.rotation), "C1")
    assert math.dist(camera.position, after.camera.position) < 0.02 and turned < 0.5


def camera_errors(reading, after):
    camera = reading.scene.camera
    turned = turn_error(rotation_matrix(after.camera.rotation), rotation_matrix(camera.rotation), "C1")
    return math.dist(camera.position, after.camera.position), turned, math.log(camera.focal / after.camera.focal)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("move camera", way="back", amount=0.4),
        Edit("turn camera", way="up", amount=12.0),
        Edit("zoom camera", way="in", amount=1.4),
    ],
)
def test_cameras_are_read_in_millimetres_and_in_other_light(edit):
    after = apply(desk(), edit, 1 - 1e-9).after
    reading = read(desk(), after, edit, lambda rgb: np.clip(0.85 * rgb + 12.0, 0, 255).astype(np.uint8))
    away, turned, zoomed = camera_errors(reading, after)
    assert not reading.doubts and away < 0.004 and turned < 0.15 and abs(zoomed) < 0.005


@pytest.mark.sweep
def test_a_camera_that_moved_and_turned_did_not_only_move():
    edit = Edit("move camera", way="right", amount=0.15)
    after = apply(apply(desk(), edit, 1 - 1e-9).after, Edit("turn camera", way="left", amount=2.0), 1 - 1e-9).after
    away, turned, _ = camera_errors(read(desk(), after, edit), after)
    assert away < 0.01 and turned < 0.4


def test_a_nudged_camera_is_not_a_moved_thing():
    nudged = apply(desk(), Edit("move camera", way="left", amount=0.03), 1 - 1e-9).after
    reading = read(desk(), nudged, Edit("move", "mug", "right", 0.1))
    assert position_error(reading, desk(), "mug") < 1e-9
    assert math.dist(reading.scene.camera.position, nudged.camera.position) < 0.01


@pytest.mark.sweep
def test_moved_thing_seen_from_a_nudged_camera():
    edit = Edit("move", "mug", "left", 0.12)
    moved = apply(desk(), edit).after
    nudged = apply(moved, Edit("move camera", way="left", amount=0.02), 1 - 1e-9).after
    reading = read(desk(), nudged, edit)
    assert position_error(reading, moved, "mug") < 0.01
    assert math.dist(reading.scene.camera.position, nudged.camera.position) < 0.01


def test_thing_in_mid_air():
    edit = Edit("move", "mug", "up", 0.3)
    x, y, z = desk().thing("mug").position
    after = desk().with_thing(replace(desk().thing("mug"), position=(x, y, z + 0.15)))
    assert position_error(read(desk(), after, edit), after, "mug") < 0.004


@pytest.mark.sweep
def test_repainted_thing_is_where_it_was():
    after = desk().with_thing(replace(desk().thing("mug"), colour="orange"))
    reading = read(desk(), after, Edit("move", "mug", "left", 0.12))
    assert reading.repainted == ("mug",) and position_error(reading, desk(), "mug") < 0.006


@pytest.mark.sweep
def test_thing_that_is_there_twice_has_not_moved():
    edit = Edit("move", "mug", "left", 0.12)
    there = apply(desk(), edit).after.thing("mug")
    after = replace(desk(), things=(*desk().things, replace(there, id="second")))
    reading = read(desk(), after, edit)
    assert reading.duplicated == ("mug",) and position_error(reading, desk(), "mug") < 0.006


def test_a_copy_that_stands_before_another_thing_is_a_copy():
    """The thing behind it looks different, and has not moved."""
    edit = Edit("move", "mug", "left", 0.12)
    mug, other = desk().thing("mug"), desk().thing("one")
    away = np.subtract(desk().camera.position[:2], other.position[:2])
    x, y = np.add(other.position[:2], 0.07 * away / np.hypot(*away))
    after = replace(desk(), things=(*desk().things, replace(mug, id="second", position=(x, y, mug.position[2]))))
    reading = read(desk(), after, edit)
    assert reading.duplicated == ("mug",) and not reading.changed and not reading.doubts
    assert position_error(reading, desk(), "mug") < 0.006


@pytest.mark.sweep
def test_a_large_thing_of_one_colour_that_moved_is_noticed():
    """Only along its outline does it look different, in few of its pixels."""
    board = block("board", (0.1, -0.15), "cutting board", scale=1.2)
    before = replace(desk(), things=(*desk().things, board))
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(before, edit).after
    x, y, z = board.position
    after = after.with_thing(replace(board, position=(x + 0.02, y, z)))
    reading = read(before, after, edit)
    assert "board" in reading.changed and position_error(reading, after, "board") < 0.005
    assert position_error(reading, after, "mug") < 0.003


@pytest.mark.sweep
def test_a_small_thing_is_read_again_once_the_one_beside_it_that_moved_is_in_place():
    before, edit = make_scene("shelf", seed=71, index=2), Edit("move", "bolt-2", "closer", 0.13)
    after = apply(before, edit, 1 - 1e-9).after
    x, y, z = after.thing("book-3").position
    after = after.with_thing(replace(after.thing("book-3"), position=(x + 0.03, y, z)))
    reading = read(before, after, edit)
    assert reading.changed == ("book-3",) and not reading.doubts
    assert position_error(reading, after, "bolt-2") < 0.005


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.integers(0, 10**6))
def test_displacements_agree_with_phase_correlation(right, down, seed):
    rng = np.random.default_rng(seed)
    noise = ndimage.gaussian_filter(rng.normal(size=(96, 96, 3)), (4, 4, 0), mode="wrap")
    picture = (0.5 + 0.2 * noise / noise.std()).astype(np.float32)
    spectrum = fft.fft2(picture, axes=(0, 1))
    moved = fft.ifft2(ndimage.fourier_shift(spectrum, (down, right, 0)), axes=(0, 1)).real.astype(np.float32)
    (got_right, got_down), share = displacement(moved, picture, np.pad(np.ones((64, 64), np.bool_), 16))
    expected, _, _ = phase_cross_correlation(moved.mean(axis=2), picture.mean(axis=2), upsample_factor=50)
    assert math.hypot(got_down - expected[0], got_right - expected[1]) < 0.15
    assert share > 0.9 or math.hypot(right, down) < 0.05


@pytest.mark.parametrize("share", [0.0, pytest.param(1.0, marks=pytest.mark.sweep)])
def test_soft_lossy_answers_change_nothing_else(share):
    """Half of the size, JPEG 75: other things must not seem to have changed."""
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit, share).after

    def degraded(rgb):
        file = io.BytesIO()
        Image.fromarray(rgb).resize((SIDE // 2, SIDE // 2), Image.Resampling.LANCZOS).save(file, "JPEG", quality=75)
        return np.asarray(Image.open(file))

    reading = read_scene(desk(), picture(desk(), 0), degraded(picture(after, 0)), [edit])
    assert not reading.changed and not reading.doubts and position_error(reading, after, "mug") < 0.006


def test_a_lossy_picture_before():
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit).after
    reading = read_scene(desk(), picture(desk(), 75), picture(after), [edit])
    assert not reading.changed and position_error(reading, after, "mug") < 0.003


def test_wide_pictures():
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit).after
    pictures = [render(scene, 320, 240, "draft", layers=("rgb",)).rgb for scene in (desk(), after)]
    reading = read_scene(desk(), *pictures, [edit])
    assert position_error(reading, after, "mug") < 0.003


@pytest.mark.sweep
def test_swaps_are_read():
    edit = Edit("swap", "two", anchor="mug")
    after = apply(desk(), edit).after
    reading = read(desk(), after, edit)
    assert position_error(reading, after, "two") < 0.005 and position_error(reading, after, "mug") < 0.005


def test_a_thing_is_read_on_top_of_another():
    edit = Edit("put", "one", "", 0.0, "book")
    after = apply(desk(), edit).after
    assert position_error(read(desk(), after, edit), after, "one") < 0.005


def test_a_picture_of_something_else_has_none_of_the_things():
    grey = np.full((SIDE, SIDE, 3), 128, np.uint8)
    reading = read_scene(desk(), picture(desk(), 0), grey, [Edit("move", "mug", "left", 0.12)])
    assert all(thing.fixed for thing in reading.scene.things)


def test_a_picture_that_was_drawn_anew_is_in_doubt():
    """Other colours and light everywhere, and the mug is where it should be: it must not count as gone."""
    edit = Edit("move", "mug", "left", 0.12)
    drawn = picture(apply(desk(), edit).after, 0)
    anew = 255 - np.roll(drawn, 1, axis=2) // 2
    reading = read_scene(desk(), picture(desk(), 0), anew, [edit])
    assert reading.doubts and reading.confidence == 0


@pytest.mark.sweep
def test_of_two_alike_one_moved_and_the_other_is_gone():
    """The one that is gone must not be read where the other one is now."""
    steps = [Edit("remove", "two"), Edit("move", "one", "right", 0.1)]
    after = apply(desk().without("two"), steps[1]).after
    reading = read_scene(desk(), picture(desk(), 0), picture(after), steps)
    assert all(thing.id != "two" for thing in reading.scene.things)
    assert position_error(reading, after, "one") < 0.004


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_outlines_give_places_in_centimetres(share):
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit, share).after
    reading = read_outlines(desk(), picture(desk(), 0), picture(after), [edit])
    assert position_error(reading, after, "mug") < 0.04  # of a short move, the shadow counts as a part of the outline


def test_outlines_tell_that_a_thing_is_gone():
    reading = read_outlines(desk(), picture(desk(), 0), picture(desk().without("mug")), [Edit("remove", "mug")])
    assert all(thing.id != "mug" for thing in reading.scene.things)


def test_outlines_do_not_depend_on_colours():
    edit = Edit("move", "mug", "left", 0.12)
    after = apply(desk(), edit).after
    painted = after.with_thing(replace(after.thing("mug"), colour="orange"))
    reading = read_outlines(desk(), picture(desk(), 0), picture(painted), [edit])
    assert position_error(reading, after, "mug") < 0.03


@pytest.mark.sweep
def test_a_thing_that_was_cut_out_and_pasted_is_read_without_its_shadow_and_perspective():
    pytest.importorskip("cv2")
    bench = Spatial(size=192, quality="draft", annotations="things")
    item = next(iter(bench.items(Source("world"), 7, 1)))
    pair, picture = bench.pair_of(item), bench.renderer_of(item).render(bench.pair_of(item).before).rgb
    answer = open_model("nets/cut-paste", bench).answer(bench.prompt(item), item, 0, 0)
    reading = read_scene(pair.before, picture, read_image(answer.images[-1]), pair.steps)
    assert not reading.doubts and not reading.duplicated and not reading.repainted
    score = score_edits(pair.steps, pair.before, pair.after, reading.scene)
    assert score.compliance == 1 and score.accuracy > 0.85
    assert reading.confidence < 0.3
