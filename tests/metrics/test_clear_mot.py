"""CLEAR MOT by hand and against an exhaustive search; text errors and spans against independent implementations."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.metrics import MotCounts, anls, character_errors, edit_distance, mot_counts, span_iou, word_errors

HERE, THERE, FAR = (0, 0, 10, 10), (100, 0, 110, 10), (300, 0, 310, 10)


def test_by_hand_a_swap_a_miss_and_an_invention():
    """Eight true boxes; two switches in frame 2, one miss and one extra box in frame 3: 1 − 4/8."""
    truth = [{1: HERE, 2: THERE}] * 4
    tracked = [{1: HERE, 2: THERE}, {1: HERE, 2: THERE}, {1: THERE, 2: HERE}, {2: HERE, 3: FAR}]
    counts = mot_counts(tracked, truth)
    assert [int(value[0]) for value in (counts.true, counts.matched, counts.extra, counts.switches)] == [8, 7, 1, 2]
    assert counts.mota() == pytest.approx(1 - (1 + 1 + 2) / 8) and counts.motp() == 1


def test_a_pair_is_kept_while_it_overlaps_even_if_another_fits_better():
    truth = [{1: HERE}, {1: HERE}]
    tracked = [{7: HERE}, {7: (0, 0, 10, 6), 8: HERE}]
    counts = mot_counts(tracked, truth)
    assert counts.switches[0] == 0 and counts.extra[0] == 1 and counts.iou[0] == pytest.approx(1.6)


def test_an_identity_that_comes_back_after_a_gap_is_compared_with_the_last():
    truth = [{1: HERE}] * 3
    assert mot_counts([{7: HERE}, {}, {7: HERE}], truth).switches[0] == 0
    assert mot_counts([{7: HERE}, {}, {8: HERE}], truth).switches[0] == 1


def test_counts_add_up_and_frames_must_agree():
    truth = [{1: HERE}]
    both = mot_counts(truth, truth) + mot_counts([{}], truth)
    assert isinstance(both, MotCounts) and both.mota() == 0.5
    with pytest.raises(ValueError):
        mot_counts([], truth)


BOXES = st.dictionaries(st.integers(1, 3), st.integers(0, 12).map(lambda x: (x, 0, x + 10, 10)), max_size=3)


@settings(max_examples=40)
@given(st.lists(st.tuples(BOXES, BOXES), min_size=1, max_size=1))
def test_matches_of_a_frame_are_those_of_an_exhaustive_search(frames):
    ((own, true),) = frames

    def overlap(a, b):
        shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * 10
        return shared / (200 - shared)

    best = 0.0
    ids = list(own) + [None] * len(true)
    for order in set(permutations(ids, len(true))):
        values = [overlap(own[o], true[t]) for o, t in zip(order, true, strict=True) if o is not None]
        best = max(best, sum(value for value in values if value >= 0.5))
    assert mot_counts([own], [true]).iou[0] == pytest.approx(best)


WORDS = st.text("ab ", max_size=7)


@cache
def recursive_distance(a, b):
    """Levenshtein by its definition."""
    if not a or not b:
        return len(a) + len(b)
    change = recursive_distance(a[1:], b[1:]) + (a[0] != b[0])
    return min(change, recursive_distance(a[1:], b) + 1, recursive_distance(a, b[1:]) + 1)


@settings(max_examples=60)
@given(WORDS, WORDS)
def test_text_errors_against_the_definition(a, b):
    assert character_errors(a, b) == (recursive_distance(a, b), len(b))
    assert word_errors(a, b) == (recursive_distance(tuple(a.split()), tuple(b.split())), len(b.split()))
    assert edit_distance(a, b) == edit_distance(b, a)


def test_anls_counted_by_hand():
    """The examples of DocVQA: one edit of five characters keeps 0.8, half or more of the characters gives 0."""
    assert anls("tests", ["test "]) == pytest.approx(0.8)
    assert anls("abcd", ["abxy"]) == 0 and anls("abcde", ["abcxy"]) == pytest.approx(0.6)
    assert anls("x", ["tests", "X"]) == 1 and anls("", ["a"]) == 0 and anls("", [""]) == 1 and anls("a", []) == 0


@settings(max_examples=40)
@given(*[st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted).map(tuple)] * 2)
def test_span_iou_counts_frames(a, b):
    one, other = (set(range(*span)) for span in (a, b))
    expected = len(one & other) / len(one | other) if one | other else 0
    assert span_iou(a, b) == pytest.approx(expected)
    assert span_iou(a, b) == span_iou(b, a) and np.isfinite(span_iou(a, b))
