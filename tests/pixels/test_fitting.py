import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import Failure, Fault
from pixelproof.pixels import FIT_POLICIES, fit_size

sides = st.integers(1, 40)


@given(sides, sides, sides, sides, st.sampled_from(["nearest", "letterbox"]), st.booleans())
def test_any_size_becomes_the_size_wanted_with_its_own_colours(h, w, height, width, policy, labels):
    rng = np.random.default_rng(h * 100 + w)
    picture = rng.integers(0, 256, (h, w) if labels else (h, w, 3), dtype=np.uint8)
    fitted, said = fit_size(picture, (height, width), policy)
    assert fitted.shape[:2] == (height, width) and fitted.ndim == picture.ndim
    assert bool(said) == ((h, w) != (height, width))
    known = {tuple(np.atleast_1d(colour)) for colour in picture.reshape(h * w, -1)}
    assert {tuple(np.atleast_1d(colour)) for colour in fitted.reshape(height * width, -1)} <= known


@given(sides, sides, sides, sides)
def test_nearest_is_what_pillow_takes_for_nearest(h, w, height, width):
    picture = np.random.default_rng(0).integers(0, 256, (h, w, 3), dtype=np.uint8)
    expected = np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.NEAREST))
    # Where the middle of a pixel falls between two, both are as near, and Pillow's rounding decides.
    rows, columns = ((2 * np.arange(want) + 1) * have % (2 * want) != 0 for have, want in ((h, height), (w, width)))
    ours = fit_size(picture, (height, width), "nearest")[0]
    assert np.array_equal(ours[rows][:, columns], expected[rows][:, columns])


def test_a_letterbox_is_cut_off():
    inside = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    with_bars = np.pad(inside, ((0, 0), (16, 16), (0, 0)))
    assert np.array_equal(fit_size(with_bars, (32, 32), "letterbox")[0], inside)
    assert not np.array_equal(fit_size(with_bars, (32, 32), "nearest")[0], inside)


def test_what_was_done_is_said():
    picture = np.zeros((20, 20, 3), np.uint8)
    assert fit_size(picture, (10, 10), "nearest")[1] == "resized from 20×20 to 10×10"
    assert fit_size(picture, (10, 15), "nearest")[1] == "stretched from 20×20 to 15×10"


def test_refusing_is_the_models_fault_unless_the_size_is_right():
    picture = np.zeros((20, 30, 3), np.uint8)
    refused = fit_size(picture, (30, 20), "refuse")
    assert isinstance(refused, Failure) and refused.fault is Fault.MODEL and refused.name == "wrong-size"
    assert "30×20" in refused.detail and "20×30" in refused.detail
    assert fit_size(picture, (20, 30), "refuse")[1] == ""


def test_the_default_policy_never_refuses():
    assert FIT_POLICIES[0] == "nearest"


@pytest.mark.parametrize("policy", ["nearest", "letterbox"])
def test_extreme_aspects(policy):
    assert fit_size(np.zeros((1, 400, 3), np.uint8), (300, 2), policy)[0].shape == (300, 2, 3)
