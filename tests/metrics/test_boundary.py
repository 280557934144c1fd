"""Contours of all classes at once against the two published definitions, mask by mask, with scipy and with OpenCV."""

import time
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from pixelproof.contract import PixelProofError
from pixelproof.metrics import ContourCounts, boundary_counts, boundary_f, contour_counts, pooled_boundary_f, robust
from pixelproof.pixels import VOID, numpy_alone

WAYS = pytest.mark.parametrize("way", [nullcontext, numpy_alone], ids=["compiled", "numpy"])
CLASSES = 4


def blobs(seed, shape=(90, 150), classes=CLASSES, size=8.0):
    fields = np.random.default_rng(seed).normal(size=(classes, *shape))
    return np.stack([ndimage.gaussian_filter(field, size) for field in fields]).argmax(axis=0).astype(np.uint8)


def spoiled(labels, seed, share=0.01):
    rng = np.random.default_rng(seed)
    noisy = np.roll(labels, rng.integers(-4, 5, 2), axis=(0, 1))
    return np.where(rng.random(labels.shape) < share, rng.integers(0, CLASSES + 2, labels.shape), noisy).astype(
        np.uint8
    )


def cut_out(prediction, reference):
    return np.where(reference == VOID, VOID, prediction)


@st.composite
def pairs(draw):
    """Maps of all sizes, narrower than a word and wider than two, smooth and speckled, with and without void."""
    shape = draw(st.tuples(st.integers(1, 50), st.sampled_from([1, 2, 7, 31, 62, 63, 64, 65, 127, 130])))
    seed = draw(st.integers(0, 2**32))
    reference = blobs(seed, shape, size=draw(st.sampled_from([0.0, 2.0, 20.0])))
    prediction = spoiled(reference, seed, draw(st.sampled_from([0, 0.02, 0.5])))
    if draw(st.booleans()):
        reference[: shape[0] // 3 + 1, : shape[1] // 2] = VOID
    return prediction, reference


def band(mask, distance):
    """Boundary IoU's: the mask without what is left of it after `distance` erosions; outside of the picture is none."""
    return mask & ~ndimage.binary_erosion(mask, np.ones((3, 3)), iterations=distance, border_value=0)


def contour(mask):
    """Boundary F's: as the DAVIS benchmark maps a mask to its boundary."""
    east, south, both = np.zeros_like(mask), np.zeros_like(mask), np.zeros_like(mask)
    east[:, :-1], south[:-1], both[:-1, :-1] = mask[:, 1:], mask[1:], mask[1:, 1:]
    edge = (mask ^ east) | (mask ^ south) | (mask ^ both)
    edge[-1], edge[:, -1] = mask[-1] ^ east[-1], mask[:, -1] ^ south[:, -1]
    edge[-1, -1] = False
    return edge


def disc(radius):
    y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    return x * x + y * y <= radius * radius


@WAYS
@given(pair=pairs(), distance=st.sampled_from([1, 2, 5, 33]))
def test_boundary_iou_is_that_of_each_mask(way, pair, distance):
    prediction, reference = cut_out(*pair), pair[1]
    with way():
        counts = boundary_counts(*pair, CLASSES, distance)
    for label in range(CLASSES):
        ours, theirs = band(prediction == label, distance), band(reference == label, distance)
        assert counts.hits[label] == (ours & theirs).sum()
        assert counts.predicted[label] == ours.sum()
        assert counts.actual[label] == theirs.sum()


@WAYS
@given(pair=pairs(), radius=st.sampled_from([0, 1, 3, 12, 70]))
def test_boundary_f_is_that_of_each_mask(way, pair, radius):
    prediction, reference = cut_out(*pair), pair[1]
    with way():
        counts = contour_counts(*pair, CLASSES, radius)
    for label in range(CLASSES):
        ours, theirs = contour(prediction == label), contour(reference == label)
        away = ndimage.distance_transform_edt(~theirs) if theirs.any() else np.full(theirs.shape, np.inf)
        back = ndimage.distance_transform_edt(~ours) if ours.any() else np.full(ours.shape, np.inf)
        assert counts.hits[label] == (ours & (away <= radius + 1e-9)).sum()
        assert counts.predicted[label] == ours.sum()
        assert counts.found[label] == (theirs & (back <= radius + 1e-9)).sum()
        assert counts.actual[label] == theirs.sum()


@given(st.integers(0, 2**32), st.sampled_from([1, 64, 200, 700, 1300]), st.sampled_from([0, 1, 5, 63, 64, 65, 130]))
def test_groups_of_contour_pixels_are_dilated_as_whole_rows_are(seed, width, radius):
    """Few pixels of a class in wide rows, with gaps of all sizes between them."""
    rng = np.random.default_rng(seed)
    reference, prediction = np.zeros((2, 9, width), np.uint8)
    for labels in (reference, prediction):
        at = rng.integers(0, 9, 6), rng.integers(0, width, 6)
        labels[at] = rng.integers(1, CLASSES, 6)
    counts = contour_counts(prediction, reference, CLASSES, radius).to_vector()
    with numpy_alone():
        np.testing.assert_array_equal(counts, contour_counts(prediction, reference, CLASSES, radius).to_vector())


@WAYS
@pytest.mark.parametrize("shape", [(200, 301), (301, 128)])
def test_both_agree_with_opencv_at_their_own_distances(way, shape):
    cv2 = pytest.importorskip("cv2")
    reference = blobs(1, shape)
    prediction = spoiled(reference, 2)
    diagonal = np.hypot(*shape)
    distance, radius = int(round(0.02 * diagonal)), int(np.ceil(0.008 * diagonal))
    with way():
        bands, contours = (
            boundary_counts(prediction, reference, CLASSES),
            contour_counts(prediction, reference, CLASSES),
        )
    for label in range(CLASSES):
        masks = [(labels == label).astype(np.uint8) for labels in (prediction, reference)]
        framed = [cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0) for mask in masks]
        inner = [cv2.erode(mask, np.ones((3, 3), np.uint8), iterations=distance)[1:-1, 1:-1] for mask in framed]
        ours, theirs = (mask - core > 0 for mask, core in zip(masks, inner, strict=True))
        assert bands.iou()[label] == (ours & theirs).sum() / (ours | theirs).sum()
        ours, theirs = (contour(mask > 0) for mask in masks)
        near = [cv2.dilate(edge.astype(np.uint8), disc(radius).astype(np.uint8)) > 0 for edge in (ours, theirs)]
        precision, recall = (ours & near[1]).sum() / ours.sum(), (theirs & near[0]).sum() / theirs.sum()
        assert contours.f1()[label] == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-15)


