"""Bradley-Terry with ties against closed forms, statsmodels and simulation."""

import math

import numpy as np
import pytest
import statsmodels.api as sm

from pixelproof.stats import bradley_terry


def votes(strengths, tie_rate, per_pair, seed):
    rng, n = np.random.default_rng(seed), len(strengths)
    wins, ties = np.zeros((2, n, n))
    for i in range(n):
        for j in range(i):
            a, b = math.exp(strengths[i]), math.exp(strengths[j])
            parts = np.array([a, tie_rate * math.sqrt(a * b), b])
            won, tied, lost = rng.multinomial(per_pair, parts / parts.sum())
            wins[i, j], wins[j, i] = won, lost
            ties[i, j] = ties[j, i] = tied
    return wins, ties


def test_two_contestants_have_a_closed_form():
    found = bradley_terry(["a", "b"], [[0, 40], [10, 0]], [[0, 20], [20, 0]])
    assert found.strengths[0].value - found.strengths[1].value == pytest.approx(math.log(4), abs=1e-6)
    assert found.tie_rate == pytest.approx(20 / math.sqrt(40 * 10), abs=1e-5)
    assert found.win_probability("a", "b") == pytest.approx(0.8, abs=1e-6)


def test_without_ties_it_is_a_logistic_regression():
    wins, _ = votes([0.5, 0.0, -0.8, 0.3], 0.0, 60, 1)
    rows, weights = [], []
    for i in range(4):
        for j in range(i):
            rows.append((np.arange(4) == i).astype(float) - (np.arange(4) == j))
            weights.append((wins[i, j], wins[j, i]))
    model = sm.GLM(np.array(weights), np.array(rows)[:, :3], family=sm.families.Binomial()).fit()
    found = bradley_terry(list("abcd"), wins)
    values = np.array([one.value for one in found.strengths])
    assert values[:3] - values[3] == pytest.approx(model.params, abs=1e-5)
    difference = found.covariance[0, 0] + found.covariance[3, 3] - 2 * found.covariance[0, 3]
    assert math.sqrt(difference) == pytest.approx(model.bse[0], rel=1e-4)


@pytest.mark.slow
def test_intervals_cover_and_ties_are_estimated():
    truth, hits, rates = np.array([0.6, 0.1, -0.2, -0.5]), 0, []
    for seed in range(100):
        found = bradley_terry(list("abcd"), *votes(truth, 0.7, 40, seed))
        hits += sum(one.lo <= value <= one.hi for one, value in zip(found.strengths, truth - truth.mean(), strict=True))
        rates.append(found.tie_rate)
    assert hits / 400 == pytest.approx(0.95, abs=0.035)
    assert np.mean(rates) == pytest.approx(0.7, abs=0.05)


def test_tie_groups():
    found = bradley_terry(list("abc"), *votes([2.0, 2.0, -2.0], 0.5, 200, 2))
    assert found.ranks["a"] == (1, 2) == found.ranks["b"] and found.ranks["c"] == (3, 3)


def test_undefeated_contestants_are_refused():
    with pytest.raises(ValueError, match="never lost or never won against the rest: a"):
        bradley_terry(list("abc"), [[0, 5, 5], [0, 0, 3], [0, 2, 0]])
    with pytest.raises(ValueError, match="matrices"):
        bradley_terry(list("ab"), [[0, 1]])
