"""Intervals of values without a declared range."""

import numpy as np
import pytest
from scipy import stats

from pixelproof.stats import Undefined, mean_interval, pooled_interval
from pixelproof.stats._unbounded import cr2


def test_two_values_have_students_interval():
    x = [1.0, 4.0]
    low, high = stats.t.interval(0.95, 1, np.mean(x), stats.sem(x))
    interval = mean_interval(x, None)
    assert (interval.lo, interval.hi) == pytest.approx((low, high))


def test_more_values_have_at_least_students_interval():
    x = np.random.default_rng(0).exponential(size=9)
    low, high = stats.t.interval(0.95, 8, x.mean(), stats.sem(x))
    interval = mean_interval(x, None)
    assert interval.lo <= low and interval.hi > high  # the long tail is on the right


def test_one_cluster_is_refused():
    assert isinstance(mean_interval([1.0, 2.0], None, clusters=[3, 3]), Undefined)
    assert isinstance(pooled_interval([[1.0, 2.0]], lambda sums: sums[..., 0] / sums[..., 1], None), Undefined)


def test_cr2_equals_the_matrix_formula():
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(6), [1, 4, 2, 7, 3, 3])
    x = rng.normal(size=len(clusters)) + rng.normal(size=6)[clusters]
    n = len(x)
    keep = np.eye(n) - np.ones((n, n)) / n
    variance, vectors = 0.0, []
    for cluster in range(6):
        rows = np.flatnonzero(clusters == cluster)
        inner = keep[np.ix_(rows, rows)]
        roots, directions = np.linalg.eigh(inner)
        adjust = directions @ np.diag(roots**-0.5) @ directions.T
        variance += (np.ones(len(rows)) @ adjust @ (x - x.mean())[rows] / n) ** 2
        vectors.append(keep[:, rows] @ adjust @ np.ones(len(rows)) / n)
    gram = np.array(vectors) @ np.array(vectors).T
    error, freedom = cr2(x, clusters)
    assert error == pytest.approx(np.sqrt(variance))
    assert freedom == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum())


def test_the_jackknife_of_a_mean_is_its_interval():
    x = np.random.default_rng(1).normal(size=8)
    states = np.stack([x, np.ones(8)], axis=1)
    pooled = pooled_interval(states, lambda sums: sums[..., 0] / sums[..., 1], None)
    mean = mean_interval(x, None)
    assert (pooled.lo, pooled.hi) == pytest.approx((mean.lo, mean.hi))
