"""The one-sided maxT test and the inverted sign-flip test, against enumeration of all patterns."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import (
    FEWEST_CLUSTERS,
    Pairs,
    change_tests,
    comparison_interval,
    fall_tests,
    flip_power,
    flip_test,
)


def enumerated(differences, signs):
    """Adjusted one-sided p of every column, by all sign patterns."""
    d = differences * signs
    scaled = d / np.sqrt((d**2).sum(axis=0))
    observed = scaled.sum(axis=0)
    smallest = [(np.array(e)[:, None] * scaled).sum(axis=0).min() for e in itertools.product((1, -1), repeat=len(d))]
    return [np.mean([s <= t + 1e-9 for s in smallest]) for t in observed]


@pytest.mark.parametrize("n, k", [(3, 1), (6, 2), (8, 4)])
def test_p_values_equal_those_of_enumeration(n, k):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(2, n, k)) - [[[0.0]], [[0.8]]]
    better = np.array([True, False, True, True][:k])
    falls = fall_tests([Pairs.of_means(a[:, j], b[:, j], higher_is_better=bool(better[j])) for j in range(k)])
    expected = enumerated(b - a, np.where(better, 1, -1))
    for fall, p in zip(falls, expected, strict=True):
        assert fall.p == pytest.approx(p) or (fall.p == 1.0 and p > 0.3)


def test_five_items_suffice_for_any_number_of_metrics_and_four_do_not():
    for n, fires in ((4, False), (5, True)):
        falls = fall_tests([Pairs.of_means(np.ones(n), np.zeros(n)) for _ in range(20)])
        assert [fall.p for fall in falls] == [2.0**-n] * 20
        assert all((fall.p < 0.05) is fires and fall.testable is fires for fall in falls)
    assert FEWEST_CLUSTERS == 5


def test_a_rise_elsewhere_can_hide_a_fall_and_the_gate_says_that_it_cannot_tell():
    ones, zeros = np.ones(5), np.zeros(5)
    fall, rise = fall_tests([Pairs.of_means(ones, zeros), Pairs.of_means(zeros, ones)])
    assert fall.p == fall.best_p == 2 * 2.0**-5 and not fall.testable
    fall, _ = fall_tests([Pairs.of_means(ones, zeros), Pairs.of_means(ones, ones)])
    assert fall.p == fall.best_p == 2.0**-5 and fall.testable
    six = fall_tests([Pairs.of_means(np.ones(6), np.zeros(6)), Pairs.of_means(np.zeros(6), np.ones(6))])
    assert six[0].p == 2.0**-5 and six[0].testable


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 4), st.integers(0, 10**6))
def test_best_p_is_that_of_a_fall_on_every_item(n, others, seed):
    rng = np.random.default_rng(seed)
    beside = [Pairs.of_means(rng.integers(0, 2, n), rng.integers(0, 2, n)) for _ in range(others)]
    fall = fall_tests([Pairs.of_means(np.ones(n), np.zeros(n)), *beside])[0]
    assert fall.best_p == pytest.approx(fall.p)


def test_no_metrics_are_no_falls():
    assert fall_tests([]) == []


def test_many_clusters_are_drawn_and_p_is_never_0():
    rng = np.random.default_rng(0)
    a = rng.random(40)
    (fall,) = fall_tests([Pairs.of_means(a, a - 1)])
    assert fall.p == 1 / 10_001
    (same,) = fall_tests([Pairs.of_means(a, a)])
    assert same.p == 1.0


def test_rows_of_a_cluster_are_flipped_together():
    a, b = np.ones(12), np.zeros(12)
    (fall,) = fall_tests([Pairs.of_means(a, b, clusters=np.repeat([0, 1, 2], 4))])
    assert fall.p == 2.0**-3 and fall.clusters == 3 and not fall.testable


def test_metrics_on_different_clusters_are_tested_together():
    first = Pairs.of_means(np.ones(5), np.zeros(5), clusters=[0, 1, 2, 3, 4])
    second = Pairs.of_means([1.0, 0.0], [0.0, 1.0], clusters=[7, 8])
    falls = fall_tests([first, second])
    assert falls[0].clusters == 5 and falls[0].p < 0.05 and falls[1].clusters == 2


def test_pooled_metrics_exchange_sides():
    a = np.array([[9.0, 10], [8, 10], [18, 20], [9, 10], [10, 10], [4, 5]])
    b = np.array([[1.0, 10], [2, 12], [5, 20], [1, 10], [1, 10], [0, 5]])
    share = lambda sums: sums[..., 0] / sums[..., 1]  # noqa: E731
    values = []
    for flips in itertools.product((False, True), repeat=6):
        swap = np.array(flips)[:, None]
        one, other = np.where(swap, b, a).sum(axis=0), np.where(swap, a, b).sum(axis=0)
        values.append(share(other) - share(one))
    expected = np.mean(np.array(values) <= values[0] + 1e-9)
    (fall,) = fall_tests([Pairs(a, b, share, np.arange(6))])
    assert fall.p == pytest.approx(expected) == 2.0**-6


def test_undefined_metrics_have_no_p():
    zero = np.zeros((5, 2))
    falls = fall_tests([Pairs(zero, zero, lambda s: s[..., 0] / s[..., 1], np.arange(5))])
    assert math.isnan(falls[0].p)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=2, max_size=9), st.floats(0.001, 0.3))
def test_interval_and_test_never_contradict(differences, tail):
    flips = flip_test(Pairs.of_means(np.zeros(len(differences)), differences))
    lo, hi = flips.interval(tail)
    assert (lo > 0) is (flips.p_better <= tail + 1e-12)
    assert (hi < 0) is (flips.p_worse <= tail + 1e-12)
    assert lo <= flips.difference + 1e-9 and flips.difference - 1e-9 <= hi


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=9))
def test_two_sided_p_is_that_of_the_permutation_test(differences):
    flips = flip_test(Pairs.of_means(np.zeros(len(differences)), differences))
    theirs = scipy.stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert flips.p == pytest.approx(theirs.pvalue)


def test_interval_ends_are_where_shifted_data_stop_rejecting():
    rng = np.random.default_rng(8)
    d = rng.normal(1.0, 1.0, 9)
    lo, hi = flip_test(Pairs.of_means(np.zeros(9), d)).interval(0.025)
    for end, inward in ((lo, 1), (hi, -1)):
        inside, outside = (flip_test(Pairs.of_means(np.full(9, end + inward * step), d)).p for step in (1e-6, -1e-6))
        assert inside > 0.05 >= outside


def test_too_few_clusters_have_no_ends():
    assert flip_test(Pairs.of_means([0, 0, 0, 0, 0], [1, 2, 3, 4, 5])).interval(0.025) == (-math.inf, math.inf)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 8), st.integers(1, 4))
def test_the_two_sided_max_test_tries_every_exchange(seed, n, metrics):
    rng = np.random.default_rng(seed)
    differences = rng.normal(rng.normal(size=(metrics, 1)), 1, (metrics, n))
    signs = np.array(list(itertools.product((1, -1), repeat=n)))
    size = np.abs(signs @ differences.T) / np.sqrt((differences**2).sum(axis=1))
    expected = (size.max(axis=1)[:, None] >= size[0] - 1e-9).mean(axis=0)
    base = rng.normal(size=n)
    changes = change_tests([Pairs.of_means(base, base + d) for d in differences])
    assert np.allclose(changes.p, expected)
    largest = np.unique(size.max(axis=1).round(9))
    share = [(size.max(axis=1) >= value - 1e-8).mean() for value in largest]
    assert changes.critical == pytest.approx(
        min((v for v, s in zip(largest, share, strict=True) if s <= 0.05), default=np.inf)
    )


def test_a_fall_in_every_item_is_shown_in_every_metric():
    seven = [Pairs.of_means(np.ones(7), np.zeros(7)) for _ in range(15)]
    assert change_tests(seven).p == (2**-6,) * 15
    assert min(change_tests([Pairs.of_means(np.ones(5), np.zeros(5))]).p) > 0.05


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(5, 12), st.booleans())
def test_an_interval_excludes_0_exactly_if_a_difference_is_shown(seed, n, shown):
    rng = np.random.default_rng(seed)
    a = rng.choice([0, 0.25, 0.5, 0.75, 1], n)
    b = np.clip(a + rng.choice([-0.25, 0, 0.25], n, p=[0.6, 0.3, 0.1]), 0, 1)
    pairs = Pairs.of_means(a, b)
    flips = flip_test(pairs)
    lo, hi = comparison_interval(pairs, flips, (0, 1), shown and flips.difference != 0)
    assert (lo > 0 or hi < 0) is (shown and flips.difference != 0)
    assert lo - 1e-9 <= flips.difference <= hi + 1e-9


def test_a_small_change_moves_an_interval_by_little():
    same, lower = (Pairs.of_means(np.ones(7), np.ones(7) - e) for e in (0.0, 1e-4))
    ends = [comparison_interval(pairs, flip_test(pairs), (0, 1), False) for pairs in (same, lower)]
    assert np.allclose(*ends, atol=1e-3)
    fall = Pairs.of_means(np.ones(7), np.zeros(7))
    assert comparison_interval(fall, flip_test(fall), (0, 1), False) == (-1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "metrics"), [(7, 1), (10, 15), (20, 15)])
def test_the_detectable_difference_is_shown_in_four_runs_of_five(n, metrics):
    rng = np.random.default_rng(0)

    def tests(differences):
        return change_tests([Pairs.of_means(np.zeros(n), d) for d in differences])

    null = [rng.normal(size=(metrics, n)) for _ in range(60)]
    detectable = np.median([flip_power(d[0] / d[0].std(ddof=1), np.arange(n), tests(d).critical)[0] for d in null])
    effect = np.eye(metrics, 1) * detectable
    shown = [tests(rng.normal(size=(metrics, n)) + effect).p[0] <= 0.05 for _ in range(200)]
    assert 0.65 < np.mean(shown) < 0.92


def test_items_needed_are_never_fewer_than_the_test_needs():
    for critical in (1.7, np.inf):
        detectable, needed = flip_power(np.array([-0.68, -0.7, -0.66]), np.arange(3), critical)
        assert np.isnan(detectable) and needed >= 6
