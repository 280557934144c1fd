import numpy as np
import pytest

from pixelproof.benches.arena._existing import Existing
from pixelproof.contract import Fault, PixelProofError
from pixelproof.pixels import encode_png

PICTURE = encode_png(np.zeros((2, 2, 3), np.uint8)).data


def folder(tmp_path, *names):
    for name in names:
        (tmp_path / name).write_bytes(PICTURE + name.encode())
    return Existing(tmp_path)


def named(answer):
    return answer.images[0].data.removeprefix(PICTURE).decode()


@pytest.mark.parametrize(
    "name",
    ["a.png", "a.0.png", "a_0.webp", "a.PNG", "a_mask.png", "a.mask.png", "a.mask.0.raw.jpg", "a.mask.0.pred.png"],
)
def test_the_first_answer_by_any_usual_name(tmp_path, name):
    answer = folder(tmp_path, name, "b.png").answer("a", 0)
    assert answer.failure is None and named(answer) == name
    assert answer.images[0].media_type == "image/png"  # by its bytes, whatever the name says


def test_samples_are_told_apart_and_what_came_from_the_model_goes_first(tmp_path):
    existing = folder(tmp_path, "a.png", "a.1.png", "a.mask.2.raw.jpg", "a.mask.2.pred.png")
    assert [named(existing.answer("a", sample)) for sample in (0, 1, 2)] == ["a.png", "a.1.png", "a.mask.2.raw.jpg"]
    assert existing.answer("a", 3).failure.name == "missing-file"


def test_dots_in_names(tmp_path):
    existing = folder(tmp_path, "scene.1.png", "scene.1.0.png", "scene.png")
    assert named(existing.answer("scene", 1)) == "scene.1.png"
    assert named(existing.answer("scene.1", 0)) == "scene.1.0.png"


def test_what_is_not_there_or_there_twice_is_nobodys_verdict(tmp_path):
    existing = folder(tmp_path, "a.png", "a.jpg")
    missing, twice = existing.answer("b", 0).failure, existing.answer("a", 0).failure
    assert missing.fault is twice.fault is Fault.INFRASTRUCTURE
    assert missing.name == "missing-file" and "b.png" in missing.detail
    assert twice.name == "two-files" and "a.jpg and a.png" in twice.detail


def test_a_directory_that_looks_like_a_picture(tmp_path):
    (tmp_path / "a.png").mkdir()
    assert "not a file" in folder(tmp_path, "b.png").answer("a", 0).failure.detail


@pytest.mark.parametrize("content", [(), ("notes.txt",)])
def test_a_folder_without_pictures_is_refused(tmp_path, content):
    with pytest.raises(PixelProofError, match="holds no pictures"):
        folder(tmp_path, *content)


def test_no_folder_at_all(tmp_path):
    with pytest.raises(PixelProofError, match="give a folder of pictures"):
        Existing(tmp_path / "nowhere")
