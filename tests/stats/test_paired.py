import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq, minimize_scalar

from pixelproof.stats import estimate_mean, paired_difference, paired_permutation, wilson
from pixelproof.stats._paired import _tango_lower

Z = scipy.stats.norm.ppf(0.975)


def total_difference(x, y, axis):
    return np.sum(x - y, axis=axis)


def discordant(better, worse, n):
    """Paired zeros and ones with these counts."""
    ties = [0] * (n - better - worse)
    return [1] * better + [0] * worse + ties, [0] * better + [1] * worse + ties


@given(st.integers(2, 9), st.integers(0, 10**6))
def test_exact_p_is_that_of_scipy(n, seed):
    a, b = np.random.default_rng(seed).integers(0, 5, (2, n))
    theirs = scipy.stats.permutation_test(
        (a, b), total_difference, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert paired_permutation(a, b) == pytest.approx(theirs.pvalue)


def test_exact_p_flips_whole_clusters():
    rng = np.random.default_rng(0)
    a, b, clusters = rng.normal(0.4, 1, 24), rng.normal(size=24), np.repeat(np.arange(8), 3)
    sums = [(a - b)[clusters == c].sum() for c in range(8)]
    flipped = [abs(np.dot(signs, sums)) for signs in itertools.product([1, -1], repeat=8)]
    expected = np.mean(np.array(flipped) >= abs(sum(sums)) - 1e-9)
    assert paired_permutation(a, b, clusters) == expected
    assert paired_permutation(a, b, clusters, resamples=255, seed=1) == pytest.approx(expected, abs=0.1)


def test_drawn_p_is_near_the_exact_one_and_never_0():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.4, 1, 14), rng.normal(size=14)
    exact = paired_permutation(a, b, resamples=2**14)
    drawn = paired_permutation(a, b, resamples=2**14 - 1)
    assert drawn != exact and drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 2**14))
    assert paired_permutation(np.ones(200), np.zeros(200), resamples=999) == 1 / 1000


def test_drawn_p_is_near_that_of_the_t_test_for_many_pairs():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.1, 1, 500), rng.normal(size=500)
    assert paired_permutation(a, b) == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue, abs=0.02)


def test_pairs_of_zeros_and_ones_give_the_exact_sign_test():
    a, b = discordant(better=9, worse=2, n=500)  # most pairs agree, so all patterns of the others can be tried
    assert paired_permutation(a, b) == pytest.approx(scipy.stats.binomtest(9, 11).pvalue)


def test_p_of_equal_models_is_1_and_of_nan_is_nan():
    assert paired_permutation([1, 2, 3], [1, 2, 3]) == paired_permutation([], []) == 1
    assert math.isnan(paired_permutation([1, math.nan, 3], [0, 0, 0]))


def test_p_is_uniform_when_there_is_no_difference():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(10), 2)
    p = [paired_permutation(*(np.repeat(rng.normal(size=(2, 10)), 2, axis=1)), clusters, 2000) for _ in range(300)]
    assert scipy.stats.kstest(p, "uniform").pvalue > 0.001


@pytest.mark.parametrize(
    "better, worse, n, level, lo, hi",
    [
        (1, 7, 21, 0.95, -0.517, -0.026),  # airway reactivity: Fagerland, Lydersen and Laake 2014
        (60, 20, 1000, 0.95, 0.0231, 0.0584),  # R, PropCIs::scoreci.mp
        (48, 41, 549, 0.90, -0.0157, 0.0414),  # the same
    ],
)
def test_pairs_of_zeros_and_ones_get_the_published_tango_interval(better, worse, n, level, lo, hi):
    ours = paired_difference(*discordant(better, worse, n), level=level)
    assert ours.value == pytest.approx((better - worse) / n)
    digits = 3 if n == 21 else 4
    assert (round(ours.lo, digits), round(ours.hi, digits)) == (lo, hi)


@pytest.mark.parametrize("better, worse, n", [(3, 0, 7), (2, 5, 30), (0, 1, 12), (11, 9, 20), (6, 1, 9)])
def test_tango_is_the_score_test_with_likelihood_maximised_by_search(better, worse, n):
    def score(difference):
        """The score statistic; the share of worse pairs is found without the closed form."""

        def loss(q):
            cells = [(better, q + difference), (worse, q), (n - better - worse, 1 - 2 * q - difference)]
            return -sum(count * math.log(max(share, 1e-300)) for count, share in cells if count)

        bounds = max(0.0, -difference), (1 - difference) / 2
        q = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        return (better - worse - n * difference) / math.sqrt(n * (2 * q + difference - difference**2))

    observed = (better - worse) / n
    ours = paired_difference(*discordant(better, worse, n))
    assert ours.lo == pytest.approx(brentq(lambda d: score(d) - Z, -0.9999, observed - 1e-6), abs=1e-5)
    if observed < 0.9999 - 1e-6:
        assert ours.hi == pytest.approx(brentq(lambda d: score(d) + Z, observed + 1e-6, 0.9999), abs=1e-5)


@pytest.mark.parametrize("n", [1, 7, 100])
def test_tango_of_agreement_and_of_total_difference_is_wilson(n):
    same = paired_difference([1] * n, [1] * n)
    assert (same.value, same.lo, same.hi) == pytest.approx((0, -wilson(0, n).hi, wilson(0, n).hi))
    opposite = paired_difference([1] * n, [0] * n)
    assert (opposite.value, opposite.lo, opposite.hi) == pytest.approx((1, 2 * wilson(n, n).lo - 1, 1))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.05, 1e6))
def test_tango_holds_its_value_for_any_effective_counts(share, split, n):
    better, worse = share * split * n, share * (1 - split) * n
    lo, hi = _tango_lower(better, worse, n, Z), -_tango_lower(worse, better, n, Z)
    assert -1 <= lo <= (better - worse) / n + 1e-12 and (better - worse) / n - 1e-12 <= hi <= 1
    assert hi - lo > 1e-6


@given(arrays(float, (2, 12), elements=st.sampled_from([0.0, 1.0])), arrays(int, 12, elements=st.integers(0, 4)))
def test_swapping_the_models_mirrors_the_interval(pairs, clusters):
    a, b = pairs
    one, other = paired_difference(a, b, clusters), paired_difference(b, a, clusters)
    assert (one.value, one.lo, one.hi) == pytest.approx((-other.value, -other.hi, -other.lo), abs=1e-9)
    assert paired_permutation(a, b, clusters) == paired_permutation(b, a, clusters)


def test_other_values_get_the_interval_of_their_differences():
    rng = np.random.default_rng(4)
    a, b, clusters = rng.random(40), rng.random(40), rng.integers(0, 20, 40)
    assert paired_difference(a, b, clusters, seed=9) == estimate_mean(a - b, clusters, seed=9)


def test_copied_pairs_add_no_information():
    a, b = discordant(better=4, worse=1, n=12)
    once, copied = (
        paired_difference(a, b),
        paired_difference(np.repeat(a, 6), np.repeat(b, 6), np.repeat(np.arange(12), 6)),
    )
    assert copied.value == pytest.approx(once.value)
    assert copied.lo <= once.lo and once.hi <= copied.hi


def test_rows_must_be_paired():
    with pytest.raises(ValueError, match="paired row by row"):
        paired_difference([1, 2], [1])
