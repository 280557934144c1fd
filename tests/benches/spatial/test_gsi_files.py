"""Folders in GSI-Bench's released form: read back as written; damaged files are named."""

import json

import numpy as np
import pytest

from pixelproof.benches.spatial._gsi_files import GsiAnnotation, read_gsi_folder, write_gsi_item
from pixelproof.contract import PixelProofError
from pixelproof.pixels import encode_png

EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ANNOTATION = GsiAnnotation(
    "Move the mug 20 cm to the left.",
    "mug",
    (0.1, 0.2, 1.5, 0.1, 0.1, 0.1, 0.0),
    (-0.1, 0.2, 1.5, 0.1, 0.1, 0.1, 0.0),
    EYE,
    EYE,
    ((512.0, 0.0, 256.0), (0.0, 512.0, 256.0), (0.0, 0.0, 1.0)),
)


BEFORE, AFTER, OTHER, OTHER_AFTER = (encode_png(np.full((8, 8, 3), shade, np.uint8)).data for shade in (1, 2, 3, 4))


@pytest.fixture
def folder(tmp_path):
    write_gsi_item(tmp_path, "room_7", 1, ANNOTATION, BEFORE, AFTER)
    write_gsi_item(tmp_path, "room_7", 12, GsiAnnotation("Turn the camera left by 15 degrees.", "camera"), BEFORE, None)
    write_gsi_item(tmp_path, "room_7_b", 1, ANNOTATION, OTHER, OTHER_AFTER)
    return tmp_path


def test_what_was_written_is_read(folder):
    read = read_gsi_folder(folder)
    assert [item.key for item in read.items] == ["room_7_b/1", "room_7/1", "room_7/12"] and not read.problems
    other, first, camera = read.items
    assert first.annotation == ANNOTATION and first.truth.read_bytes() == AFTER
    assert camera.truth is None and camera.annotation.original_bbox_3d is None
    assert other.image.read_bytes() == OTHER and other.truth.read_bytes() == OTHER_AFTER


def test_targets_with_further_words_in_their_names(folder):
    (folder / "room_7_gtedit_1.png").rename(folder / "room_7_left_gtedit_1_final.jpg")
    assert read_gsi_folder(folder).items[1].truth.name == "room_7_left_gtedit_1_final.jpg"
    (folder / "room_7_gtedit_1.png").write_bytes(b"")
    assert "several target images" in read_gsi_folder(folder).problems["room_7_edit_1.json"]


def test_images_that_cannot_be_decoded_are_named(folder):
    (folder / "room_7_b.png").write_bytes(OTHER[: len(OTHER) // 2])
    (folder / "room_7_gtedit_1.png").write_bytes(b"no image")
    read = read_gsi_folder(folder)
    assert [item.key for item in read.items] == ["room_7/12"]
    assert "room_7_b.png cannot be read" in read.problems["room_7_b_edit_1.json"]
    assert "room_7_gtedit_1.png cannot be read" in read.problems["room_7_edit_1.json"]


def test_two_files_of_one_edit_and_two_images_of_one_name_are_refused(folder):
    (folder / "room_7_edit_01.json").write_bytes((folder / "room_7_edit_1.json").read_bytes())
    (folder / "room_7_b.jpg").write_bytes(OTHER)
    read = read_gsi_folder(folder)
    assert [item.key for item in read.items] == ["room_7/12"]
    for name in ("room_7_edit_1.json", "room_7_edit_01.json"):
        assert "several files are edit 1 of room_7" in read.problems[name]
    assert "several images: room_7_b.jpg, room_7_b.png" in read.problems["room_7_b_edit_1.json"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"original_bbox_3d": [1, 2, 3]}, "not a list of 7 numbers"),
        ({"original_bbox_3d": [0, 0, 1, 0.1, -0.1, 0.1, 0]}, "side that is not positive"),
        ({"new_bbox_3d": [0, 0, "1", 0.1, 0.1, 0.1, 0]}, "not a list of 7 numbers"),
        ({"new_bbox_3d": [0, 0, float("nan"), 0.1, 0.1, 0.1, 0]}, "not a list of 7 numbers"),
        ({"new_bbox_3d": [0, 0, 10**400, 0.1, 0.1, 0.1, 0]}, "not a list of 7 numbers"),
        ({"rotation_matrix": [[1, 0], [0, 1]]}, "not a 3 × 3 matrix"),
        ({"rotation_matrix": [None, None, None]}, "not a 3 × 3 matrix"),
        ({"rotation_matrix": [[0, 0, 0]] * 3}, "not a rotation"),
        ({"new_rotation_matrix": [[2, 0, 0], [0, 2, 0], [0, 0, 2]]}, "not a rotation"),
        ({"new_rotation_matrix": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "not a rotation"),
        ({"camera_intrinsics": [[0, 0, 0]] * 3}, "focal length"),
        ({"prompt": ""}, "'prompt' is not a text"),
        ({"target": None}, "'target' is not a text"),
    ],
)
def test_damaged_annotations_are_named_and_the_rest_is_read(folder, change, problem):
    path = folder / "room_7_edit_1.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    read = read_gsi_folder(folder)
    assert len(read.items) == 2 and problem in read.problems["room_7_edit_1.json"]


@pytest.mark.parametrize("content", ["{", "[" * 100_000])
def test_files_that_are_no_json_and_missing_images(folder, content):
    (folder / "room_7_edit_1.json").write_text(content)
    (folder / "room_7_b.png").unlink()
    read = read_gsi_folder(folder)
    assert [item.key for item in read.items] == ["room_7/12"]
    assert "not a JSON file" in read.problems["room_7_edit_1.json"]
    assert "is missing" in read.problems["room_7_b_edit_1.json"]


def test_a_folder_without_edits_is_refused(tmp_path):
    with pytest.raises(PixelProofError, match="_edit_"):
        read_gsi_folder(tmp_path)
    with pytest.raises(PixelProofError, match="not a folder"):
        read_gsi_folder(tmp_path / "nowhere")
    (tmp_path / "a_edit_1.json").write_text("[]")
    with pytest.raises(PixelProofError, match=r"a_edit_1\.json"):
        read_gsi_folder(tmp_path)
