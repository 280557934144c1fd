"""Statistics of meta-evaluation against scipy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from pixelproof.stats import (
    auc,
    best_threshold,
    combine,
    correlations,
    group_correlations,
    logistic_map,
    resampled_correlations,
    resampled_group_means,
)

METHODS = {"spearman": scipy_stats.spearmanr, "pearson": scipy_stats.pearsonr, "kendall": scipy_stats.kendalltau}


@given(st.integers(0, 10_000), st.sampled_from([3, 7, 80]))
def test_correlations_within_groups(seed, size):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, (2, 3 * size)).astype(float)
    groups = rng.permutation(np.repeat([5, 9, 11], size))
    found = group_correlations(x, y, groups, list(METHODS))
    for row, group in enumerate((5, 9, 11)):
        a, b = x[groups == group], y[groups == group]
        if np.ptp(b) == 0:
            assert np.isnan(found[row]).all()
        elif np.ptp(a) == 0:
            assert (found[row] == 0).all()
        else:
            assert found[row] == pytest.approx([function(a, b)[0] for function in METHODS.values()], abs=1e-12)


@given(st.integers(0, 10_000))
def test_area_under_the_curve(seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(0, 5, 40), rng.permutation(np.arange(40) % 3 == 0)
    assert auc(scores, labels, resamples=0).value == pytest.approx(roc_auc_score(labels, scores))
    threshold, agreement = best_threshold(scores, labels)
    assert agreement == pytest.approx(((scores > threshold) == labels).mean())
    assert agreement >= max(((scores > t) == labels).mean() for t in np.arange(-1, 6, 0.5)) - 1e-12


@pytest.mark.slow
def test_interval_of_the_area_covers():
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    hits = 0
    for _ in range(60):
        found = auc(rng.normal(labels, 1), labels, resamples=200).estimate()
        hits += found.lo <= scipy_stats.norm.cdf(1 / np.sqrt(2)) <= found.hi
    assert hits >= 51


def test_one_class_has_no_area():
    assert np.isnan(auc([1, 2], [1, 1], resamples=5).value)
    assert best_threshold([1, 2], [1, 1]) == (-np.inf, 1.0)
    assert best_threshold([1, 2], [0, 0]) == (np.inf, 1.0)


@pytest.mark.parametrize("parameters", [4, 5])
def test_logistic_curves_are_least_squares(parameters):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 100, 300)
    y = 40 + 25 / (1 + np.exp(-(x - 55) / 8)) + rng.normal(0, 2, 300)
    mapped = logistic_map(x, y, parameters)

    def curve(b):
        if parameters == 4:
            return (b[0] - b[1]) / (1 + np.exp(-(x - b[2]) / b[3])) + b[1]
        return b[0] * (0.5 - 1 / (1 + np.exp(b[1] * (x - b[2])))) + b[3] * x + b[4]

    start = (65, 40, 50, 10) if parameters == 4 else (20, 0.1, 50, 0.01, 50)
    other = minimize(
        lambda b: ((curve(b) - y) ** 2).sum(),
        start,
        method="Nelder-Mead",
        options={"maxiter": 20000, "maxfev": 20000, "xatol": 1e-9, "fatol": 1e-9},
    )
    assert ((mapped - y) ** 2).sum() <= other.fun * (1 + 1e-6)
    reversed_map = logistic_map(-x, y, parameters)
    assert np.corrcoef(reversed_map, y)[0, 1] == pytest.approx(np.corrcoef(mapped, y)[0, 1], abs=1e-6)


def test_no_curve_without_variation():
    assert logistic_map(np.ones(20), np.arange(20)) is None
    assert logistic_map([1, 2, 3], [1, 2, 3]) is None


def test_resampled_together_is_as_alone():
    rng = np.random.default_rng(2)
    y = rng.normal(size=60)
    columns = {"a": y + rng.normal(size=60), "b": y + 0.1 * rng.normal(size=60)}
    clusters = np.repeat(np.arange(20), 3)
    both = resampled_correlations(columns, y, clusters, resamples=300)
    for name, x in columns.items():
        alone = correlations(x, y, clusters, resamples=300)
        for method, estimate in alone.items():
            assert both[name][method].estimate() == estimate
    gap = combine(lambda a, b: b - a, both["a"]["spearman"], both["b"]["spearman"])
    assert gap.estimate().lo > 0 and gap.p < 0.05
    assert combine(lambda a, b: b - a, both["a"]["spearman"], both["a"]["spearman"]).p == 1


def test_group_means():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 90))
    groups, clusters = np.tile([0, 1, 2], 30), np.repeat(np.arange(30), 3)
    found = resampled_group_means(x, y, groups, clusters, resamples=200)
    expected = np.mean([scipy_stats.spearmanr(x[groups == g], y[groups == g])[0] for g in range(3)])
    assert found["spearman"].value == pytest.approx(expected)
    assert found["spearman"].estimate().lo < expected < found["spearman"].estimate().hi
