"""Panoptic quality against the definition of panopticapi, written out segment by segment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pixelproof.metrics import (
    PanopticCounts,
    connected_segments,
    instance_segments,
    panoptic_counts,
    pooled_pq,
    pooled_rq,
    pooled_sq,
    pq_ratios,
    rq_ratios,
    sq_ratios,
)
from pixelproof.pixels import VOID

CLASSES = 4
SHAPE = (6, 8)
LABELS = hnp.arrays(np.uint8, SHAPE, elements=st.sampled_from([0, 1, 1, 2, VOID]))
INSTANCES = hnp.arrays(np.int64, SHAPE, elements=st.sampled_from([-1, 0, 1, 2]))


def brute_force(prediction, reference):
    """`pq_compute_single_core` and `pq_average` of panopticapi: sets of pixels, one pair of segments at a time."""
    pixels = {
        name: {n: set(zip(*np.nonzero(side.numbers == n), strict=True)) for n in range(1, len(side.labels))}
        for name, side in (("predicted", prediction), ("actual", reference))
    }
    void = set(zip(*np.nonzero(reference.numbers == 0), strict=True))
    stat = {label: {"iou": 0.0, "tp": 0, "fp": 0, "fn": 0} for label in range(CLASSES)}
    matched = {"predicted": set(), "actual": set()}
    for a, actual in pixels["actual"].items():
        for p, predicted in pixels["predicted"].items():
            if reference.crowd[a] or reference.labels[a] != prediction.labels[p]:
                continue
            union = len(predicted) + len(actual) - len(predicted & actual) - len(void & predicted)
            if len(predicted & actual) / union > 0.5:
                stat[int(reference.labels[a])]["tp"] += 1
                stat[int(reference.labels[a])]["iou"] += len(predicted & actual) / union
                matched["predicted"].add(p)
                matched["actual"].add(a)
    for a in pixels["actual"]:
        if a not in matched["actual"] and not reference.crowd[a]:
            stat[int(reference.labels[a])]["fn"] += 1
    for p, predicted in pixels["predicted"].items():
        if p in matched["predicted"]:
            continue
        excused = set(void)
        for a, actual in pixels["actual"].items():
            if reference.crowd[a] and reference.labels[a] == prediction.labels[p]:
                excused |= actual
        if len(predicted & excused) / len(predicted) <= 0.5:
            stat[int(prediction.labels[p])]["fp"] += 1
    return stat


def average(stat):
    rows = []
    for one in stat.values():
        size = one["tp"] + 0.5 * one["fp"] + 0.5 * one["fn"]
        if size:
            rows.append((one["iou"] / size, one["iou"] / one["tp"] if one["tp"] else 0.0, one["tp"] / size))
    return np.mean(rows, axis=0) if rows else np.full(3, np.nan)


@given(LABELS, LABELS, INSTANCES)
def test_agrees_with_the_reference_implementation(painted, truth, instances):
    prediction = connected_segments(painted, whole=(0,))
    for reference in (connected_segments(truth, whole=(0,)), instance_segments(truth, instances)):
        counts, expected = panoptic_counts(prediction, reference, CLASSES), brute_force(prediction, reference)
        for name in ("iou", "tp", "fp", "fn"):
            np.testing.assert_allclose(getattr(counts, name), [expected[label][name] for label in range(CLASSES)])
        vector = counts.to_vector()
        ours = [float(pool(vector)) for pool in (pooled_pq, pooled_sq, pooled_rq)]
        np.testing.assert_allclose(ours, average(expected))


@given(hnp.arrays(np.int64, (3, 2, CLASSES), elements=st.integers(0, 3)), st.floats(0.5, 1))
def test_ratios_have_the_pooled_value_as_mean(counts, quality):
    tp, fp, fn = counts
    states = PanopticCounts(quality * tp, tp, fp, fn).to_vector()
    for pool, ratios in ((pooled_pq, pq_ratios), (pooled_sq, sq_ratios), (pooled_rq, rq_ratios)):
        part, whole = ratios(states)
        assert (part <= whole + 1e-12).all() and pool(states).shape == (2,)
        for row in range(2):
            used = whole[row] > 0
            if used.any():
                assert pool(states)[row] == pytest.approx((part[row][used] / whole[row][used]).mean())


@given(LABELS, LABELS)
def test_adds_up_over_images_and_lies_between_zero_and_one(painted, truth):
    counts = panoptic_counts(connected_segments(painted), connected_segments(truth), CLASSES)
    perfect = panoptic_counts(connected_segments(truth), connected_segments(truth), CLASSES)
    both = counts + perfect
    np.testing.assert_allclose(both.to_vector(), counts.to_vector() + perfect.to_vector())
    if perfect.seen.any():
        assert pooled_pq(perfect.to_vector()) == 1.0
        assert 0 <= pooled_pq(both.to_vector()) <= min(1.0, float(pooled_rq(both.to_vector())) + 1e-12)


def test_pq_of_each_class_is_sq_times_rq():
    rng = np.random.default_rng(1)
    truth = np.kron(rng.integers(0, 4, (6, 6)), np.ones((10, 10))).astype(np.uint8)
    painted = np.roll(truth, 2, axis=1)
    counts = panoptic_counts(connected_segments(painted), connected_segments(truth), CLASSES)
    np.testing.assert_allclose(counts.pq(), counts.sq() * counts.rq())
    assert 0 < pooled_pq(counts.to_vector()) < 1
