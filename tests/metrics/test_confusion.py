"""Both ways of counting against scikit-learn, and against each other."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pixelproof.contract import PixelProofError
from pixelproof.metrics import confusion, confusions
from pixelproof.pixels import VOID, kernels, numpy_alone

WAYS = pytest.mark.parametrize("way", [nullcontext, numpy_alone], ids=["compiled", "numpy"])
CLASSES = 5
SHAPES = hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=40)


@st.composite
def pairs(draw):
    """Speckle in long runs, so that the run test is met in every phase; any byte is a prediction."""
    shape = draw(SHAPES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = draw(st.sampled_from([1, 3, 40, 1000]))

    def runs(values):
        size = int(np.prod(shape))
        return np.repeat(rng.choice(values, size), rng.integers(1, lengths + 1, size))[:size].reshape(shape)

    reference = runs([*range(CLASSES), VOID]).astype(np.uint8)
    return runs([*range(CLASSES), CLASSES, 77, VOID]).astype(np.uint8), reference


def counted_one_by_one(prediction, reference, classes):
    table = np.zeros((classes, classes + 1), np.int64)
    for p, r in zip(prediction.ravel().tolist(), reference.ravel().tolist(), strict=True):
        if r != VOID:
            table[r, min(p, classes)] += 1
    return table


@WAYS
@given(pair=pairs())
def test_counts_every_pixel_once(way, pair):
    with way():
        counted = confusion(*pair, CLASSES)
    assert counted.dtype == np.int64
    np.testing.assert_array_equal(counted, counted_one_by_one(*pair, CLASSES))


@WAYS
@pytest.mark.parametrize("classes", [2, 19, 133, 255])
def test_agrees_with_scikit_learn(way, classes):
    peer = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    reference = rng.integers(0, classes, (67, 31)).repeat(9, axis=1).astype(np.uint8)
    prediction = np.where(rng.random(reference.shape) < 0.7, reference, rng.integers(0, classes, reference.shape))
    prediction = prediction.astype(np.uint8)
    with way():
        counted = confusion(prediction, reference, classes)
    np.testing.assert_array_equal(
        counted[:, :classes], peer.confusion_matrix(reference.ravel(), prediction.ravel(), labels=range(classes))
    )
    assert not counted[:, classes].any()


@WAYS
def test_views_of_larger_arrays_are_counted_as_they_look(way):
    rng = np.random.default_rng(3)
    prediction, reference = rng.integers(0, CLASSES, (2, 50, 60), dtype=np.uint8)
    with way():
        for cut in [np.s_[1:, 3:], np.s_[::-1], np.s_[:, ::2], np.s_[1:2, 5:]]:
            expected = counted_one_by_one(prediction[cut], reference[cut], CLASSES)
            np.testing.assert_array_equal(confusion(prediction[cut], reference[cut], CLASSES), expected)
        np.testing.assert_array_equal(
            confusion(prediction.T, reference.T, CLASSES), confusion(prediction, reference, 5)
        )


@WAYS
@pytest.mark.parametrize(
    ("prediction", "reference", "classes", "says"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2)), 2, "prediction is 3 × 2 and the reference 2 × 3"),
        (np.zeros((2, 2)), np.full((2, 2), 2), 2, "has the label 2, but there are 2 classes"),
        (np.zeros((2, 2)), np.zeros((2, 2)), 256, "1 to 255 classes"),
        (np.zeros((2, 2)), np.zeros((2, 2)), 0, "1 to 255 classes"),
    ],
)
def test_refuses_what_cannot_be_compared(way, prediction, reference, classes, says):
    with way(), pytest.raises(PixelProofError, match=says):
        confusion(prediction.astype(np.uint8), reference.astype(np.uint8), classes)


def test_refuses_other_types():
    with pytest.raises(PixelProofError, match="uint8"):
        confusion(np.zeros((2, 2), np.int64), np.zeros((2, 2), np.uint8), 2)


def test_inputs_are_left_alone_and_may_be_read_only():
    labels = np.zeros((9, 9), np.uint8)
    labels.flags.writeable = False
    assert confusion(labels, labels, 1).tolist() == [[81, 0]]


def test_compiled_loops_are_there_when_numba_is():
    pytest.importorskip("numba")
    assert kernels("pixelproof.metrics._confusion_kernel") is not None
    with numpy_alone():
        assert kernels("pixelproof.metrics._confusion_kernel") is None


@given(st.integers(0, 2**32), st.integers(0, 70), st.sampled_from([0.0, 0.05, 1.0]), st.booleans())
def test_both_matrices_of_two_predictions_are_those_of_each(seed, size, share, alone):
    rng = np.random.default_rng(seed)
    reference, one = (rng.choice([0, 1, 2, VOID], size).astype(np.uint8) for _ in range(2))
    other = np.where(rng.random(size) < share, rng.choice([0, 1, 2, 9, VOID], size), one).astype(np.uint8)
    with numpy_alone() if alone else nullcontext():
        found = confusions(one, other, reference, 3)
    for matrix, prediction in zip(found, (one, other), strict=True):
        np.testing.assert_array_equal(matrix, confusion(prediction, reference, 3))


def test_both_matrices_need_one_size_and_known_labels():
    labels = np.zeros(9, np.uint8)
    with pytest.raises(PixelProofError, match="one size"):
        confusions(labels, labels[1:], labels, 2)
    with pytest.raises(PixelProofError, match="label 7"):
        confusions(labels, labels, labels + 7, 2)
