"""Calibrated scores by paired roots: against the raw interval, by brute force, and where they are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import Undefined, calibrated_interval, calibrated_pooled_interval, mean_interval

UNIT = (0.0, 1.0)


def share(sums):
    return sums[..., 0] / sums[..., 1]


def parts(sums):
    return sums[..., :1], sums[..., 1:]


def states(hits):
    return np.stack([np.asarray(hits, float), np.ones(len(hits))], axis=1)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_between_0_and_1_calibration_changes_nothing(x):
    zeros, ones = np.zeros(len(x)), np.ones(len(x))
    raw, own = mean_interval(x, UNIT), calibrated_interval(x, zeros, ones, UNIT)
    assert (own.value, own.lo, own.hi) == pytest.approx((raw.value, raw.lo, raw.hi), abs=1e-7)


def test_fixed_references_rescale_the_raw_interval():
    x = np.array([0.3, 0.5, 0.9, 0.6])
    raw, own = mean_interval(x, UNIT), calibrated_interval(x, np.full(4, 0.2), np.full(4, 0.9), UNIT)
    assert (own.lo, own.hi) == pytest.approx(((raw.lo - 0.2) / 0.7, (raw.hi - 0.2) / 0.7), abs=1e-7)


def test_the_ends_put_the_stated_probability_on_the_candidate():
    rng = np.random.default_rng(5)
    model, floor, ceiling = rng.beta(2, 2, 8), rng.uniform(0, 0.2, 8), rng.uniform(0.8, 1, 8)
    interval = calibrated_interval(model, floor, ceiling, UNIT)
    weights = rng.standard_exponential((200_000, 9))
    for theta, best in ((interval.lo, 0.0), (interval.hi, 1.0)):
        z = (model - floor) - theta * (ceiling - floor)
        pseudo = best - floor.mean() - theta * (ceiling.mean() - floor.mean())
        below = (weights @ np.append(z, pseudo) <= 0).mean()
        assert min(below, 1 - below) == pytest.approx(0.025, abs=0.003)


def test_failing_where_the_ceiling_fails_is_not_certainty():
    ceiling = np.array([0.9, 0.4, 0.9, 0.9, 0.4])
    interval = calibrated_interval(ceiling, np.full(5, 0.1), ceiling, UNIT)
    assert interval.value == pytest.approx(1) and interval.lo < 0.7 and interval.hi > 1.01


@pytest.mark.parametrize("bounds", [UNIT, None])
def test_a_ceiling_below_the_floor_is_refused_with_the_reason(bounds):
    undefined = calibrated_interval([1.0, 1.0], [0.32, 0.32], [0.18, 0.18], bounds)
    assert isinstance(undefined, Undefined)
    assert undefined.reason == "the ceiling (0.180) is not clearly better than the floor (0.320)"


def test_a_ceiling_that_is_only_sometimes_above_the_floor_is_refused():
    floor, ceiling = np.array([0.3, 0.4, 0.35, 0.3]), np.array([0.5, 0.3, 0.4, 0.31])
    assert isinstance(calibrated_interval([0.5] * 4, floor, ceiling, UNIT), Undefined)
    pooled = calibrated_pooled_interval(states([0.5] * 4), states(floor), states(ceiling), share, UNIT)
    assert isinstance(pooled, Undefined) and "not clearly better" in pooled.reason


@pytest.mark.parametrize("bounds", [UNIT, None])
def test_lower_is_better_mirrors_higher_is_better(bounds):
    model, floor, ceiling = np.array([[0.5, 0.6, 0.45, 0.7], [0.1, 0.2, 0.1, 0.15], [0.9, 1.0, 0.8, 0.9]])
    up = calibrated_interval(model, floor, ceiling, bounds)
    down = calibrated_interval(1 - model, 1 - floor, 1 - ceiling, bounds, higher_is_better=False)
    assert (down.value, down.lo, down.hi) == pytest.approx((up.value, up.lo, up.hi))
    pooled = [
        calibrated_pooled_interval(*map(states, triple), share, bounds, ratios=parts, higher_is_better=better)
        for triple, better in (((model, floor, ceiling), True), ((1 - model, 1 - floor, 1 - ceiling), False))
    ]
    assert (pooled[1].lo, pooled[1].hi) == pytest.approx((pooled[0].lo, pooled[0].hi), abs=1e-9)


def test_pooled_and_mean_agree_where_they_are_the_same_metric():
    rng = np.random.default_rng(2)
    model, floor, ceiling = rng.beta(2, 2, 20), rng.uniform(0, 0.2, 20), rng.uniform(0.8, 1, 20)
    mean = calibrated_interval(model, floor, ceiling, UNIT)
    pooled = calibrated_pooled_interval(*map(states, (model, floor, ceiling)), share, UNIT, ratios=parts)
    assert pooled.value == pytest.approx(mean.value)
    assert (pooled.lo, pooled.hi) == pytest.approx((mean.lo, mean.hi), abs=0.04)


def test_one_item_without_a_range_is_refused():
    undefined = calibrated_interval([2.0], [1.0], [4.0], None)
    assert isinstance(undefined, Undefined) and "one independent item" in undefined.reason
