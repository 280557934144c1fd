"""Scores against torchmetrics (where torch is), scikit-learn, and the published test vector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pixelproof.metrics import SegmentationCounts, pixelarena, pooled_accuracy, pooled_f1, pooled_miou, robust
from pixelproof.pixels import VOID

CLASSES = 6
LABELS = st.integers(0, CLASSES - 1)


def maps(elements=LABELS, shape=(7, 11)):
    return hnp.arrays(np.uint8, shape, elements=elements, fill=st.nothing() if elements is not LABELS else None)


def counts_of(prediction, reference, classes=CLASSES):
    return SegmentationCounts.of(np.asarray(prediction, np.uint8), np.asarray(reference, np.uint8), classes)


def test_the_published_vector():
    counts = counts_of([0, 0, 1, 2], [0, 0, 1, 1], 3)
    assert pixelarena(counts) == pytest.approx({"f1": 5 / 9, "miou": 0.5, "dice": 5 / 9})
    assert robust(counts) == pytest.approx(
        {"f1": 5 / 9, "miou": 0.5, "precision": 2 / 3, "recall": 0.75, "accuracy": 0.75, "invented": 0.25}, abs=1e-5
    )


@given(st.integers(0, 2**32), st.integers(1, 140))
def test_the_robust_scores_are_the_macro_means_to_the_last_bit(seed, classes):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 10**6, (classes, classes + 1)) * (rng.random((classes, classes + 1)) < rng.random())
    counts = SegmentationCounts.from_confusion(matrix)
    scores = robust(counts)
    expected = {name: counts.macro(getattr(counts, name)()) for name in ("f1", "precision")}
    expected |= {"miou": counts.macro(counts.iou()), "accuracy": counts.accuracy(), "invented": counts.invented()}
    for name, value in expected.items():
        np.testing.assert_array_equal(scores[name], value, err_msg=name)


@pytest.mark.slow
@given(maps(), maps())
def test_agrees_with_scikit_learn(prediction, reference):
    peer = pytest.importorskip("sklearn.metrics")
    p, r = prediction.ravel(), reference.ravel()
    published, ours = pixelarena(counts_of(p, r)), robust(counts_of(p, r))
    either, there = np.union1d(p, r), np.unique(r)
    told = {"average": "macro", "zero_division": 0}
    areas = np.array([(p == label).mean() for label in np.setdiff1d(p, there)])
    charge = np.maximum(areas, areas**2 / (areas**2 + 2.5e-7) / len(there)).sum()
    assert published["f1"] == published["dice"] == pytest.approx(peer.f1_score(r, p, labels=either, **told))
    assert published["miou"] == pytest.approx(peer.jaccard_score(r, p, labels=either, **told))
    assert ours == pytest.approx(
        {
            "f1": peer.f1_score(r, p, labels=there, **told) / (1 + charge),
            "miou": peer.jaccard_score(r, p, labels=there, **told) / (1 + charge),
            "precision": peer.precision_score(r, p, labels=there, **told) / (1 + charge),
            "recall": peer.recall_score(r, p, labels=there, **told),
            "accuracy": peer.accuracy_score(r, p),
            "invented": areas.sum(),
        }
    )


@pytest.mark.slow  # torchmetrics imports torch
@pytest.mark.parametrize("seed", range(5))
def test_the_published_protocol_agrees_with_torchmetrics(seed):
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    dice = pytest.importorskip("torchmetrics.functional.segmentation").dice_score
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, 12, (64, 64)).astype(np.uint8)
    prediction = np.where(rng.random(reference.shape) < 0.6, reference, rng.integers(0, 15, reference.shape))
    p, r = torch.tensor(prediction.astype(np.int64)), torch.tensor(reference.astype(np.int64))
    ours = pixelarena(counts_of(prediction, reference, 19))
    assert ours["f1"] == pytest.approx(float(functional.multiclass_f1_score(p, r, 19, average="macro")), abs=1e-6)
    assert ours["miou"] == pytest.approx(float(functional.multiclass_jaccard_index(p, r, 19)), abs=1e-6)
    per_class = dice(p[None], r[None], 19, average=None, input_format="index")
    assert ours["dice"] == pytest.approx(float(torch.nanmean(per_class)), abs=1e-6)


def test_one_stray_pixel_costs_a_class_in_one_protocol_alone():
    reference = np.repeat([0, 1], 200_000)
    stray = reference.copy()
    stray[0] = 5
    assert pixelarena(counts_of(stray, reference))["f1"] == pytest.approx(2 / 3, abs=1e-3)
    assert robust(counts_of(stray, reference))["f1"] == pytest.approx(1, abs=1e-3)


@given(maps(), maps(st.sampled_from([*range(CLASSES), VOID])))
def test_void_is_as_if_it_were_cut_out(prediction, reference):
    known = reference != VOID
    whole, cut = counts_of(prediction, reference), counts_of(prediction[known], reference[known])
    np.testing.assert_array_equal(whole.to_vector(), cut.to_vector())


def test_no_label_is_wrong_but_no_class():
    counts = counts_of([0, VOID, VOID, 1], [0, 0, 1, 1], 2)
    assert counts.recall().tolist() == [0.5, 0.5]
    assert counts.precision().tolist() == [1, 1]
    assert pixelarena(counts)["f1"] == pytest.approx(2 / 3)


def test_nothing_known_is_nan_not_zero():
    scores = robust(counts_of(np.zeros((3, 3)), np.full((3, 3), VOID)))
    assert all(np.isnan(value) for value in scores.values())
    assert np.isnan(pixelarena(counts_of(np.zeros((3, 3)), np.full((3, 3), VOID)))["f1"])


@given(st.lists(st.tuples(maps(), maps()), min_size=1, max_size=4))
def test_pooling_is_scoring_one_long_picture(pairs):
    one_by_one = [counts_of(*pair) for pair in pairs]
    whole = counts_of(np.concatenate([p for p, _ in pairs]), np.concatenate([r for _, r in pairs]))
    added = one_by_one[0]
    for counts in one_by_one[1:]:
        added = added + counts
    np.testing.assert_array_equal(added.to_vector(), whole.to_vector())
    sums = np.sum([counts.to_vector() for counts in one_by_one], axis=0)
    assert pooled_miou(sums) == pytest.approx(robust(whole)["miou"])
    assert pooled_f1(sums) == pytest.approx(robust(whole)["f1"])
    assert pooled_accuracy(sums) == pytest.approx(robust(whole)["accuracy"])


@given(hnp.arrays(np.int64, (2, 4, 3 * CLASSES), elements=st.integers(0, 9)))
def test_pooled_scores_keep_the_leading_axes(sums):
    for pool in (pooled_miou, pooled_f1, pooled_accuracy):
        many = pool(sums.astype(float))
        assert many.shape == (2, 4)
        np.testing.assert_array_equal(many[1, 2], pool(sums[1, 2]))


@given(maps(), maps())
def test_scores_lie_between_zero_and_one_and_truth_gets_one(prediction, reference):
    for protocol in (pixelarena, robust):
        assert all(0 <= value <= 1 for value in protocol(counts_of(prediction, reference)).values())
        perfect = protocol(counts_of(reference, reference))
        assert perfect.pop("invented", 0.0) == 0.0 and set(perfect.values()) == {1.0}