@given(pairs())
def test_what_is_painted_in_void_changes_nothing(pair):
    prediction, reference = pair
    other = np.where(reference == VOID, (prediction + 1) % CLASSES, prediction).astype(np.uint8)
    for counts in (boundary_counts, contour_counts):
        one, two = counts(prediction, reference, CLASSES), counts(other, reference, CLASSES)
        np.testing.assert_array_equal(one.to_vector(), two.to_vector())


@given(pairs())
def test_truth_gets_one(pair):
    _, reference = pair
    iou = boundary_counts(reference, reference, CLASSES).iou()
    f1 = contour_counts(reference, reference, CLASSES).f1()
    assert set(iou[~np.isnan(iou)].tolist()) <= {1.0}
    assert set(f1[~np.isnan(f1)].tolist()) <= {1.0}


def test_classes_on_one_side_only():
    one, two = np.zeros((20, 20), np.uint8), np.zeros((20, 20), np.uint8)
    one[5:9, 5:9], two[5:9, 5:9] = 1, 2
    counts = contour_counts(one, two, 4, radius=1)
    assert counts.precision()[:3].tolist() == [1, 0, 1]
    assert counts.recall()[:3].tolist() == [1, 1, 0]
    assert counts.f1()[:3].tolist() == [1, 0, 0]
    assert np.isnan(counts.f1()[3])
    assert boundary_f(counts) == 0.5


def test_no_contour_in_the_reference_is_nan_not_zero():
    flat = np.zeros((8, 8), np.uint8)
    assert np.isnan(boundary_f(contour_counts(flat, flat, 2)))
    assert robust(boundary_counts(flat, flat, 2))["miou"] == 1  # the frame of the picture is a contour there


def test_pooling_adds_pictures():
    reference = blobs(3)
    counts = [contour_counts(spoiled(reference, seed), reference, CLASSES) for seed in range(3)]
    added = counts[0] + counts[1] + counts[2]
    sums = np.stack([one.to_vector() for one in counts])
    assert pooled_boundary_f(sums.sum(axis=0)) == boundary_f(added)
    np.testing.assert_array_equal(pooled_boundary_f(sums), [boundary_f(one) for one in counts])
    np.testing.assert_array_equal(ContourCounts.from_vector(sums).f1()[1], counts[1].f1())


@pytest.mark.parametrize("counts", [boundary_counts, contour_counts])
def test_refuses_other_sizes(counts):
    with pytest.raises(PixelProofError, match="bring them to one size"):
        counts(np.zeros((2, 2), np.uint8), np.zeros((2, 3), np.uint8), 2)


@pytest.mark.slow
def test_many_classes_cost_about_as_much_as_few():
    pytest.importorskip("numba")
    rng, least = np.random.default_rng(0), {}
    cells = rng.integers(0, 1 << 16, (24, 24)).repeat(12, 0).repeat(12, 1)
    for classes in (19, 133):
        reference = (cells % classes).astype(np.uint8)
        prediction = np.roll(reference, (2, 3), axis=(0, 1))
        contour_counts(prediction, reference, classes, radius=3)
        least[classes] = min(_cpu_s(contour_counts, prediction, reference, classes, 3) for _ in range(20))
    assert least[133] < 2 * least[19]


def _cpu_s(work, *arguments):
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start
