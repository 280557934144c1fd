"""Coverage of few items: seeded, and with laws on which bootstrap percentiles and Wilson's interval fail."""

import numpy as np
import pytest

from pixelproof.stats import (
    Pairs,
    Undefined,
    calibrated_interval,
    difference_interval,
    fall_tests,
    mean_interval,
)

pytestmark = pytest.mark.slow

UNIT = (0.0, 1.0)
REPETITIONS = 200


def coverage(truth, interval_of):
    """The share of repetitions whose interval holds the truth."""
    intervals = [interval_of(np.random.default_rng([3, i])) for i in range(REPETITIONS)]
    return np.mean([not isinstance(e, Undefined) and e.lo - 1e-9 <= truth <= e.hi + 1e-9 for e in intervals])


def crashes(rng, n):
    """0.9, but 0 for one item of ten."""
    return np.where(rng.random(n) < 0.1, 0.0, 0.9 + 0.01 * rng.uniform(-1, 1, n))


@pytest.mark.parametrize("n", [2, 3, 7])
def test_bounded_means_are_covered_where_failures_are_rare(n):
    assert coverage(0.81, lambda rng: mean_interval(crashes(rng, n), UNIT)) >= 0.93


@pytest.mark.parametrize("n", [2, 7])
def test_differences_are_covered_where_failures_are_rare(n):
    def pair(rng):
        a = np.full(n, 0.9) + 0.01 * rng.uniform(-1, 1, n)
        return a, np.where(rng.random(n) < 0.05, 0.0, a)

    assert coverage(-0.045, lambda rng: difference_interval(*pair(rng), UNIT)) >= 0.93


def test_calibrated_scores_are_covered_where_failures_are_rare():
    def triple(rng):
        ceiling = np.where(rng.random(7) < 0.3, 0.4, 0.95)
        return np.where(rng.random(7) < 0.05, 0.1, ceiling), np.full(7, 0.1), ceiling

    truth = 0.95
    assert coverage(truth, lambda rng: calibrated_interval(*triple(rng), UNIT)) >= 0.93


def test_the_gate_fires_on_falls_and_seldom_without():
    def fired(rng, p, q):
        a, b = rng.random((3, 7)) < p, rng.random((3, 7)) < q
        return any(
            fall.p < 0.05
            for fall in fall_tests(
                [Pairs.of_means(x.astype(float), y.astype(float)) for x, y in zip(a, b, strict=True)]
            )
        )

    rates = [np.mean([fired(np.random.default_rng([4, i]), 0.9, q) for i in range(300)]) for q in (0.9, 0.2)]
    assert rates[0] <= 0.08 and rates[1] >= 0.75
