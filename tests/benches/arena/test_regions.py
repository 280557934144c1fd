"""Regions by colour and place: against scikit-learn and scikit-image, and by what they must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

from label_scenes import blobs
from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.arena.regions import (
    label_by_truth,
    region_controls,
    superpixels,
)
from pixelproof.benches.arena.regions._boxes import boxes
from pixelproof.contract import Fault, Item, PixelProofError
from pixelproof.pixels import VOID, Palette, is_label_map, read_labels
from pixelproof.store import asset_path

PHOTOS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24), st.just(3)))


def edges(regions: np.ndarray) -> np.ndarray:
    found = np.zeros(regions.shape, bool)
    found[:, 1:] |= regions[:, 1:] != regions[:, :-1]
    found[1:] |= regions[1:] != regions[:-1]
    return found


def boundary_recall(regions: np.ndarray, truth: np.ndarray) -> float:
    """Share of the true edges that have an edge of the regions within two pixels."""
    near = ndimage.binary_dilation(edges(regions), iterations=2)
    return float(near[edges(truth)].mean())


def wrong_share(regions: np.ndarray, truth: np.ndarray) -> float:
    return float((label_by_truth(regions, truth) != truth).mean())


def roundness(regions: np.ndarray) -> float:
    """Isoperimetric quotient of the regions, weighted by area: 1 for discs."""
    total = 0.0
    for number in np.unique(regions):
        inside = np.pad(regions == number, 1)
        around = sum((inside & ~np.roll(inside, shift, axis)).sum() for axis in (0, 1) for shift in (-1, 1))
        total += inside.sum() * min(1.0, 4 * np.pi * inside.sum() / around**2)
    return total / regions.size


@pytest.mark.slow
@given(PHOTOS, st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_superpixels_are_numbered_without_gaps_and_in_one_piece(photo, count):
    regions = superpixels(photo, count)
    assert regions.shape == photo.shape[:2]
    numbers = np.unique(regions)
    assert np.array_equal(numbers, np.arange(len(numbers)))
    assert all(ndimage.label(regions == number)[1] == 1 for number in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_superpixels_keep_to_outlines_as_well_as_those_of_scikit_image(seed):
    segmentation = pytest.importorskip("skimage.segmentation")
    photo, truth = blobs(seed)
    ours = superpixels(photo, 64)
    peer = segmentation.slic(photo, 64, compactness=8, start_label=0)
    assert len(np.unique(ours)) == pytest.approx(64, rel=0.25)
    assert boundary_recall(ours, truth) > max(0.9, boundary_recall(peer, truth) - 0.03)
    assert wrong_share(ours, truth) < wrong_share(peer, truth) + 0.01
    assert roundness(ours) > roundness(peer) - 0.1


@pytest.mark.slow
def test_more_compactness_makes_rounder_superpixels_that_mind_outlines_less():
    photo, truth = blobs(1)
    loose, tight = superpixels(photo, 64), superpixels(photo, 64, 2.0)
    assert roundness(tight) > roundness(loose) + 0.1
    assert boundary_recall(tight, truth) < boundary_recall(loose, truth)


@pytest.mark.slow
@given(
    hnp.arrays(np.intp, (5, 7), elements=st.integers(0, 4)),
    hnp.arrays(np.uint8, (5, 7), elements=st.sampled_from([0, 1, 2, VOID])),
)
def test_no_other_names_are_right_more_often_than_those_of_the_truth(regions, truth):
    named = label_by_truth(regions, truth)
    for number in np.unique(regions):
        inside = regions == number
        (name,) = np.unique(named[inside])
        hits = [(truth[inside] == label).sum() for label in range(3)]
        assert name < 3 and hits[name] == max(hits)


@given(hnp.arrays(np.uint8, (9, 12), elements=st.sampled_from([0, 0, 1, 2, VOID])))
def test_boxes_are_tight_and_hold_everything_but_the_first_label(truth):
    held = np.zeros(truth.shape, bool)
    for piece in boxes(truth):
        left, top, right, bottom = map(int, piece.box)
        inside = truth[top:bottom, left:right] == piece.label
        assert inside.any(axis=0).all() and inside.any(axis=1).all() and piece.area <= inside.sum()
        held[top:bottom, left:right] |= inside
    assert np.array_equal(held, (truth != 0) & (truth != VOID))
    assert [piece.area for piece in boxes(truth)] == sorted((piece.area for piece in boxes(truth)), reverse=True)


PALETTE = Palette(("a", "b", "c", "d", "e"), ((9, 9, 9), (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)))
CASE = Case("folder", "x", PALETTE, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kmeans", "superpixels"])
def test_controls_answer_with_label_maps_close_to_the_truth(name):
    photo, truth = blobs(2)
    controls = region_controls(lambda item: (CASE, Frame(photo, truth), None))
    answer = controls[name](Item("arena/folder/1/0", {}), np.random.default_rng(0))
    assert is_label_map(answer.images[-1].data) and "truth" in (controls[name].__doc__ or "")
    assert (read_labels(answer.images[-1], PALETTE) == truth).mean() > 0.9


@pytest.mark.slow
def test_sam_cuts_out_the_boxes_of_the_truth():
    pytest.importorskip("onnxruntime")
    try:
        asset_path("sam2-tiny")
    except PixelProofError as error:
        pytest.skip(str(error))
    truth = np.zeros((160, 200), np.uint8)
    y, x = np.mgrid[:160, :200]
    truth[30:130, 20:110] = 1
    truth[(y - 80) ** 2 + (x - 65) ** 2 < 700] = 2  # a disc on a box
    truth[50:110, 140:180] = 3
    photo = PALETTE.array[truth]
    control = region_controls(lambda item: (CASE, Frame(photo, truth), None))["sam2-boxes"]
    answer = control(Item("arena/folder/1/0", {}), np.random.default_rng(0))
    assert (read_labels(answer.images[-1], PALETTE) == truth).mean() > 0.97


@pytest.mark.parametrize("name", ["kmeans", "superpixels", "sam2-boxes"])
def test_controls_without_a_photograph_or_a_reference_are_nobodys_floor(name):
    def unreadable(item):
        raise PixelProofError("The file is damaged.")

    without = region_controls(lambda item: (CASE, Frame(None, blobs(2)[1]), None))[name]
    for control, word in ((without, "no-photo"), (region_controls(unreadable)[name], "bad-reference")):
        failure = control(Item("arena/folder/1/0", {}), np.random.default_rng(0)).failure
        assert failure is not None and (failure.fault, failure.name) == (Fault.INSTRUMENT, word)
