"""The test of agreement with an earlier assignment of colours, against enumeration of all permutations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import Assignment, permutation_test


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kept", [0, 1])
def test_p_is_near_that_of_all_permutations(seed, kept):
    agreement = np.random.default_rng(seed).random((5, 5)) + 0.4 * np.eye(5)
    permutations = [(*range(kept), *rest) for rest in itertools.permutations(range(kept, 5))]
    values = np.array([agreement[np.arange(5), list(order)].sum() for order in permutations])
    result = permutation_test([Assignment(agreement, kept)])
    assert result.observed == pytest.approx(np.trace(agreement)) and result.possible == len(permutations)
    assert result.p_above(0.0) == pytest.approx((values >= np.trace(agreement) - 1e-9).mean(), abs=0.02)
    assert result.excess == pytest.approx(np.trace(agreement) - values.mean(), abs=0.02)


def test_an_excluded_permutation_is_never_drawn():
    # Only the excluded permutation agrees at all.
    agreement = np.zeros((3, 3))
    agreement[0, 1], agreement[1, 2], agreement[2, 0] = 1, 1, 1
    assert permutation_test([Assignment(agreement)]).permuted.max() == 3
    result = permutation_test([Assignment(agreement, excluded=(1, 2, 0))])
    assert result.permuted.max() < 3 and result.possible == 5


@pytest.mark.parametrize(
    "assignment", [Assignment(np.eye(2), 0, (0, 1)), Assignment(np.eye(2), 1), Assignment(np.eye(1), 1)]
)
def test_a_single_possible_permutation_shows_nothing(assignment):
    result = permutation_test([assignment])
    assert result.possible == 1 and result.p_above(0.0) == 1 and result.excess == 0


@pytest.mark.slow
@given(st.integers(0, 500), st.sampled_from([0.001, 0.025, 0.05]), st.floats(-1, 3))
@settings(max_examples=25, deadline=None)
def test_interval_and_p_cannot_contradict_each_other(seed, tail, bound):
    rng = np.random.default_rng(seed)
    result = permutation_test([Assignment(rng.random((5, 5)) + rng.random() * np.eye(5)) for _ in range(2)])
    assert (result.interval(tail)[0] > bound) == (result.p_above(bound) <= tail)


@pytest.mark.slow
def test_under_the_null_p_is_uniform():
    rng = np.random.default_rng(1)
    values = []
    for seed in range(300):
        wrong = rng.exponential(size=(6, 6)) ** 2  # some confusions are much larger than others
        order = rng.permutation(6)
        values.append(permutation_test([Assignment(wrong[:, order])], seed).p_above(0.0))
    assert np.mean(np.array(values) <= 0.05) <= 0.05 + 3 * math.sqrt(0.0475 / 300)
    assert 0.42 <= np.mean(values) <= 0.58
