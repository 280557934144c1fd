"""Do intervals of 95 % hold the truth in 95 % of repetitions? For clustered rows, and for few."""

import math

import numpy as np
import pytest

from pixelproof.stats import calibrate, estimate_mean, finish_mean, mean_states, paired_difference

pytestmark = pytest.mark.slow

REPETITIONS = 1000
CLUSTERS = 40
SIZE = 6


def coverage(truth, interval_of_repetition, repetitions=REPETITIONS):
    """The share of repetitions whose interval holds the truth."""
    intervals = [interval_of_repetition(np.random.default_rng([7, i])) for i in range(repetitions)]
    return np.mean([interval.lo <= truth <= interval.hi for interval in intervals])


def shared(rng, rows=1):
    """One number per row that the rows of a cluster share, and the clusters; sizes differ."""
    sizes = rng.integers(1, 2 * SIZE, CLUSTERS)
    return np.repeat(rng.normal(size=(rows, CLUSTERS)), sizes, axis=1), np.repeat(np.arange(CLUSTERS), sizes)


def continuous(rng):
    common, clusters = shared(rng)
    return common[0] + rng.normal(size=len(clusters)), clusters


def binary(rng):
    common, clusters = shared(rng)
    return (common[0] + 0.5 * rng.normal(size=len(clusters)) > 1.0).astype(float), clusters


BINARY_TRUTH = 0.5 * math.erfc(1.0 / math.sqrt(1.25) / math.sqrt(2))


@pytest.mark.parametrize("draw, truth", [(continuous, 0.0), (binary, BINARY_TRUTH)])
def test_means_of_clustered_rows_are_covered_only_if_clustered(draw, truth):
    def clustered(rng):
        return estimate_mean(*draw(rng), resamples=500)

    def naive(rng):
        return estimate_mean(draw(rng)[0], resamples=500)

    assert 0.90 <= coverage(truth, clustered) <= 0.99
    assert coverage(truth, naive) < 0.80


def test_calibrated_scores_are_covered():
    def interval(rng):
        common, clusters = shared(rng, rows=3)
        model, floor, ceiling = (common[0] + 0.5 * common + 0.3 * rng.normal(size=common.shape)) + [[0.6], [0.0], [2.0]]
        return calibrate(*map(mean_states, (model, floor, ceiling)), finish_mean, clusters, resamples=500)

    assert 0.90 <= coverage(0.3, interval) <= 0.99


@pytest.mark.parametrize("zeros_and_ones", [False, True])
def test_paired_differences_of_clustered_rows_are_covered(zeros_and_ones):
    def interval(rng):
        common, clusters = shared(rng, rows=2)
        a, b = common + 0.5 * rng.normal(size=common.shape)
        pair = ((a > 0).astype(float), (b > 0).astype(float)) if zeros_and_ones else (a, b)
        return paired_difference(*pair, clusters, resamples=500)

    assert 0.90 <= coverage(0.0, interval) <= 0.99


@pytest.mark.parametrize("n", [7, 12])
def test_few_rows_are_covered(n):
    def mean(rng):
        return estimate_mean(rng.normal(size=n))

    def difference(rng):
        return paired_difference(rng.integers(0, 2, n), rng.integers(0, 2, n))

    assert 0.90 <= coverage(0.0, mean) <= 0.99
    assert 0.90 <= coverage(0.0, difference) <= 0.99
