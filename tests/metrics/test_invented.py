"""The robust means are charged for labels that were offered, are absent, and are painted: like lost ones."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from label_scenes import scene
from pixelproof.metrics import REGION, SegmentationCounts, miou_ratios, pooled_f1, pooled_miou, robust
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
    """The definition, set by set: absent labels have the score 0, and the weights of a region and of its area."""
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
            share = painted.sum() / counted.sum()
            weights.append(max(painted.sum() / average_area, share**2 / (share**2 + REGION**2)))
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
    """The charge for being invented is one pixel of all pixels of a large image, wherever it is; no class is added."""
    reference = np.kron(drawn(seed), np.ones((10, 10), np.uint8))
    stray, missed = reference.copy(), reference.copy()
    stray.flat[100 * place], missed.flat[100 * place] = 9, VOID
    for name in CHARGED:
        charge = 1 - scores(stray, reference, 10)[name] / scores(missed, reference, 10)[name]
        assert charge == pytest.approx(1 / reference.size, rel=0.1)


@pytest.mark.attack(
    "an object is invented, or one of the same size is lost: robust F1",
    before="costs 0.029 and 0.159",
)
def test_trust4_inventing_a_region_costs_as_much_as_losing_one(record_property):
    tries, ratios, example = 0, [], ""
    for classes, share, seed in itertools.product((3, 6, 12, 19), (0.002, 0.005, 0.01, 0.03, 0.05), range(3)):
        side, rng = 200, np.random.default_rng(seed)
        ground = (
            np.sort(rng.permutation(np.arange(side) % (classes - 1)))[:, None].repeat(side, axis=1).astype(np.uint8)
        )
        places = rng.permutation(side * side).reshape(2, -1)[:, : round(share * side * side)]
        reference, lost, invented = ground.copy(), ground, ground.copy()
        reference.flat[places[0]] = invented.flat[places[0]] = classes - 1
        invented.flat[places[1]] = classes
        lost, invented = (1 - scores(answer, reference, classes + 1)["f1"] for answer in (lost, invented))
        ratios.append(invented / lost)
        tries += 1
        if (classes, share) == (6, 0.03):
            example = f"costs {invented:.3f} and {lost:.3f}"
    record_property("tries", tries)
    record_property("now", example)
    assert 0.67 < min(ratios) and max(ratios) < 1.1  # an image with one class more has a smaller share for each


@given(st.integers(0, 9), st.integers(1, 8))
def test_two_invented_regions_cost_more_than_one_of_the_same_area(seed, width):
    reference = drawn(seed)
    one, two = reference.copy(), reference.copy()
    one[:, : 2 * width], two[:, : 2 * width] = 8, 8
    two[:, :width] = 9
    assert scores(two, reference, 10)["f1"] < scores(one, reference, 10)["f1"]


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
    assert scores(half, one, 2)["f1"] == pytest.approx(2 / 3 / 2, abs=1e-5)
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
