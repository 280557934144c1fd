"""The exchange test of one condition against several others, against enumeration and the sign-flip test."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import Pairs, advantage_test, fewest_for_exchange, flip_test

SCORES = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=n, max_size=n)
)


def matrices(scores):
    scores = np.asarray(scores, dtype=float)
    return scores[:, :, None] - scores[:, None, :]


@pytest.mark.slow
@given(SCORES, st.integers(-3, 3))
@settings(max_examples=60, deadline=None)
def test_two_conditions_are_the_sign_flip_test(scores, bound):
    ours = advantage_test(matrices(scores))
    own, other = np.asarray(scores, dtype=float).T
    flips = flip_test(Pairs.of_means(other, own))
    assert ours.difference == pytest.approx(flips.difference)
    assert ours.p_above(bound + 0.37) == flips.p_above(bound + 0.37)  # no tie, whose rounding may differ
    assert ours.interval(0.05) == pytest.approx(flips.interval(0.05))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bound", [0.0, 0.1])
def test_p_is_that_of_trying_all_exchanges(seed, bound):
    rng = np.random.default_rng(seed)
    scores = rng.random((5, 4)) + np.array([0.3, 0, 0, 0])
    level = scores - np.array([bound, 0, 0, 0])

    def advantage(roles):
        first = level[np.arange(5), roles]
        return (first - (level.sum(axis=1) - first) / 3).sum()

    values = [advantage(list(roles)) for roles in itertools.product(range(4), repeat=5)]
    exact = np.mean(np.array(values) >= values[0] - 1e-9)
    assert advantage_test(matrices(scores)).p_above(bound) == pytest.approx(exact)


@pytest.mark.slow
@given(st.integers(0, 500), st.sampled_from([0.01, 0.025, 0.05]), st.floats(-0.2, 0.5))
@settings(max_examples=60, deadline=None)
def test_interval_and_p_cannot_contradict_each_other(seed, tail, bound):
    rng = np.random.default_rng(seed)
    flips = advantage_test(matrices(rng.random((6, 4)) + np.array([0.3, 0, 0, 0])))
    assert (flips.interval(tail)[0] > bound) == (flips.p_above(bound) <= tail)


def test_clusters_are_exchanged_together():
    scores = np.tile([[1.0, 0.0]], (20, 1))
    assert advantage_test(matrices(scores), np.repeat(np.arange(4), 5)).p_above(0.0) == 2.0**-4
    assert advantage_test(matrices(scores)).p_above(0.0) < 0.001


def test_missing_answers_are_no_evidence():
    scores = np.array([[1.0, 0.5, math.nan], [math.nan, 0.5, 0.4], [0.8, math.nan, math.nan], [0.9, 0.8, 0.7]])
    flips = advantage_test(matrices(scores))
    assert flips.difference == pytest.approx((0.5 + 0.15) / 2)
    none = advantage_test(matrices(np.full((3, 2), math.nan)))
    assert math.isnan(none.difference) and math.isnan(none.p_above(0.0))


@pytest.mark.slow
def test_exact_where_the_mean_of_others_is_less_skewed_than_one():
    rng = np.random.default_rng(3)
    rejected = 0
    for seed in range(200):
        scores = np.where(rng.random((8, 4)) < 0.15, 0.0, rng.uniform(0.8, 1.0, (8, 4)))
        rejected += advantage_test(matrices(scores), seed=seed).p_above(0.0) <= 0.05
    assert rejected / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(("conditions", "alpha", "fewest"), [(2, 0.05, 5), (2, 0.005, 8), (4, 0.005, 4)])
def test_how_many_items_are_needed(conditions, alpha, fewest):
    assert fewest_for_exchange(conditions, alpha) == fewest
    best = [1.0] + [0.0] * (conditions - 1)
    assert advantage_test(matrices([best] * fewest)).p_above(0.0) <= alpha
    assert advantage_test(matrices([best] * (fewest - 1))).p_above(0.0) > alpha
