"""Keypoints: written out plainly, and by properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.metrics import Keypoint, keypoint_counts, keypoint_tolerance, pooled_keypoint_f1

SHAPE = (300, 400)
PLACES = st.tuples(st.floats(0, 399), st.floats(0, 299))


@given(
    st.dictionaries(st.integers(1, 6), st.tuples(PLACES, st.floats(1, 200)), min_size=1),
    st.dictionaries(st.integers(1, 9), st.none() | PLACES),
)
def test_scores_are_those_of_the_definitions(truth, points):
    keypoints = tuple(Keypoint(label, *place, size) for label, (place, size) in truth.items())
    counts = keypoint_counts(points, keypoints, SHAPE)
    correct, oks = 0, []
    for label, ((x, y), size) in truth.items():
        point = points.get(label)
        scale = max(size, 12.5)  # 2.5 % of the diagonal of 500
        squared = math.inf if point is None else (point[0] - x) ** 2 + (point[1] - y) ** 2
        correct += squared <= (0.2 * scale) ** 2
        # COCO: exp(−d² / (2 s² k²)), where s² is the object's area and k twice the keypoint's σ.
        oks.append(math.exp(-squared / (2 * scale**2 * 0.1**2)))
    assert counts.correct.item() == correct and counts.oks().item() == pytest.approx(np.mean(oks))
    assert counts.pck().item() == pytest.approx(correct / len(truth))
    assert counts.f1().item() == pytest.approx(2 * correct / (len(truth) + len(points)))
    assert pooled_keypoint_f1(counts.to_vector()) == pytest.approx(counts.f1())


def test_every_further_label_costs():
    truth = (Keypoint(1, 50, 50, 40), Keypoint(2, 200, 100, 40))
    right = {1: (50.0, 50.0), 2: (200.0, 100.0)}
    scores = [
        keypoint_counts(right | dict.fromkeys(range(3, 3 + n), (9.0, 9.0)), truth, SHAPE).f1().item() for n in range(4)
    ]
    assert scores[0] == 1.0 and scores == sorted(scores, reverse=True) and scores[3] < 0.6
    assert keypoint_counts({}, truth, SHAPE).f1().item() == 0.0


def test_the_tolerance_is_a_fifth_of_the_size_and_never_below_half_a_percent_of_the_diagonal():
    assert keypoint_tolerance(Keypoint(1, 0, 0, 100), SHAPE) == pytest.approx(20)
    assert keypoint_tolerance(Keypoint(1, 0, 0, 3), SHAPE) == pytest.approx(2.5)
