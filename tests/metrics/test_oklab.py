import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.metrics import drawing_features, oklab

# Reference values of CSS Color 4.
CSS = {
    (255, 255, 255): (1.0, 0.0, 0.0),
    (0, 0, 0): (0.0, 0.0, 0.0),
    (255, 0, 0): (0.62796, 0.22486, 0.12585),
    (0, 255, 0): (0.86644, -0.23389, 0.17950),
    (0, 0, 255): (0.45201, -0.03246, -0.31153),
    (255, 255, 0): (0.96798, -0.07137, 0.19857),
    (128, 128, 128): (0.59987, 0.0, 0.0),
}


def test_known_colours():
    assert oklab(list(CSS)) == pytest.approx(np.array(list(CSS.values())), abs=2e-4)


def inverse(lab):
    """OKLab back to sRGB, written from the inverse matrices of the definition."""
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return [255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055) for c in linear]


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_the_way_back_leads_back(rgb):
    assert inverse(oklab(rgb)) == pytest.approx(rgb, abs=0.05)


@given(st.integers(0, 255))
def test_greys_have_no_hue(level):
    assert np.abs(oklab((level, level, level))[1:]).max() < 1e-4


@given(st.floats(0.2, 1), st.floats(0, 1))
def test_darker_is_darker(value, hue):
    bright, dark = (np.array(colorsys.hsv_to_rgb(hue, 0.8, part)) * 255 for part in (value, value * 0.8))
    assert oklab(bright)[0] > oklab(dark)[0]


def test_shapes_are_kept():
    assert oklab(np.zeros((4, 5, 3), np.uint8)).shape == (4, 5, 3) and oklab((1, 2, 3)).shape == (3,)


@pytest.mark.parametrize("size", [1, 8, 16, 24, 48, 120])
def test_features_are_those_of_the_same_picture_at_any_scale(size):
    picture = np.random.default_rng(0).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    enlarged = picture.repeat(6, axis=0).repeat(6, axis=1)
    assert np.array_equal(drawing_features(picture), drawing_features(enlarged))
    plain = np.full((size, size, 3), 77, np.uint8)
    assert np.array_equal(drawing_features(plain), drawing_features(plain[:1, :1]))


def test_features_mix_nothing():
    """Every value is that of a colour of the picture: averaging would invent greys between black and white."""
    board = np.indices((50, 70)).sum(axis=0)[..., None].repeat(3, axis=2) % 2 * 255
    lightness = drawing_features(board.astype(np.uint8)).reshape(24, 24, 3)[..., 0] * 24
    assert set(lightness.round(6).ravel()) <= {0.0, 1.0} and 0.2 < lightness.mean() < 0.8


def test_distance_is_the_root_mean_square_per_cell():
    one, other = np.zeros((24, 24, 3), np.uint8), np.zeros((24, 24, 3), np.uint8)
    other[:12] = 255
    assert np.linalg.norm(drawing_features(one) - drawing_features(other)) == pytest.approx(np.sqrt(0.5), abs=1e-6)
