import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from pixelproof.nets import encode, fit
from pixelproof.pixels import oklab

sides = st.integers(1, 40)


@st.composite
def pictures(draw, height=sides, width=sides):
    return draw(arrays(np.uint8, (draw(height), draw(width), 3)))


@given(pictures(st.sampled_from([1, 2, 3, 4, 6, 8, 12, 24]), st.sampled_from([1, 2, 3, 4, 6, 8, 12, 24])))
def test_cells_that_divide_the_canvas_are_copied(picture):
    cells, _ = fit(picture)
    expected = picture.repeat(24 // picture.shape[0], axis=0).repeat(24 // picture.shape[1], axis=1)
    np.testing.assert_array_equal(cells, expected)


@given(pictures())
def test_means_are_those_of_a_box_filter(picture):
    height, width = picture.shape[:2]
    large = picture.repeat(24, axis=0).repeat(24, axis=1)  # now every cell of the canvas covers whole pixels
    means = large.reshape(24, height, 24, width, 3).mean(axis=(1, 3))
    assert np.abs(fit(picture)[0] - means).max() <= 0.5 + 1e-9


@given(pictures(), st.integers(2, 5))
def test_enlarging_changes_nothing(picture, factor):
    cells, ground = fit(picture)
    again, ground_again = fit(picture.repeat(factor, axis=0).repeat(factor, axis=1))
    assert np.abs(cells.astype(int) - again).max() <= 1  # halves may be rounded either way
    np.testing.assert_array_equal(ground, ground_again)


def test_the_ground_is_the_colour_of_the_border():
    picture = np.zeros((8, 8, 3), np.uint8)
    picture[2:6, 2:6] = 200
    picture[0, :3] = 90
    assert fit(picture)[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("shape", [(24, 24), (24, 24, 4), (0, 3, 3), (3, 0, 3)])
def test_what_is_no_picture_is_refused(shape):
    with pytest.raises(ValueError, match="picture"):
        fit(np.zeros(shape, np.uint8))


@pytest.mark.parametrize("picture", [[[[0, 0, 0]]], None, Image.new("RGB", (4, 4))])
def test_what_is_no_array_is_refused(picture):
    with pytest.raises(TypeError, match="array"):
        fit(picture)


def test_tall_pictures_are_taken_in_parts():
    picture = np.random.default_rng(0).integers(0, 256, (24 * 30, 24, 3), dtype=np.uint8)
    means = picture.reshape(24, 30, 24, 3).mean(axis=1)
    assert np.abs(fit(picture)[0] - means).max() <= 0.5 + 1e-9


def test_other_numbers_than_bytes_are_refused():
    with pytest.raises(ValueError, match="float64"):
        fit(np.zeros((4, 4, 3)))


def test_a_real_picture_is_close_to_the_filter_of_pillow():
    rows, columns = np.indices((33, 29))
    picture = np.stack([rows * 7, columns * 8, rows * columns // 4], axis=-1).astype(np.uint8)
    theirs = np.asarray(Image.fromarray(picture).resize((24, 24), Image.Resampling.BOX)).astype(int)
    assert np.abs(fit(picture)[0] - theirs).mean() < 4  # Pillow's box takes whole pixels only


@given(pictures(st.just(24), st.just(24)))
def test_encoding_has_colour_and_distance_from_the_ground(picture):
    ground = picture[0, 0]
    seen = encode(oklab(picture[None]), oklab(ground[None]))[0]
    assert seen.shape == (24, 24, 4) and seen.dtype == np.float32
    lab = oklab(picture)
    np.testing.assert_allclose(seen[..., 0], 2 * lab[..., 0] - 1, atol=1e-5)
    np.testing.assert_allclose(seen[..., 1:3], 5 * lab[..., 1:], atol=1e-5)
    np.testing.assert_allclose(seen[..., 3], 2 * np.sqrt(((lab - oklab(ground)) ** 2).sum(axis=-1)), atol=1e-5)
