import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import (
    finish_mean,
    mean_states,
    paired_difference,
    paired_permutation,
    pooled_difference,
    pooled_permutation,
)

# Pairs of 0 and 1 have an interval of their own among the paired functions, so values stay clear of 1.
VALUES = st.lists(st.tuples(st.floats(2, 5), st.floats(2, 5)), min_size=4, max_size=30)


@given(VALUES)
@settings(max_examples=30, deadline=None)
def test_for_means_it_is_the_paired_difference(pairs):
    a, b = np.array(pairs).T
    pooled = pooled_difference(mean_states(a), mean_states(b), finish_mean, resamples=300)
    paired = paired_difference(a, b, resamples=300)
    assert pooled.value == pytest.approx(paired.value, abs=1e-9)
    if not np.isnan(paired.lo) and not np.isnan(pooled.lo):
        assert (pooled.lo, pooled.hi) == pytest.approx((paired.lo, paired.hi), abs=1e-9)


def test_for_means_it_is_the_sign_flip_test():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.4, 1, 60), rng.normal(0, 1, 60)
    pooled = pooled_permutation(mean_states(a), mean_states(b), finish_mean, resamples=20_000)
    assert pooled == pytest.approx(paired_permutation(a, b, resamples=20_000), abs=0.01)


def test_whole_clusters_change_sides():
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(8), 25)
    shift = rng.normal(0.4, 1, 8)[clusters]
    a, b = rng.normal(0, 0.1, 200) + shift, rng.normal(0, 0.1, 200)
    alone = pooled_permutation(mean_states(a), mean_states(b), finish_mean)
    together = pooled_permutation(mean_states(a), mean_states(b), finish_mean, clusters)
    assert alone < 0.01 < together


def test_under_the_null_p_is_uniform():
    rng = np.random.default_rng(5)
    ps = []
    for seed in range(200):
        hits = rng.integers(0, 50, (12, 2))
        states = np.stack([hits, np.full((12, 2), 50)], axis=2).transpose(1, 0, 2).astype(float)
        ps.append(pooled_permutation(*states, lambda s: s[..., 0] / s[..., 1], resamples=199, seed=seed))
    assert 0.02 <= np.mean(np.array(ps) <= 0.05) <= 0.1
    assert 0.4 <= np.mean(ps) <= 0.6
