import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.stats import correlation, correlations, generator

NAN = math.nan
THEIRS = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr, "kendall": scipy.stats.kendalltau}
methods = pytest.mark.parametrize("method", THEIRS)


def theirs(method, x, y):
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return NAN
    return float(THEIRS[method](x, y).statistic)


def related(rng, clusters, size, slope=1.0):
    """Two numbers that the rows of a cluster largely share."""
    shared = rng.normal(size=(2, clusters)).repeat(size, axis=1)
    x, y = shared + 0.4 * rng.normal(size=shared.shape)
    return x, y + slope * x, np.repeat(np.arange(clusters), size)


numbers = st.integers(-4, 4).map(float) | st.floats(-1e3, 1e3).map(lambda value: round(value, 3))


@methods
@given(data=st.data())
def test_every_value_is_that_of_scipy(method, data):
    n = data.draw(st.integers(1, 24))
    x, y = (data.draw(arrays(np.float64, n, elements=numbers)) for _ in range(2))
    clusters = data.draw(arrays(np.int64, n, elements=st.integers(0, 4)))
    found = correlation(x, y, clusters, method, resamples=1).value
    assert found == pytest.approx(theirs(method, x, y), nan_ok=True, abs=1e-7)


@given(data=st.data())
def test_methods_share_their_resamples(data):
    n = data.draw(st.integers(2, 12))
    x, y = (data.draw(arrays(np.float64, n, elements=numbers)) for _ in range(2))
    together = correlations(x, y, resamples=20)
    for method, estimate in together.items():
        alone = correlation(x, y, method=method, resamples=20)
        assert [alone.value, alone.lo, alone.hi] == pytest.approx(list(vars(estimate).values()), nan_ok=True, abs=1e-12)


@methods
def test_the_value_is_that_of_scipy(method):
    x, y, clusters = related(np.random.default_rng(1), 9, 4)
    assert correlation(x, y, clusters, method).value == pytest.approx(theirs(method, x, y))


@pytest.mark.slow
@methods
def test_replicates_are_those_of_resampling_whole_clusters(method):
    x, y, clusters = related(np.random.default_rng(2), 9, 3)
    clusters = clusters * 7 - 3
    ids = np.unique(clusters)
    replicates = []
    for draw in generator(5, "bootstrap").integers(len(ids), size=(400, len(ids))):
        rows = np.concatenate([np.flatnonzero(clusters == ids[i]) for i in draw])
        replicates.append(theirs(method, x[rows], y[rows]))
    found = correlation(x, y, clusters, method, resamples=400, seed=5)
    t = scipy.stats.t.ppf(0.025, 8) * math.sqrt(9 / 8)
    assert [found.lo, found.hi] == pytest.approx(np.quantile(replicates, scipy.stats.norm.cdf([t, -t])))


def test_chunks_do_not_matter(monkeypatch):
    from pixelproof.stats import _bootstrap

    x, y, clusters = related(np.random.default_rng(3), 8, 5)
    whole = correlation(x, y, clusters, "spearman", resamples=100)
    monkeypatch.setattr(_bootstrap, "_CHUNK", 97)
    assert correlation(x, y, clusters, "spearman", resamples=100) == whole


@pytest.mark.slow
@methods
def test_rows_without_both_numbers_are_left_out(method):
    x, y, clusters = related(np.random.default_rng(4), 8, 3)
    x[[0, 5]], y[[5, 9]] = NAN, NAN
    kept = ~np.isnan(x + y)
    assert correlation(x, y, clusters, method) == correlation(x[kept], y[kept], clusters[kept], method)


@methods
def test_undefined_is_nan(method):
    for x, y in ([], []), ([1.0], [2.0]), ([1, 1, 1], [1, 2, 3]), ([NAN, 1, 2], [1, NAN, 2]), ([0.1] * 7, range(7)):
        assert np.isnan(list(vars(correlation(x, y, method=method)).values())).all()


def test_what_the_data_cannot_tell_has_no_interval():
    assert np.isnan(correlation([1, 2, 3], [1, 2, 3]).hi)  # never anything but 1
    one_cluster = correlation([1, 2, 3], [3, 1, 2], clusters=[4, 4, 4])
    assert one_cluster.value == pytest.approx(-0.5) and np.isnan(one_cluster.lo)


@methods
def test_a_constant_resample_is_left_out_in_spite_of_rounding(method):
    # Resamples without the last row, or of it alone, are constant: they must not count as -1, 0 or 1.
    x, y = np.array([0.1] * 3 + [0.3]), np.array([0.7] * 3 + [0.2])
    found = correlation(x, y, method=method, resamples=300)
    assert found.value == pytest.approx(-1) and np.isnan(found.lo)  # never anything but -1


def test_kendall_refuses_what_does_not_fit_into_memory():
    with pytest.raises(ValueError, match="at most 6,000 clusters"):
        correlation(np.arange(6001.0), np.arange(6001.0), method="kendall")


def test_wrong_rows_are_refused():
    with pytest.raises(ValueError, match="paired row by row"):
        correlation([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="clusters must be 2 integers"):
        correlation([1, 2], [1, 2], clusters=["a", "b"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["pearson", *(pytest.param(m, marks=pytest.mark.sweep) for m in ("spearman", "kendall"))]
)
def test_intervals_hold_the_truth_of_clustered_rows(method):
    held = naive = 0
    repetitions = 400 if method == "pearson" else 100  # ranks take thirty times as long
    rho = 0.6
    truths = {"pearson": rho, "spearman": 6 / math.pi * math.asin(rho / 2), "kendall": 2 / math.pi * math.asin(rho)}
    truth = truths[method]
    for i in range(repetitions):
        rng = np.random.default_rng([9, i])
        shared = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=40).repeat(5, axis=0)
        x, y = (0.9 * shared + math.sqrt(0.19) * rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=200)).T
        clusters = np.repeat(np.arange(40), 5)
        one, other = correlation(x, y, clusters, method, resamples=300), correlation(x, y, None, method, resamples=300)
        held += one.lo <= truth <= one.hi
        naive += other.lo <= truth <= other.hi
    assert 0.90 <= held / repetitions <= 0.985
    assert naive / repetitions < 0.80
