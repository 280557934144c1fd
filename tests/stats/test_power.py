import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from scipy.stats import t as student
from statsmodels.stats.power import TTestPower

from pixelproof.contract import PixelProofError
from pixelproof.stats import detectable_difference, items_needed

powers = st.sampled_from([0.5, 0.8, 0.9, 0.99])
alphas = st.sampled_from([0.001, 0.01, 0.05, 0.2])
effects = st.sampled_from([1.0, 1.7, 4.0])


def integrated_power(effect, n, alpha):
    """From the definition of t: a normal mean over an independent chi, integrated over the quantiles of the chi."""
    quantiles = (np.arange(200_000) + 0.5) / 200_000
    bar = student.ppf(1 - alpha / 2, n - 1) * np.sqrt(chi2.ppf(quantiles, n - 1) / (n - 1))
    shift = effect * math.sqrt(n)
    return np.mean(norm.sf(bar - shift) + norm.cdf(-bar - shift))


@pytest.mark.parametrize("power, alpha", [(0.8, 0.05), (0.9, 0.01), (0.5, 0.2)])
@pytest.mark.parametrize("effect", [0.01, 0.05, 0.2, 0.5, 1.0])
def test_items_needed_is_that_of_statsmodels(effect, power, alpha):
    theirs = TTestPower().solve_power(effect_size=effect, power=power, alpha=alpha)
    # The noncentral F of older scipy is good to four digits, which shows where there are many items.
    assert items_needed(effect * 3, 3, power, alpha) == pytest.approx(max(2, math.ceil(theirs - 1e-6)), rel=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("power, alpha", [(0.8, 0.05), (0.9, 0.01), (0.5, 0.2)])
@pytest.mark.parametrize("n", [2, 3, 7, 40, 1000, 10**6])
def test_detectable_difference_has_its_power(n, power, alpha):
    difference = detectable_difference(n, 2.0, power, alpha)
    assert integrated_power(difference / 2.0, n, alpha) == pytest.approx(power, abs=5e-4)
    if n >= 7:  # for fewer, scipy's noncentral t can be nan, and so can their power
        assert TTestPower().power(difference / 2.0, n, alpha) == pytest.approx(power, abs=5e-4)


@given(st.floats(1e-4, 3), st.floats(0.01, 10), powers, alphas, effects)
def test_the_two_questions_are_inverse(effect, sd, power, alpha, design_effect):
    n = items_needed(effect * sd, sd, power, alpha, design_effect)
    assert n == items_needed(-effect * sd, sd, power, alpha, design_effect)
    assert detectable_difference(n, sd, power, alpha, design_effect) <= effect * sd * (1 + 1e-6)
    if (n - 1) / design_effect >= 2:
        assert detectable_difference(n - 1, sd, power, alpha, design_effect) >= effect * sd * (1 - 1e-6)


@given(st.integers(2, 10**6), powers, alphas)
def test_what_is_detectable_needs_no_more_items(n, power, alpha):
    difference = detectable_difference(n, 1.0, power, alpha)
    assert items_needed(difference * (1 + 1e-6), 1.0, power, alpha) <= n


def test_a_design_effect_multiplies_the_items():
    assert items_needed(0.1, 1, design_effect=3) == pytest.approx(3 * items_needed(0.1, 1), abs=3)
    assert detectable_difference(900, 1, design_effect=9) == pytest.approx(detectable_difference(100, 1))


def test_the_power_is_there_in_a_simulation():
    n = items_needed(0.5, 1.0)
    x = np.random.default_rng(0).normal(0.5, 1.0, (20_000, n))
    t = x.mean(axis=1) / x.std(axis=1, ddof=1) * math.sqrt(n)
    rejected = (np.abs(t) > student.ppf(0.975, n - 1)).mean()
    assert 0.8 - 0.01 < rejected < 0.83


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda: items_needed(0, 1), "difference is 0"),
        (lambda: items_needed(1, 0), "sd is 0"),
        (lambda: items_needed(math.nan, 1), "difference is nan"),
        (lambda: items_needed(1, 1, power=1.0), "choose 0 < alpha < power < 1"),
        (lambda: items_needed(1, 1, power=0.04), "choose 0 < alpha < power < 1"),
        (lambda: items_needed(1, 1, design_effect=math.nan), "design effect is nan"),
        (lambda: detectable_difference(1, 1), "use at least 2"),
        (lambda: detectable_difference(7, 1, design_effect=3.6), "use at least 8"),
    ],
)
def test_questions_without_an_answer_say_why(ask, message):
    with pytest.raises(PixelProofError, match=message):
        ask()
