import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from pixelproof.stats import clopper_pearson, wilson

counts = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@given(counts, levels)
@pytest.mark.parametrize(
    "interval, scipy_name, statsmodels_name", [(wilson, "wilson", "wilson"), (clopper_pearson, "exact", "beta")]
)
def test_agrees_with_scipy_and_statsmodels(interval, scipy_name, statsmodels_name, count, level):
    ours = interval(*count, level)
    scipy_ci = binomtest(*count).proportion_ci(level, method=scipy_name)
    statsmodels_ci = proportion_confint(*count, alpha=1 - level, method=statsmodels_name)
    assert (ours.lo, ours.hi) == pytest.approx((scipy_ci.low, scipy_ci.high), abs=1e-9)
    assert (ours.lo, ours.hi) == pytest.approx(statsmodels_ci, abs=1e-9)


@given(counts, levels)
@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_holds_its_value_within_0_and_1_and_mirrors(interval, count, level):
    successes, n = count
    ours, mirrored = interval(successes, n, level), interval(n - successes, n, level)
    assert 0 <= ours.lo <= ours.value == successes / n <= ours.hi <= 1
    assert ours.lo < ours.hi
    assert (ours.lo, ours.hi) == pytest.approx((1 - mirrored.hi, 1 - mirrored.lo), abs=1e-9)


@given(st.floats(0.01, 1e6), st.floats(0, 1), levels)
def test_wilson_takes_effective_counts(n, share, level):
    ours = wilson(share * n, n, level)
    assert 0 <= ours.lo <= ours.value <= ours.hi <= 1


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_ends_are_exact_where_nothing_or_everything_succeeds(interval):
    for n in range(1, 200):
        assert interval(0, n).lo == 0 < interval(0, n).hi < 1
        assert interval(n, n).hi == 1 > interval(n, n).lo > 0


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_of_nothing_anything_is_possible(interval):
    nothing = interval(0, 0)
    assert math.isnan(nothing.value) and (nothing.lo, nothing.hi) == (0, 1)


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@pytest.mark.parametrize("bad", [(3, 2), (-1, 2), (math.nan, 2), (1, 2, 95), (1, 2, 1.0)])
def test_impossible_counts_are_refused(interval, bad):
    with pytest.raises(ValueError):
        interval(*bad)
