"""Do intervals of 95 % hold the truth in 95 % of repetitions? For clustered rows, and for few."""

import math

import numpy as np
import pytest

from pixelproof.stats import calibrated_interval, difference_interval, mean_interval

pytestmark = pytest.mark.slow

REPETITIONS = 400
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


@pytest.mark.parametrize("draw, truth, bounds", [(continuous, 0.0, None), (binary, BINARY_TRUTH, (0.0, 1.0))])
def test_means_of_clustered_rows_are_covered_only_if_clustered(draw, truth, bounds):
    def clustered(rng):
        values, clusters = draw(rng)
        return mean_interval(values, bounds, clusters)

    def naive(rng):
        return mean_interval(draw(rng)[0], bounds)

    assert 0.93 <= coverage(truth, clustered)
    assert coverage(truth, naive, 100) < 0.80


def test_calibrated_scores_are_covered():
    def interval(rng):
        common, clusters = shared(rng, rows=3)
        model, floor, ceiling = (common[0] + 0.5 * common + 0.3 * rng.normal(size=common.shape)) + [[0.6], [0.0], [2.0]]
        return calibrated_interval(model, floor, ceiling, None, clusters)

    assert 0.90 <= coverage(0.3, interval) <= 0.99


@pytest.mark.parametrize("zeros_and_ones", [False, True])
def test_paired_differences_of_clustered_rows_are_covered(zeros_and_ones):
    def interval(rng):
        common, clusters = shared(rng, rows=2)
        a, b = common + 0.5 * rng.normal(size=common.shape)
        if zeros_and_ones:
            return difference_interval((a > 0).astype(float), (b > 0).astype(float), (0.0, 1.0), clusters)
        return difference_interval(a, b, None, clusters)

    assert 0.93 <= coverage(0.0, interval)


@pytest.mark.parametrize("n", [7, 12])
def test_few_rows_are_covered(n):
    def mean(rng):
        return mean_interval(rng.normal(size=n), None)

    def difference(rng):
        return difference_interval(rng.integers(0, 2, n), rng.integers(0, 2, n), (0.0, 1.0))

    assert 0.93 <= coverage(0.0, mean) <= 0.99
    assert 0.93 <= coverage(0.0, difference)
