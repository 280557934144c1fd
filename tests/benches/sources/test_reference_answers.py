import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.sources import ReferenceAnswers
from pixelproof.contract import Fault, PixelProofError
from pixelproof.pixels import encode_png

PICTURE = encode_png(np.zeros((2, 2, 3), np.uint8)).data


def folder(tmp_path, *names, keys=()):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(PICTURE + name.encode())
    return ReferenceAnswers(tmp_path, keys)


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


def found(existing, keys, sample=0):
    """Key → the file that answers it, or the name of what is wrong."""
    answers = {key: existing.answer(key, sample) for key in keys}
    return {key: answer.failure.name if answer.failure else named(answer) for key, answer in answers.items()}


def test_a_name_that_is_another_references_is_no_sample(tmp_path):
    keys = ["a", "a.0", "a_0", "a_1", "b"]
    existing = folder(tmp_path, "a.png", "a.0.png", "a_0.png", "a_1.png", "b.png", "a.1.png", keys=keys)
    assert found(existing, keys) == {key: f"{key}.png" for key in keys}
    assert found(existing, "ab", 1) == {"a": "a.1.png", "b": "missing-file"}


@given(st.sets(st.text("a0._", min_size=1, max_size=4).filter(lambda name: name.strip("._")), min_size=1, max_size=8))
def test_answers_named_exactly_like_the_references_are_always_theirs(tmp_path_factory, names):
    keys = [f"x{name}x" if name.endswith(".") else f"x{name}" for name in sorted(names)]
    existing = folder(tmp_path_factory.mktemp("answers"), *(f"{key}.png" for key in keys), keys=keys)
    assert found(existing, keys) == {key: f"{key}.png" for key in keys} and existing.remarks() == ()


@pytest.mark.parametrize("other", ["c.0.png", "c_0.png", "c.jpg", "c_mask.png", "c.mask.0.raw.jpg"])
def test_two_files_for_one_sample_are_a_clash_and_no_choice(tmp_path, other):
    existing = folder(tmp_path, "c.png", other, "c.1.png", keys=["c"])
    failure = existing.answer("c", 0).failure
    assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "two-files")
    assert "c.png" in failure.detail and other in failure.detail
    assert named(existing.answer("c", 1)) == "c.1.png"


def test_names_as_they_are_go_first_and_those_without_the_mark_second(tmp_path):
    keys = ["x_gt", "y_gt", "z.mask", "w_gt", "w_ref", "v", "v_gt"]
    existing = folder(tmp_path, "x_gt.png", "x.png", "y.0.png", "z.mask.1.raw.jpg", "w.png", "v.png", keys=keys)
    assert found(existing, keys) == {
        "x_gt": "x_gt.png", "y_gt": "y.0.png", "z.mask": "missing-file",
        "w_gt": "missing-file", "w_ref": "missing-file", "v": "v.png", "v_gt": "missing-file",
    }  # fmt: skip
    assert named(existing.answer("z.mask", 1)) == "z.mask.1.raw.jpg"


def test_references_in_folders_are_answered_there_or_by_a_name_that_only_one_has(tmp_path):
    keys = ["s/a", "s/b", "t/b", "t/c_gt"]
    existing = folder(tmp_path, "s/a.png", "a.png", "b.png", "t/b.png", "c.png", "t/d.png", keys=keys)
    assert found(existing, keys) == {"s/a": "s/a.png", "s/b": "missing-file", "t/b": "t/b.png", "t/c_gt": "c.png"}


def test_answers_in_folders_to_references_without(tmp_path):
    existing = folder(tmp_path, "b.png", "run/a.png", "run/b.png", "1/c.png", "2/c.png", keys=["a", "b", "c"])
    assert found(existing, "abc") == {"a": "run/a.png", "b": "b.png", "c": "two-files"}


def test_what_is_left_unread_is_said(tmp_path):
    names = ["a.0.png", "a.1.png", "a.4.png", "b.0.png", "b.1.png", "stray.png", "stray.7.png"]
    existing = folder(tmp_path, *names, "c.mask.0.raw.jpg", "c.mask.0.pred.png", keys=["a", "b", "c"])
    strangers, further = existing.remarks()
    assert strangers.startswith("2 images in ") and strangers.endswith("answer no reference, such as stray.7.png.")
    assert further.startswith("3 further samples in ") and further.endswith(
        "such as a.1.png: --samples 5 includes them."
    )
    assert existing.remarks(2)[1].startswith("1 further samples") and len(existing.remarks(5)) == 1


def test_samples_in_folders_are_further_samples_too(tmp_path):
    (further,) = folder(tmp_path, "run/a.0.png", "run/a.1.png", keys=["a"]).remarks()
    assert "such as run/a.1.png: --samples 2" in further


def test_hidden_files_are_no_answers(tmp_path):
    existing = folder(tmp_path, "a.png", "._a.png", ".old/a.png", keys=["a"])
    assert found(existing, "a") == {"a": "a.png"} and existing.remarks() == ()


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
    with pytest.raises(PixelProofError, match="holds no images"):
        folder(tmp_path, *content)


def test_no_folder_at_all(tmp_path):
    with pytest.raises(PixelProofError, match="pass a folder of images"):
        ReferenceAnswers(tmp_path / "nowhere")


def test_links_that_leave_the_folder_are_refused(tmp_path):
    (tmp_path / "answers").mkdir()
    (tmp_path / "secret.png").write_bytes(PICTURE)
    (tmp_path / "answers" / "a.png").symlink_to(tmp_path / "secret.png")
    failure = folder(tmp_path / "answers", "b.png").answer("a", 0).failure
    assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "unreadable-file")
    assert "outside the folder" in failure.detail
