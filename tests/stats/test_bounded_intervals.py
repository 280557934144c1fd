"""Intervals of bounded means and pooled metrics: against exact intervals, brute force, and properties."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from pixelproof.stats import (
    Undefined,
    _weightings,
    calibrated_pooled_interval,
    difference_interval,
    mean_interval,
    pooled_difference_interval,
    pooled_interval,
)
from pixelproof.stats._saddlepoint import tail_score

UNIT = (0.0, 1.0)
values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def share(sums):
    return sums[..., 0] / sums[..., 1]


def parts(sums):
    return sums[..., :1], sums[..., 1:]


def class_parts(sums):
    half = sums.shape[-1] // 2
    return sums[..., :half], sums[..., half:]


def mean_ratio(sums):
    hits, sizes = class_parts(np.asarray(sums, float))
    return np.where(sizes > 0, hits / np.where(sizes > 0, sizes, 1), 0).sum(-1) / (sizes > 0).sum(-1)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 100])
def test_shares_have_the_interval_of_clopper_and_pearson(n):
    for k in sorted({0, 1, n // 2, n - 1, n}):
        own = mean_interval([1.0] * k + [0.0] * (n - k), UNIT)
        exact = binomtest(k, n).proportion_ci(method="exact")
        assert proportion_confint(k, n, method="beta") == pytest.approx((exact.low, exact.high))
        # The saddle-point approximation is on the wide side, by little; at n = 1 it is exact.
        tolerance = 1e-12 if n == 1 else 0.003
        assert exact.low - tolerance <= own.lo <= exact.low + 1e-4
        assert exact.high - 1e-4 <= own.hi <= exact.high + tolerance


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_tail_probabilities_equal_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(0.3, 1.0, [3, 4, 6, 10, 30, 200][seed])
    draws = rng.standard_exponential((200_000, len(z))) if len(z) < 50 else rng.standard_exponential((20_000, len(z)))
    sampled = (draws @ z <= 0).mean()
    assert ndtr(tail_score(z)) == pytest.approx(sampled, abs=0.004 + 3 * np.sqrt(0.25 / len(draws)))


def test_the_ends_put_the_stated_probability_on_the_candidate():
    rng = np.random.default_rng(1)
    x = rng.beta(2, 1, 9)
    interval = mean_interval(x, UNIT)
    weights = rng.standard_exponential((200_000, 10))
    for end, extra in ((interval.lo, 0.0), (interval.hi, 1.0)):
        below = (weights @ (np.append(x, extra) - end) <= 0).mean()
        assert min(below, 1 - below) == pytest.approx(0.025, abs=0.003)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(values)
@example([1.0, 1.0])
@example([0.0])
@example([1e-12, 1e-12, 1.0])
def test_intervals_stay_in_range_and_hold_the_value(x):
    interval = mean_interval(x, UNIT)
    assert 0.0 <= interval.lo <= interval.value + 1e-12 and interval.value <= interval.hi + 1e-12
    assert interval.hi <= 1.0 and interval.lo < interval.hi


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(values, st.integers(0, 11), st.randoms(use_true_random=False))
@example([1.0] * 7, 3, None)
def test_tiny_changes_move_the_interval_by_tiny_amounts(x, index, _):
    changed = list(x)
    index %= len(x)
    changed[index] += -1e-6 if changed[index] > 0.5 else 1e-6
    before, after = mean_interval(x, UNIT), mean_interval(changed, UNIT)
    assert abs(before.lo - after.lo) < 2e-6 and abs(before.hi - after.hi) < 2e-6


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(values, st.integers(0, 11), st.floats(0, 1))
def test_a_larger_value_never_lowers_an_end(x, index, larger):
    index %= len(x)
    assume(larger > x[index])
    raised = [*x[:index], larger, *x[index + 1 :]]
    before, after = mean_interval(x, UNIT), mean_interval(raised, UNIT)
    assert after.lo >= before.lo - 1e-9 and after.hi >= before.hi - 1e-9


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(values, st.permutations(range(12)))
def test_order_does_not_matter_and_ends_mirror(x, order):
    shuffled = [x[i] for i in order if i < len(x)]
    one, other, mirrored = (mean_interval(y, UNIT) for y in (x, shuffled, [1 - v for v in x]))
    assert (other.lo, other.hi) == pytest.approx((one.lo, one.hi), abs=1e-9)
    assert (1 - mirrored.hi, 1 - mirrored.lo) == pytest.approx((one.lo, one.hi), abs=1e-9)


def test_other_ranges_are_the_unit_range_rescaled():
    x = np.array([0.2, 0.9, 0.4])
    unit, other = mean_interval(x, UNIT), mean_interval(10 * x - 5, (-5, 5))
    assert (other.lo, other.hi) == pytest.approx((10 * unit.lo - 5, 10 * unit.hi - 5))


def test_values_outside_the_declared_range_are_refused():
    with pytest.raises(ValueError, match="between 0"):
        mean_interval([0.5, 1.2], (0, 1))


def test_copies_of_a_row_in_one_cluster_add_nothing():
    x = [0.1, 0.9, 0.5]
    once = mean_interval(x, UNIT)
    often = mean_interval(np.repeat(x, 4), UNIT, clusters=np.repeat([0, 1, 2], 4))
    assert (often.lo, often.hi) == pytest.approx((once.lo, once.hi))


def test_a_mean_is_the_ratio_with_equal_denominators():
    x = np.array([0.2, 0.9, 1.0, 0.4])
    mean = mean_interval(x, UNIT)
    ratio = pooled_interval(np.stack([x * 7, np.full(4, 7.0)], axis=1), share, UNIT, ratios=parts)
    assert (ratio.lo, ratio.hi) == pytest.approx((mean.lo, mean.hi))


def test_drawn_weights_agree_with_the_saddle_point():
    rng = np.random.default_rng(3)
    sizes = rng.uniform(1, 3, 12)
    x = np.stack([rng.beta(3, 2, 12) * sizes, sizes], axis=1)
    exact = pooled_interval(x, share, UNIT, ratios=parts)
    # Calibrated against 0 and 1 it is the same number, which needs draws.
    ends = [np.stack([sizes * share_of, sizes], axis=1) for share_of in (0.0, 1.0)]
    drawn = calibrated_pooled_interval(x, *ends, share, UNIT, ratios=parts)
    assert (drawn.lo, drawn.hi) == pytest.approx((exact.lo, exact.hi), abs=0.02)


def test_a_mean_of_equal_ratios_has_no_wider_interval_than_one_of_them():
    rng = np.random.default_rng(3)
    hits = rng.beta(3, 2, 15)
    one = mean_interval(hits, UNIT)
    twice = pooled_interval(
        np.stack([hits, hits, np.ones(15), np.ones(15)], axis=1), mean_ratio, UNIT, ratios=class_parts
    )
    assert one.lo < twice.lo < twice.value == pytest.approx(one.value) and twice.value < twice.hi < one.hi


def test_a_class_in_one_item_is_as_uncertain_as_the_others_vary():
    rng = np.random.default_rng(4)
    hits = rng.beta(5, 2, (20, 2))
    both = np.concatenate([hits, np.ones((20, 2))], axis=1)
    rare = both.copy()
    rare[1:, [1, 3]] = 0.0  # the second class is in the first item alone
    widths = [
        interval.hi - interval.lo
        for interval in (pooled_interval(s, mean_ratio, UNIT, ratios=class_parts) for s in (both, rare))
    ]
    assert widths[1] > 1.5 * widths[0], "its value does not vary between draws"


def test_perfect_answers_of_a_pooled_metric_have_an_interval():
    states = np.tile([5.0, 3.0, 5.0, 3.0], (7, 1))
    interval = pooled_interval(states, mean_ratio, UNIT, ratios=class_parts)
    assert interval.hi == 1.0 and 0.65 < interval.lo < 0.75


def test_an_undefined_pooled_value_is_refused():
    undefined = pooled_interval([[0.0, 0.0]], share, UNIT)
    assert isinstance(undefined, Undefined) and "undefined" in undefined.reason


def test_equal_models_still_have_an_uncertain_difference():
    interval = difference_interval([1.0] * 7, [1.0] * 7, UNIT)
    assert interval.value == 0 and interval.lo == pytest.approx(-interval.hi) and interval.hi > 0.3
    states = [[1.0, 2.0], [2.0, 2.0], [0.0, 2.0]]
    pooled = pooled_difference_interval(states, states, share, UNIT)
    assert pooled.value == 0 and pooled.lo < -0.3 and pooled.hi > 0.3


def test_metrics_of_one_run_share_their_weights(monkeypatch):
    drawn = []
    draw = _weightings.generator
    monkeypatch.setattr(_weightings, "generator", lambda *words: drawn.append(words) or draw(*words))
    states = np.random.default_rng(3).integers(1, 50, (37, 4)).astype(float)

    def opaque(sums):
        return sums[..., 0] / sums.sum(axis=-1)

    _weightings._kept_weightings.cache_clear()
    first = pooled_interval(states, opaque, UNIT)
    other = pooled_interval(states[:, ::-1], opaque, UNIT)
    assert len(drawn) == 1 and first != other
    _weightings._kept_weightings.cache_clear()
    assert pooled_interval(states, opaque, UNIT) == first
