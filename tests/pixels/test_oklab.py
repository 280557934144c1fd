import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.pixels import linear_to_srgb, oklab, oklab_to_rgb, srgb_to_linear

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


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_bytes_survive_the_round_trip(rgb):
    assert tuple(oklab_to_rgb(oklab(rgb)).tolist()) == rgb


@given(st.floats(-0.5, 1.5), st.floats(-1, 1), st.floats(-1, 1))
def test_colours_outside_srgb_are_clipped(lightness, a, b):
    expected = [min(max(channel, 0.0), 255.0) for channel in np.nan_to_num(np.real(inverse((lightness, a, b))))]
    assert oklab_to_rgb(np.array([lightness, a, b])).tolist() == pytest.approx(expected, abs=0.51)


@given(st.floats(0, 1))
def test_the_transfer_functions_are_inverse_and_monotonic(value):
    there = srgb_to_linear(np.array([value, min(1.0, value + 1e-3)]))
    assert there[0] <= there[1]
    # The two published thresholds do not meet exactly, hence the tolerance.
    assert linear_to_srgb(there)[0] == pytest.approx(value, abs=1e-5)


def test_the_transfer_function_agrees_with_scikit_image():
    colour = pytest.importorskip("skimage.color")
    levels = np.arange(256) / 255
    xyz = colour.rgb2xyz(np.repeat(levels[:, None], 3, axis=1))
    assert srgb_to_linear(levels) == pytest.approx(xyz[:, 1], abs=2e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_floating_point_type_is_kept(dtype):
    values = np.linspace(0, 1, 9, dtype=dtype)
    assert srgb_to_linear(values).dtype == linear_to_srgb(values).dtype == dtype


@given(st.integers(0, 255))
def test_greys_have_no_hue(level):
    assert np.abs(oklab((level, level, level))[1:]).max() < 1e-4


@given(st.floats(0.2, 1), st.floats(0, 1))
def test_darker_is_darker(value, hue):
    bright, dark = (np.array(colorsys.hsv_to_rgb(hue, 0.8, part)) * 255 for part in (value, value * 0.8))
    assert oklab(bright)[0] > oklab(dark)[0]


def test_shapes_are_kept():
    assert oklab(np.zeros((4, 5, 3), np.uint8)).shape == (4, 5, 3) and oklab((1, 2, 3)).shape == (3,)
