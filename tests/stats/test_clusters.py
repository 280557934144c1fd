import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.stats import design_effect, finish_mean, mean_states
from pixelproof.stats._clusters import cluster_sums


def rows(elements):
    """Values with a cluster each."""
    return st.integers(2, 40).flatmap(
        lambda n: st.tuples(arrays(float, n, elements=elements), arrays(int, n, elements=st.integers(-5, 5)))
    )


@given(rows(st.integers(-50, 50).map(float)))
def test_cluster_sums_add_up_as_a_plain_loop_does(data):
    values, clusters = data
    sums = cluster_sums(mean_states(values), clusters)
    expected = [(values[clusters == c].sum(), (clusters == c).sum()) for c in sorted(set(clusters.tolist()))]
    assert sums.tolist() == [list(pair) for pair in expected]
    assert finish_mean(sums.sum(axis=0)) == pytest.approx(values.mean())


@given(rows(st.integers(-50, 50).map(float)))
def test_design_effect_is_the_variance_ratio_of_statsmodels(data):
    values, clusters = data
    assume(len(set(clusters.tolist())) > 1 and np.ptp(values) > 0)
    model = sm.OLS(values, np.ones(len(values)))
    robust = model.fit(cov_type="cluster", cov_kwds={"groups": clusters + 5}).bse[0] ** 2
    assert design_effect(values, clusters) == pytest.approx(max(1.0, robust / model.fit().bse[0] ** 2))


@given(rows(st.integers(0, 1).map(float)))
def test_rows_that_stand_alone_have_no_design_effect(data):
    values, _ = data
    assume(np.ptp(values) > 0)
    alone = np.arange(len(values))
    assert design_effect(values) == pytest.approx(1) == design_effect(values, alone)


@pytest.mark.parametrize(
    "values, clusters",
    [([1, 1, 1], [0, 1, 2]), ([0.1] * 3, [0, 1, 2]), ([0, 1, 0], [4, 4, 4]), ([math.nan, 1], [0, 1])],
)
def test_design_effect_is_unknown_without_variance_or_with_one_cluster(values, clusters):
    assert math.isnan(design_effect(values, clusters))


@pytest.mark.parametrize("clusters", [["", "a"], [0.0, 1.0], [0], [[0], [1]]])
def test_clusters_must_be_an_integer_per_row(clusters):
    with pytest.raises(ValueError, match="clusters must be 2 integers"):
        design_effect([0.0, 1.0], clusters)


def test_values_must_be_one_number_per_row():
    with pytest.raises(ValueError, match="one number per row"):
        mean_states([[1.0, 2.0]])
