"""Errors of dense answers against other ways of computing them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from pixelproof.contract import PixelProofError
from pixelproof.metrics import depth_errors, mask_overlap, normal_errors, pooled_iou

DEPTHS = hnp.arrays(np.float64, 20, elements=st.floats(0.1, 100))
MASKS = hnp.arrays(bool, (6, 7))


@given(DEPTHS, DEPTHS)
def test_depth_errors_pixel_by_pixel(prediction, reference):
    errors = depth_errors(prediction, reference)
    relative = [abs(p - r) / r for p, r in zip(prediction, reference, strict=True)]
    factors = [max(p / r, r / p) for p, r in zip(prediction, reference, strict=True)]
    assert errors.abs_rel() == pytest.approx(np.mean(relative))
    assert errors.rmse() == pytest.approx(np.sqrt(np.mean((prediction - reference) ** 2)))
    for power, share in enumerate((errors.delta1(), errors.delta2(), errors.delta3()), start=1):
        assert share == sum(factor < 1.25**power for factor in factors) / 20


def test_relative_errors_agree_with_scikit_learn():
    peer = pytest.importorskip("sklearn.metrics")
    prediction, reference = np.random.default_rng(0).uniform(0.1, 100, (2, 500))
    errors = depth_errors(prediction, reference)
    assert errors.abs_rel() == pytest.approx(peer.mean_absolute_percentage_error(reference, prediction))


@given(DEPTHS, st.floats(0.1, 10), st.floats(0, 5))
def test_alignment_undoes_what_it_says(reference, scale, shift):
    assert depth_errors(reference * scale, reference, "median").abs_rel() == pytest.approx(0, abs=1e-9)
    if np.ptp(reference) > 1e-3:
        errors = depth_errors(reference * scale + shift, reference, "least-squares")
        assert errors.abs_rel() == pytest.approx(0, abs=1e-6)


def test_least_squares_is_that_of_numpy():
    rng = np.random.default_rng(0)
    reference, prediction = rng.uniform(2, 9, 50), rng.uniform(2, 9, 50)
    scale, shift = np.polyfit(prediction, reference, 1)
    expected = depth_errors(prediction * scale + shift, reference)
    assert depth_errors(prediction, reference, "least-squares").rmse() == pytest.approx(expected.rmse())


def test_unknown_depths_are_left_out_and_missing_ones_are_wrong():
    reference = np.array([1.0, 2.0, np.nan, np.inf, 0.0])
    errors = depth_errors(np.array([1.0, np.nan, 1.0, 1.0, 1.0]), reference)
    assert (errors.pixels.item(), errors.abs_rel(), errors.delta3()) == (2, 0.5, 0.5)
    for alignment in ("median", "least-squares"):
        assert depth_errors(np.array([7.0, np.inf]), np.array([1.0, 2.0]), alignment).abs_rel() == 0.5
    assert np.isnan(depth_errors(reference, np.full(5, np.nan)).abs_rel())


def test_unknown_alignments_are_refused():
    with pytest.raises(PixelProofError, match="none, median or least-squares"):
        depth_errors(np.ones(2), np.ones(2), "mean")  # type: ignore[arg-type]


@given(st.integers(0, 2**32), st.floats(0, 179.9), st.floats(0.01, 100))
def test_normals_turned_by_an_angle_are_off_by_it(seed, degrees, length):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(30, 3))
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    axis = np.cross(truth, rng.normal(size=(30, 3)))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    turned = Rotation.from_rotvec(np.radians(degrees) * axis).apply(truth)
    errors = normal_errors(turned * length, truth)
    assert errors.mean_angle() == pytest.approx(degrees, abs=1e-6)
    if abs(degrees - 11.25) > 1e-6:
        assert errors.within11() == (degrees < 11.25)


def test_unknown_normals_are_left_out_and_missing_ones_are_90_degrees_off():
    up, none = [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]
    errors = normal_errors(np.array([up, none, up]), np.array([up, up, none]))
    assert (errors.pixels.item(), errors.mean_angle(), errors.within30()) == (2, 45, 0.5)


def test_added_errors_are_those_of_all_pixels():
    rng = np.random.default_rng(1)
    p, r = rng.uniform(1, 9, (2, 40))
    added = depth_errors(p[:13], r[:13]) + depth_errors(p[13:], r[13:])
    np.testing.assert_allclose(added.to_vector(), depth_errors(p, r).to_vector())
    p, r = rng.normal(size=(2, 40, 3))
    added_normals = normal_errors(p[:13], r[:13]) + normal_errors(p[13:], r[13:])
    np.testing.assert_allclose(added_normals.to_vector(), normal_errors(p, r).to_vector())


@given(MASKS, MASKS, MASKS)
def test_overlap_is_that_of_sets(prediction, reference, known):
    p, r, k = (set(np.flatnonzero(mask)) for mask in (prediction, reference, known))
    overlap = mask_overlap(prediction, reference, known)
    assert (overlap.intersection.item(), overlap.union.item()) == (len(p & r & k), len((p | r) & k))
    assert overlap.iou() == (len(p & r & k) / len((p | r) & k) if (p | r) & k else 1)
    assert pooled_iou(np.stack([overlap.to_vector()] * 3)).shape == (3,)


def test_sizes_must_agree():
    for errors in (depth_errors, mask_overlap, normal_errors):
        with pytest.raises(PixelProofError, match="bring them to one size"):
            errors(np.ones((2, 3)), np.ones((3, 3)))
