import math
import tracemalloc

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.stats import (
    _bootstrap,
    bootstrap,
    bootstrap_jointly,
    estimate,
    estimate_mean,
    finish_mean,
    generator,
    mean_states,
    wilson,
)

NAN = math.nan


def clustered(rng, clusters, size, spread=1.0):
    """Values that share much within a cluster."""
    return np.repeat(rng.normal(0, spread, clusters), size) + rng.normal(size=clusters * size), np.repeat(
        np.arange(clusters), size
    )


def test_replicates_are_those_of_resampling_the_rows_themselves():
    rng = np.random.default_rng(1)
    clusters = rng.integers(-3, 3, 25)
    values = rng.normal(size=25)
    ids = np.unique(clusters)
    draws = generator(8, "bootstrap").integers(len(ids), size=(50, len(ids)))
    expected = [np.mean(np.concatenate([values[clusters == ids[i]] for i in draw])) for draw in draws]
    assert bootstrap(mean_states(values), finish_mean, clusters, 50, seed=8) == pytest.approx(expected)


def test_spread_is_that_of_scipy_when_rows_stand_alone():
    values = np.random.default_rng(2).gamma(1.0, size=60)
    theirs = scipy.stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", random_state=0)
    ours = bootstrap(mean_states(values), finish_mean, resamples=20_000)
    assert ours.std(ddof=1) == pytest.approx(theirs.standard_error, rel=0.03)
    assert np.quantile(ours, [0.025, 0.975]) == pytest.approx(list(theirs.confidence_interval), abs=0.02)


def test_spread_of_clusters_is_that_of_the_sandwich():
    values, clusters = clustered(np.random.default_rng(3), clusters=50, size=4)
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    ours = bootstrap(mean_states(values), finish_mean, clusters, 20_000).std() * math.sqrt(50 / 49)
    assert ours == pytest.approx(fit.bse[0], rel=0.03)


def test_same_seed_same_replicates_whatever_the_chunks(monkeypatch):
    states = mean_states(np.random.default_rng(4).integers(0, 9, 30))
    first = bootstrap(states, finish_mean, seed=5)
    monkeypatch.setattr(_bootstrap, "_CHUNK", 100)
    assert np.array_equal(first, bootstrap(states, finish_mean, seed=5))
    assert not np.array_equal(first, bootstrap(states, finish_mean, seed=6))


def test_joint_replicates_share_their_resamples():
    rng = np.random.default_rng(5)
    clusters = rng.integers(0, 9, 40)
    one, other = rng.normal(size=(2, 40))
    joint = bootstrap_jointly([mean_states(one), mean_states(other), mean_states(one + other)], finish_mean, clusters)
    assert joint[0] + joint[1] == pytest.approx(joint[2])
    assert np.array_equal(joint[1], bootstrap(mean_states(other), finish_mean, clusters))


def test_matrices_about_different_rows_are_refused():
    with pytest.raises(ValueError, match="same rows"):
        bootstrap_jointly([mean_states([1.0, 2.0]), mean_states([1.0])], finish_mean)


def test_memory_is_bounded_for_a_hundred_thousand_clusters():
    states = mean_states(np.random.default_rng(6).random(100_000))
    tracemalloc.start()
    try:
        bootstrap(states, finish_mean, resamples=30)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_a_pooled_metric_is_finished_after_the_sums():
    counts = np.random.default_rng(7).integers(1, 50, (40, 2))
    pooled = estimate(counts, lambda sums: sums[..., 0] / sums.sum(axis=-1))
    assert pooled.value == counts[:, 0].sum() / counts.sum()
    assert pooled.lo < pooled.value < pooled.hi


def test_undefined_resamples_do_not_poison_the_interval():
    states = [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]  # resamples of the first two rows alone have no ratio
    assert np.isnan(bootstrap(states, finish_mean)).any()
    interval = estimate(states, finish_mean)
    assert interval.value == pytest.approx(4 / 6) and (interval.lo, interval.hi) == (0.5, 0.75)


@pytest.mark.parametrize("count", [5, 10, 100])
def test_percentiles_are_expanded_for_few_clusters(count):
    replicates = np.linspace(0, 1, 100_001)
    expanded = scipy.stats.norm.cdf(scipy.stats.t.ppf(0.025, count - 1) * math.sqrt(count / (count - 1)))
    lo, hi = _bootstrap.percentile_interval(0.5, replicates, count, 0.95)
    assert (lo, hi) == pytest.approx((expanded, 1 - expanded), abs=1e-5)
    assert lo < 0.025


@pytest.mark.parametrize(
    "values, clusters, value",
    [
        ([], None, NAN),
        ([0.3], None, 0.3),
        ([0.3, 0.5], [7, 7], 0.4),
        ([0.1, 0.1, 0.1], None, 0.1),  # no spread to learn from
        ([0.1, NAN, 0.4], None, NAN),
    ],
)
def test_intervals_that_cannot_be_known_are_nan(values, clusters, value):
    unknown = estimate_mean(values, clusters)
    assert (unknown.value, unknown.lo, unknown.hi) == pytest.approx((value, NAN, NAN), nan_ok=True)


@given(arrays(float, st.integers(1, 60), elements=st.sampled_from([0.0, 1.0])))
def test_zeros_and_ones_get_wilson(values):
    n, hits = len(values), int(values.sum())
    expected = wilson(hits, n)
    for clusters in (None, np.arange(n)[::-1]):
        ours = estimate_mean(values, clusters)
        assert ours.value == hits / n
        assert (ours.lo, ours.hi) == pytest.approx((expected.lo, expected.hi), abs=1e-12)


@given(
    arrays(float, st.integers(1, 30), elements=st.sampled_from([0.0, 1.0])),
    st.lists(st.integers(0, 6), min_size=30, max_size=30),
)
def test_an_interval_of_zeros_and_ones_is_never_a_point(values, clusters):
    ours = estimate_mean(values, clusters[: len(values)])
    assert 0 <= ours.lo <= ours.value <= ours.hi <= 1 and ours.hi - ours.lo > 0.05


def test_equal_answers_count_once_per_cluster():
    assert estimate_mean([0] * 21, np.repeat(np.arange(7), 3)) == wilson(0, 7)
    assert estimate_mean([1] * 21, [3] * 21) == wilson(1, 1)


def test_clustering_widens_the_interval_of_a_proportion():
    values = np.repeat([0, 1, 1, 0, 0, 1, 0, 1, 1, 1], 5)
    alone, together = estimate_mean(values), estimate_mean(values, np.repeat(np.arange(10), 5))
    assert together.lo < wilson(6, 10).lo < alone.lo
    assert together.hi > wilson(6, 10).hi > alone.hi


@given(arrays(float, st.integers(2, 20), elements=st.integers(-9, 9).map(float)), st.integers(1, 9), st.integers(-9, 9))
def test_an_interval_moves_with_its_values(values, factor, shift):
    assume(not np.isin(values, (0, 1)).all() and np.ptp(values) > 0)
    moved_values = values * factor + shift
    assume(not np.isin(moved_values, (0, 1)).all())
    ours, moved = estimate_mean(values, resamples=100), estimate_mean(moved_values, resamples=100)
    expected = [end * factor + shift for end in (ours.value, ours.lo, ours.hi)]
    assert [moved.value, moved.lo, moved.hi] == pytest.approx(expected, abs=1e-9)
    assert ours.lo <= ours.hi


def test_states_must_be_a_matrix():
    with pytest.raises(ValueError, match="one row per answer"):
        estimate([1.0, 2.0], finish_mean)
