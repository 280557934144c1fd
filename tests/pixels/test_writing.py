import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image

from pixelproof.pixels import encode_indexed_png, encode_png, media_type_of, read_image

sizes = array_shapes(min_dims=2, max_dims=2, max_side=20)
pictures = sizes.flatmap(lambda size: arrays(np.uint8, (*size, 3)))
greys = sizes.flatmap(lambda size: arrays(np.uint8, size))


@settings(deadline=None)
@given(pictures, st.integers(1, 4))
def test_round_trip(pixels, scale):
    picture = encode_png(pixels, scale=scale)
    assert picture.media_type == media_type_of(picture.data) == "image/png"
    np.testing.assert_array_equal(read_image(picture), np.kron(pixels, np.ones((scale, scale, 1), np.uint8)))
    assert encode_png(pixels.copy(order="F"), scale=scale).data == picture.data


@settings(deadline=None)
@given(greys)
def test_round_trip_of_greys(pixels):
    np.testing.assert_array_equal(read_image(encode_png(pixels)), np.stack([pixels] * 3, axis=-1))


colours = st.tuples(*[st.integers(0, 255)] * 3)


@settings(deadline=None)
@given(st.lists(colours, min_size=1, max_size=256), sizes, st.integers(1, 3), st.randoms(use_true_random=False))
def test_round_trip_of_indexed_drawings(palette, size, scale, random):
    grid = np.array([random.randrange(len(palette)) for _ in range(size[0] * size[1])]).reshape(size)
    expected = np.array(palette, np.uint8)[grid].repeat(scale, axis=0).repeat(scale, axis=1)
    picture = encode_indexed_png(grid, palette, scale=scale)
    np.testing.assert_array_equal(read_image(picture), expected)
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.mode == "P"


def test_indexed_drawings_are_small():
    grid = np.random.default_rng(0).integers(0, 8, (24, 24))
    palette = [(index * 30, 255 - index * 30, index) for index in range(8)]
    rgb = encode_png(np.array(palette, np.uint8)[grid])
    assert len(encode_indexed_png(grid, palette).data) < 0.7 * len(rgb.data)


@pytest.mark.parametrize(
    "pixels",
    [np.zeros((2, 2, 3)), np.zeros((2, 2, 4), np.uint8), np.zeros(3, np.uint8), np.zeros((0, 2, 3), np.uint8)],
)
def test_what_is_no_picture_is_refused(pixels):
    with pytest.raises(ValueError, match="[Ii]mage"):
        encode_png(pixels)


@pytest.mark.parametrize(
    ("grid", "palette"),
    [
        (np.array([[0, 2]]), [(0, 0, 0), (1, 1, 1)]),
        (np.array([[0, -1]]), [(0, 0, 0), (1, 1, 1)]),
        (np.array([[0.0]]), [(0, 0, 0)]),
        (np.array([0]), [(0, 0, 0)]),
        (np.array([[0]]), []),
        (np.array([[0]]), [(0, 0, 256)]),
        (np.array([[0]]), [(0, 0, 0)] * 257),
        (np.zeros((0, 4), int), [(0, 0, 0)]),
    ],
)
def test_illegal_drawings_are_refused(grid, palette):
    with pytest.raises(ValueError):
        encode_indexed_png(grid, palette)


def test_scale_is_positive():
    with pytest.raises(ValueError, match="scale"):
        encode_png(np.zeros((2, 2, 3), np.uint8), scale=0)
