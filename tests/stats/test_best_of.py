from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.stats import best_of_k

attempts = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9).flatmap(
    lambda values: st.tuples(st.just(values), st.integers(1, len(values)))
)


@given(attempts)
def test_is_the_mean_maximum_over_all_subsets(case):
    values, k = case
    assert best_of_k(values, k) == pytest.approx(np.mean([max(s) for s in combinations(values, k)]), abs=1e-6)


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_is_pass_at_k_for_zeros_and_ones(case):
    n, passed, k = case
    expected = 1 - comb(n - passed, k) / comb(n, k)
    assert best_of_k([1] * passed + [0] * (n - passed), k) == pytest.approx(expected, abs=1e-12)


def test_is_unbiased():
    rng = np.random.default_rng(0)
    estimates = [best_of_k(rng.random(6), 3) for _ in range(4000)]
    assert np.mean(estimates) == pytest.approx(3 / 4, abs=4 * np.std(estimates) / 4000**0.5)


def test_one_attempt_is_the_mean_and_all_are_the_maximum():
    values = np.random.default_rng(1).random(1000)
    assert best_of_k(values, 1) == pytest.approx(values.mean())
    assert best_of_k(values, 1000) == values.max()


@pytest.mark.parametrize("values, k", [([1, 2], 3), ([1, 2], 0), ([], 1)])
def test_more_attempts_than_there_are_cannot_be_estimated(values, k):
    with pytest.raises(PixelProofError, match=f"Best of {k} cannot be estimated from {len(values)} attempts"):
        best_of_k(values, k)
