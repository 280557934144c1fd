"""HOTA: by hand, by properties, and against TrackEval where it is installed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.metrics import HotaCounts, edit_distance, hota_counts

HERE, THERE, FAR = (0, 0, 10, 10), (100, 0, 110, 10), (300, 0, 310, 10)


def test_by_hand_a_box_that_is_half_right():
    """IoU 1/2: matched at 10 of 19 thresholds (0.05 … 0.50), with HOTA 1 there and 0 above."""
    counts = hota_counts([{1: (0, 0, 10, 5)}], [{1: HERE}])
    assert counts.matched.tolist() == [1] * 10 + [0] * 9
    assert counts.hota() == pytest.approx(10 / 19) and counts.localisation() == pytest.approx((10 * 0.5 + 9) / 19)


def test_by_hand_two_identities_that_swap_in_the_middle():
    """Four frames, swapped after two: each match has the Jaccard index 2 / (4 + 4 − 2) = 1/3."""
    truth = [{1: HERE, 2: THERE}] * 4
    swapped = [{1: HERE, 2: THERE}] * 2 + [{1: THERE, 2: HERE}] * 2
    counts = hota_counts(swapped, truth)
    assert counts.detection() == 1.0 and counts.association() == pytest.approx(1 / 3)
    assert counts.hota() == pytest.approx(np.sqrt(1 / 3))


def test_by_hand_a_target_that_is_lost_and_one_that_is_invented():
    """Two of four frames found, and one box that is nothing: DetA 2 / (2 + 2 + 1), AssA 2 / (4 + 2 − 2)."""
    counts = hota_counts([{1: HERE}, {1: HERE, 7: FAR}, {}, {}], [{1: HERE}] * 4)
    assert counts.detection() == pytest.approx(0.4) and counts.association() == pytest.approx(0.5)


def test_nothing_is_nothing():
    assert hota_counts([{}, {}], [{1: HERE}, {}]).hota() == 0
    assert hota_counts([], []).hota() == 0
    with pytest.raises(ValueError):
        hota_counts([{}], [{}, {}])


def test_clips_add_up():
    good, bad = hota_counts([{1: HERE}] * 3, [{1: HERE}] * 3), hota_counts([{1: FAR}], [{1: HERE}])
    both = good + bad
    assert both.detection() == pytest.approx(3 / 5) and both.association() == 1.0
    assert HotaCounts.from_vector(both.to_vector()).hota() == both.hota()


boxes = st.dictionaries(st.integers(0, 4), st.sampled_from([(x, y, x + 10, y + 10) for x in (0, 4, 9) for y in (0, 3)]))
clips = st.integers(1, 5).flatmap(
    lambda count: st.tuples(*(st.lists(boxes, min_size=count, max_size=count) for _ in range(2)))
)


@settings(max_examples=40, deadline=None)
@given(clips)
def test_values_are_shares_and_identities_are_only_names(clip):
    tracked, truth = clip
    counts = hota_counts(tracked, truth)
    assert 0 <= counts.hota() <= 1 and 0 <= counts.association() <= 1
    renamed = [{9 - id: box for id, box in frame.items()} for frame in tracked]
    assert hota_counts(renamed, truth).detection() == pytest.approx(counts.detection())


@settings(max_examples=40, deadline=None)
@given(clips)
def test_as_trackeval_computes_it(clip):
    trackeval = pytest.importorskip("trackeval")
    tracked, truth = clip
    metric = trackeval.metrics.HOTA()
    names = {}
    data = {"gt_ids": [], "tracker_ids": [], "similarity_scores": []}
    for own, true in zip(tracked, truth, strict=True):
        for kind, frame in (("gt", true), ("tracker", own)):
            known = names.setdefault(kind, {})
            data[f"{kind}_ids"].append(np.array([known.setdefault(id, len(known)) for id in frame], int))
        overlap = np.array([[iou(true[t], own[o]) for o in own] for t in true]).reshape(len(true), len(own))
        data["similarity_scores"].append(overlap)
    for kind in ("gt", "tracker"):
        data[f"num_{kind}_ids"] = len(names.get(kind, {}))
        data[f"num_{kind}_dets"] = sum(map(len, data[f"{kind}_ids"]))
    result, counts = metric.eval_sequence(data), hota_counts(tracked, truth)
    assert counts.detection() == pytest.approx(np.mean(result["DetA"]))
    assert counts.association() == pytest.approx(np.mean(result["AssA"]))
    assert counts.hota() == pytest.approx(np.mean(result["HOTA"]))
    assert counts.localisation() == pytest.approx(np.mean(result["LocA"]))


def iou(one, other):
    width = max(0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0, min(one[3], other[3]) - max(one[1], other[1]))
    both = width * height
    return both / (200 - both)


@settings(max_examples=60, deadline=None)
@given(st.text("ab", max_size=6), st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_the_edit_distance_is_a_distance(one, two, three):
    assert edit_distance(one, one) == 0 and edit_distance(one, two) == edit_distance(two, one)
    assert edit_distance(one, three) <= edit_distance(one, two) + edit_distance(two, three)
    assert abs(len(one) - len(two)) <= edit_distance(one, two) <= max(len(one), len(two))
    assert edit_distance(one + "x", two) >= 1
