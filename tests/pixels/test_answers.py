"""The image of an answer: whatever a model returns becomes pixels in the reference's size, or a named failure."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import Answer, Artefact, Failure, Fault
from pixelproof.pixels import AnswerImage, Palette, encode_labels, encode_png, nearest, read_answer, thumbnail

PALETTE = Palette(("sky", "sea", "sun"), ((90, 160, 255), (0, 0, 120), (255, 220, 0)))
sides = st.integers(1, 24)


def answer(*files):
    return Answer(images=tuple(file if isinstance(file, Artefact) else Artefact(file) for file in files))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(sides, sides, sides, sides, st.sampled_from(["nearest", "letterbox"]), st.booleans(), st.integers(0, 99))
def test_any_image_comes_in_the_reference_size(height, width, rows, columns, policy, as_labels, seed):
    labels = np.random.default_rng(seed).integers(0, 3, (height, width), dtype=np.uint8)
    file = encode_labels(labels, PALETTE) if as_labels else encode_png(PALETTE.paint(labels))
    image = read_answer(answer(file), (rows, columns), palette=PALETTE, policy=policy)
    assert isinstance(image, AnswerImage) and image.rgb.shape == image.stored.shape == (rows, columns, 3)
    assert (image.labels is not None) == as_labels and bool(image.resized) == ((height, width) != (rows, columns))
    assert image.labels is None or np.array_equal(image.labels, nearest(image.rgb, PALETTE))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["auto", "painted", "labels"]))
def test_any_bytes_are_an_image_or_a_fault_of_the_model(data, form):
    failure = read_answer(answer(data), (4, 4), palette=PALETTE, form=form)
    assert isinstance(failure, Failure) and failure.fault is Fault.MODEL and failure.detail


def test_the_last_image_counts_and_a_failure_is_passed_on():
    first, last = (encode_png(np.full((4, 4, 3), level, np.uint8)) for level in (0, 200))
    assert read_answer(answer(first, last), (4, 4)).rgb[0, 0, 0] == 200
    failed = Failure(Fault.INFRASTRUCTURE, "timeout")
    assert read_answer(Answer(images=(first,), failure=failed), (4, 4)) is failed


def test_without_an_image_the_text_is_quoted():
    assert read_answer(Answer(), (4, 4)) == Failure(Fault.MODEL, "no-image", "The answer has no image.")
    assert "I cannot draw." in read_answer(Answer("I cannot draw."), (4, 4)).detail


@pytest.mark.parametrize(("form", "labels"), [("auto", True), ("painted", False), ("labels", True)])
def test_label_maps_are_read_as_the_form_says(form, labels):
    file = encode_labels(np.array([[0, 1], [2, 0]], np.uint8), PALETTE)
    assert (read_answer(answer(file), (2, 2), palette=PALETTE, form=form).labels is not None) == labels
    assert read_answer(answer(file), (2, 2)).labels is None, "without a palette all answers are painted"


def test_a_label_map_with_other_ids_is_a_fault_of_the_model():
    grey = io.BytesIO()
    Image.fromarray(np.full((2, 2), 77, np.uint8)).save(grey, "PNG")
    failure = read_answer(answer(grey.getvalue()), (2, 2), palette=PALETTE, form="labels")
    assert (failure.fault, failure.name) == (Fault.MODEL, "bad-labels")


def test_transparency_shows_the_background_and_the_stored_pixels_differ():
    clear = io.BytesIO()
    Image.new("RGBA", (3, 2), (10, 20, 30, 0)).save(clear, "PNG")
    image = read_answer(answer(clear.getvalue()), (2, 3))
    assert (image.rgb == 255).all() and (image.stored == (10, 20, 30)).all()


def test_refused_sizes_are_a_fault_of_the_model():
    failure = read_answer(answer(encode_png(np.zeros((2, 2, 3), np.uint8))), (3, 3), policy="refuse")
    assert (failure.fault, failure.name) == (Fault.MODEL, "wrong-size")


@given(st.integers(1, 900), st.integers(1, 900))
@settings(max_examples=15, deadline=None)
def test_thumbnails_keep_the_aspect_ratio_and_the_limit(height, width):
    small = Image.open(io.BytesIO(thumbnail(np.zeros((height, width, 3), np.uint8), 64).data))
    assert max(small.size) <= 64
    if max(height, width) > 64:
        assert (
            max(small.size) == 64 and abs(min(small.size) - max(1, 64 * min(height, width) / max(height, width))) <= 1
        )
    else:
        assert small.size == (width, height)
