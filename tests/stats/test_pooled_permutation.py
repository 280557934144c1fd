import itertools
import math

import numpy as np
import pytest

from pixelproof.stats import finish_mean, pooled_difference, pooled_permutation


@pytest.mark.parametrize("seed", range(4))
def test_p_is_near_that_of_trying_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    pixels = rng.integers(5, 60, 8)  # pictures of different sizes
    a, b = (np.column_stack([rng.binomial(pixels, share), pixels]) for share in (0.6, 0.4))

    def difference(swapped):
        one, other = np.where(swapped, b.T, a.T), np.where(swapped, a.T, b.T)
        return abs(one[0].sum() / one[1].sum() - other[0].sum() / other[1].sum())

    differences = np.array([difference(np.array(swapped)) for swapped in itertools.product([False, True], repeat=8)])
    exact = (differences >= differences[0] - 1e-9).mean()
    assert pooled_permutation(a, b, finish_mean) == pytest.approx(exact, abs=0.02)


def test_a_tie_counts_however_it_is_rounded():
    a, b = np.array([[0.1], [0.2], [0.3]]), np.array([[0.3], [0.2], [0.1]])
    assert pooled_permutation(a + 1e6, b + 1e6, lambda sums: sums[..., 0]) == 1


def test_what_has_no_value_has_no_p_and_no_interval():
    a, b = np.array([[math.nan, 1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 1.0]])
    assert math.isnan(pooled_permutation(a, b, finish_mean))
    unknown = pooled_difference(a, b, finish_mean)
    assert np.isnan([unknown.value, unknown.lo, unknown.hi]).all()


def test_exchanges_without_a_value_are_no_evidence():
    a, b = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.2, 1.0]])
    # Half of the exchanges leave one side without a denominator; the others tie.
    assert pooled_permutation(a, b, finish_mean) == 1
