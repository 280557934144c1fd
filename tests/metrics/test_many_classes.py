"""Counts of more than 255 classes, beside plain numpy and scikit-learn's confusion matrix."""

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.metrics import (
    SegmentationCounts,
    boundary_counts,
    confusion,
    confusion_cells,
    contour_counts,
    register,
)


def maps(classes, seed=0, shape=(96, 128)):
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, classes, (8, 8)).repeat(12, 0).repeat(16, 1).astype(np.uint16)
    prediction = np.roll(reference, 3, axis=1)
    prediction[rng.random(shape) < 0.1] = rng.integers(0, classes)
    prediction[40:44] = 65535
    reference[:, 100:110] = 65535
    return prediction, reference


@pytest.mark.parametrize("classes", [256, 300, 1000])
def test_the_matrix_is_that_of_scikit_learn(classes):
    sklearn = pytest.importorskip("sklearn.metrics")
    prediction, reference = maps(classes)
    known = reference != 65535
    expected = sklearn.confusion_matrix(
        reference[known], np.minimum(prediction[known], classes), labels=range(classes + 1)
    )[:classes]
    found = confusion(prediction, reference, classes)
    np.testing.assert_array_equal(found, expected)
    rows, columns, pixels = confusion_cells(prediction, reference, classes)
    np.testing.assert_array_equal(expected[rows, columns], pixels)
    assert pixels.sum() == expected.sum()


@pytest.mark.parametrize("classes", [300, 60_000])
def test_counts_are_those_of_single_masks(classes):
    prediction, reference = maps(classes)
    known = reference != 65535
    counts = SegmentationCounts.of(prediction, reference, classes)
    assert counts.hits.shape == (classes,)
    for label in np.unique(reference[known]).tolist():
        p, r = (prediction == label) & known, (reference == label) & known
        assert (counts.hits[label], counts.predicted[label], counts.actual[label]) == ((p & r).sum(), p.sum(), r.sum())


def test_wide_and_narrow_maps_give_the_same_numbers():
    wide = maps(200)
    narrow = [np.where(labels == 65535, 255, labels).astype(np.uint8) for labels in wide]
    for measure in (SegmentationCounts.of, boundary_counts, contour_counts):
        np.testing.assert_array_equal(measure(*narrow, 200).to_vector(), measure(*wide, 200).to_vector())


def test_registration_of_many_labels():
    reference = np.zeros((128, 128), np.uint16)
    reference[20:60, 40:90], reference[70:110, 20:50] = 300, 999
    found = register(np.roll(reference, 16, axis=1), reference, 1000)
    assert found.verdict == "shifted" and found.shift == (16, 0)
    crowded = np.arange(128 * 128).reshape(128, 128).astype(np.uint16)
    assert register(crowded, crowded, 65_534).verdict == "in place"


def test_maps_of_different_types_and_too_large_matrices_are_refused():
    zeros = np.zeros((4, 4), np.uint16)
    with pytest.raises(PixelProofError, match="both uint8 or both uint16"):
        confusion(zeros, zeros.astype(np.uint8), 3)
    with pytest.raises(PixelProofError, match="too large"):
        confusion(zeros, zeros, 10_000)
    with pytest.raises(PixelProofError, match="label 400, but there are 300"):
        SegmentationCounts.of(zeros, zeros + np.uint16(400), 300)
