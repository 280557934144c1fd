"""The robust means are charged for labels that were offered, are absent, and are painted: by their area, no more."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from label_scenes import scene
from pixelproof.metrics import SegmentationCounts, miou_ratios, pooled_f1, pooled_miou, robust
from pixelproof.pixels import VOID

CLASSES = 6
PRESENT = st.integers(0, 3)
CHARGED = ("f1", "miou", "precision")


def maps(elements, shape=(5, 7)):
    return hnp.arrays(np.uint8, shape, elements=elements, fill=st.nothing())


@cache
def drawn(seed):
    return scene(seed, 96, things=4)


def scores(prediction, reference, classes=CLASSES):
    return robust(SegmentationCounts.of(prediction, reference, classes))


def weighted_mean(prediction, reference, score):
    """The definition, pixel set by pixel set: absent labels have the score 0, weighted by area in average classes."""
    counted = reference != VOID
    present = np.unique(reference[counted])
    average_area = counted.sum() / len(present)
    values, weights = [], []
    for label in np.unique(np.concatenate([present, prediction[counted]])):
        if label == VOID:
            continue
        painted, actual = (prediction == label) & counted, reference == label
        if label in present:
            values.append(score((painted & actual).sum(), painted.sum(), actual.sum()))
            weights.append(1.0)
        else:
            values.append(0.0)
            weights.append(painted.sum() / average_area)
    return float(np.average(values, weights=weights))


DEFINITIONS = {
    "f1": lambda both, painted, actual: 2 * both / (painted + actual),
    "miou": lambda both, painted, actual: both / (painted + actual - both),
    "precision": lambda both, painted, actual: both / painted if painted else 0.0,
}


@given(maps(st.sampled_from([*range(CLASSES), VOID])), maps(st.sampled_from([0, 1, 2, 3, VOID])))
def test_agrees_with_the_definition(prediction, reference):
    assume((reference != VOID).any())
    ours = scores(prediction, reference)
    for name, definition in DEFINITIONS.items():
        assert ours[name] == pytest.approx(weighted_mean(prediction, reference, definition))


@given(maps(PRESENT), maps(PRESENT))
def test_is_the_plain_macro_mean_where_nothing_is_invented(prediction, reference):
    prediction = np.where(np.isin(prediction, reference), prediction, reference)
    counts = SegmentationCounts.of(prediction, reference, CLASSES)
    there = counts.actual > 0
    assert robust(counts)["invented"] == 0
    assert robust(counts)["f1"] == pytest.approx(counts.f1()[there].mean())
    assert robust(counts)["miou"] == pytest.approx(counts.iou()[there].mean())


@given(maps(PRESENT), maps(PRESENT), st.lists(st.integers(0, 5 * 7 - 1), min_size=1, max_size=20, unique=True))
def test_more_invented_area_never_helps(prediction, reference, places):
    """Over pixels that are right or unlabelled, each pixel lowers every charged score that is not 0 already."""
    prediction[prediction != reference] = VOID
    before = scores(prediction, reference)
    for place in places:
        prediction.flat[place] = 5
        after = scores(prediction, reference)
        for name in CHARGED:
            assert after[name] < before[name] or before[name] == 0
        assert after["recall"] <= before["recall"] and after["invented"] > before["invented"]
        before = after


@given(st.integers(0, 9), st.integers(0, 96 * 96 - 1))
def test_one_stray_pixel_costs_about_one_pixel(seed, place):
    """The charge for being invented is one pixel of all pixels, wherever it is; no class is added."""
    reference = drawn(seed)
    stray, missed = reference.copy(), reference.copy()
    stray.flat[place], missed.flat[place] = 9, VOID
    share = 1 / reference.size
    for name in CHARGED:
        charge = 1 - scores(stray, reference, 10)[name] / scores(missed, reference, 10)[name]
        assert charge == pytest.approx(share / (1 + share))


@given(maps(PRESENT), maps(PRESENT), st.integers(0, 5 * 7))
def test_splitting_invented_area_among_labels_changes_nothing(prediction, reference, size):
    prediction.flat[:size] = 4
    divided = prediction.copy()
    divided.flat[: size // 2] = 5
    assert scores(prediction, reference) == pytest.approx(scores(divided, reference))


def test_an_invented_disc_and_an_invented_ground_clearly_cost():
    y, x = np.mgrid[:320, :320] / 320
    for seed in range(6):
        reference = scene(seed, 320)
        disc = np.where((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.1 / np.pi, np.uint8(9), reference)
        grounds = np.where(reference < 2, np.uint8(9), reference)
        assert scores(disc, reference, 10)["f1"] < 0.93
        assert scores(grounds, reference, 10)["f1"] < 0.5
        assert scores(np.full_like(reference, 9), reference, 10)["f1"] == 0


def test_what_is_painted_in_void_costs_nothing():
    reference = scene(1, 96)
    reference[:, :30] = VOID
    prediction = np.where(reference == VOID, np.uint8(9), reference)
    assert scores(prediction, reference, 10) == {name: 1.0 for name in (*CHARGED, "recall", "accuracy")} | {
        "invented": 0
    }


def test_one_class_and_every_class():
    one = np.zeros((20, 20), np.uint8)
    half = one.copy()
    half[:, :10] = 1
    assert scores(half, one, 2)["f1"] == pytest.approx(2 / 3 / 1.5)
    assert scores(np.ones_like(one), one, 2)["f1"] == 0
    full = np.repeat(np.arange(CLASSES, dtype=np.uint8), 10)[None].repeat(6, axis=0)
    assert scores(np.roll(full, 3, axis=1), full)["invented"] == 0


@given(maps(st.integers(0, CLASSES - 1)), maps(PRESENT))
def test_pooled_over_one_image_is_that_image(prediction, reference):
    counts = SegmentationCounts.of(prediction, reference, CLASSES)
    sums = counts.to_vector()
    assert pooled_miou(sums) == pytest.approx(robust(counts)["miou"])
    assert pooled_f1(sums) == pytest.approx(robust(counts)["f1"])
    part, whole = miou_ratios(sums)
    assert (part <= whole).all()
    assert (part[whole > 0] / whole[whole > 0]).mean() == pytest.approx(float(pooled_miou(sums)))
