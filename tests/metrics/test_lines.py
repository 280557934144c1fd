"""Contours: thinning against scikit-image, matching against an assignment solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.ndimage import binary_dilation, gaussian_filter
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from skimage.morphology import thin as reference_thin

from pixelproof.metrics import LINE, contour_map, match_lines, pooled_line_f1, thin
from pixelproof.pixels import VOID


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(arrays.arrays(np.bool_, st.tuples(st.integers(1, 24), st.integers(1, 24))))
def test_thinning_is_that_of_scikit_image(mask):
    assert np.array_equal(thin(mask), reference_thin(mask))


@pytest.mark.parametrize("sigma", [0.5, 1.5, 3.0, 6.0])
def test_thinning_of_thick_shapes_is_that_of_scikit_image(sigma):
    mask = gaussian_filter(np.random.default_rng(int(sigma * 10)).normal(size=(150, 170)), sigma) > 0
    assert np.array_equal(thin(mask), reference_thin(mask))


def assigned(painted, contours, tolerance):
    """Largest number of one-to-one pairs within a tolerance, by an assignment solver."""
    places, partners = np.argwhere(thin(painted)), np.argwhere(thin(contours == LINE))
    if not len(places) or not len(partners):
        return 0
    far = cdist(places, partners) > tolerance + 1e-9
    rows, columns = linear_sum_assignment(far.astype(float))
    return int((~far[rows, columns]).sum())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(arrays.arrays(np.bool_, (14, 17)), arrays.arrays(np.bool_, (14, 17)), st.sampled_from([0.0, 1.0, 1.5, 2.0, 3.0]))
def test_as_many_pixels_are_matched_as_an_assignment_finds(painted, actual, tolerance):
    contours = actual.astype(np.uint8) * LINE
    counts, lines = match_lines(painted, contours, tolerance)
    pairs = assigned(painted, contours, tolerance)
    assert counts.matched.item() == pairs
    assert counts.painted.item() == lines.sum() == thin(painted).sum()
    assert counts.actual.item() == thin(actual).sum()
    if counts.painted.item() + counts.actual.item():
        assert counts.f1().item() == pytest.approx(2 * pairs / (thin(painted).sum() + thin(actual).sum()))


def scene(side=256):
    """Discs in front of each other; ids."""
    y, x = np.mgrid[:side, :side]
    ids = np.zeros((side, side), np.uint16)
    for number, (cx, cy, radius) in enumerate([(80, 90, 45), (140, 110, 40), (200, 200, 30)], 1):
        ids[(x - cx) ** 2 + (y - cy) ** 2 < radius**2] = number
    return ids


def score(painted, contours):
    return match_lines(painted, contours)[0].f1().item()


def test_thickness_neither_helps_nor_harms_and_much_paint_scores_low():
    contours = contour_map(scene())
    exact = contours == LINE
    assert score(exact, contours) == 1.0
    for rounds in (1, 2, 3):
        assert score(binary_dilation(exact, iterations=rounds), contours) > 0.97
    y, x = np.mgrid[:256, :256]
    assert score(np.ones_like(exact), contours) < 0.02
    assert score(np.zeros_like(exact), contours) == 0.0
    assert score((x % 6 == 0) | (y % 6 == 0), contours) < 0.12
    assert score(np.random.default_rng(0).random(exact.shape) < 0.5, contours) < 0.12
    assert score(scene() > 0, contours) < 0.2, "filled objects are no lines"
    # Two lines beside the right one: a pixel of the reference has one partner only.
    double = np.roll(exact, 3, axis=1) | np.roll(exact, -3, axis=1)
    assert score(double, contours) < 0.8


def test_a_line_within_the_tolerance_counts_and_beyond_it_does_not():
    contours = contour_map(scene())  # the tolerance is 2.7 pixels
    assert score(np.roll(contours == LINE, 2, axis=0), contours) > 0.98
    assert score(np.roll(contours == LINE, 12, axis=0), contours) < 0.35


def test_borders_of_surfaces_may_be_painted_or_not():
    objects = scene()
    surfaces = objects.copy()
    surfaces[(objects == 0) & (np.mgrid[:256, :256][0] > 150)] = 9
    contours = contour_map(objects, surfaces)
    assert (contours == VOID).any()
    exact = contours == LINE
    assert score(exact, contours) == score(exact | (contours == VOID), contours) == 1.0
    elsewhere = exact.copy()
    elsewhere[20, :] = True
    assert score(elsewhere, contours) < 0.95, "lines elsewhere do count"
    alone, lines = match_lines(contours == VOID, contours)
    assert alone.matched.item() < 0.1 * alone.actual.item() and lines.sum() <= alone.matched.item()


def test_objects_of_one_kind_have_a_line_between_them_and_the_frame_is_none():
    ids = np.zeros((60, 60), int)
    ids[:, :30], ids[:, 30:] = 1, 2
    lines = contour_map(ids) == LINE
    assert lines[:, 28:31].all() and lines.sum() == 180


def test_pooled_counts_add_up():
    contours = contour_map(scene())
    vectors = [match_lines(paint, contours)[0].to_vector() for paint in (contours == LINE, scene() > 0)]
    counts = [match_lines(paint, contours)[0] for paint in (contours == LINE, scene() > 0)]
    assert pooled_line_f1(np.sum(vectors, axis=0)) == pytest.approx((counts[0] + counts[1]).f1())
