import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.contract import Estimate
from pixelproof.stats import bootstrap, calibrate, estimate, estimate_mean, finish_mean, mean_states

NAN = math.nan
scores = st.floats(-100, 100, allow_subnormal=False).map(lambda x: round(x, 6))


@st.composite
def references(draw):
    """Floor, ceiling and clusters of the same rows; a ceiling may lie below its floor, as for an error."""
    n = draw(st.integers(2, 15))
    floor, ceiling = (draw(arrays(float, n, elements=scores)) for _ in range(2))
    assume(abs(floor.mean() - ceiling.mean()) > 1e-9)
    return floor, ceiling, draw(st.none() | arrays(int, n, elements=st.integers(0, 5)))


def means(*values):
    return [mean_states(row) for row in values]


@given(references())
def test_the_floor_is_exactly_0_and_the_ceiling_exactly_1(rows):
    floor, ceiling, clusters = rows
    for model, exact in ((floor, 0.0), (ceiling, 1.0)):
        ours = calibrate(*means(model, floor, ceiling), finish_mean, clusters, resamples=50)
        assert ours.value == exact
        ends = np.array([ours.lo, ours.hi])
        assert np.isnan(ends).all() or ends == pytest.approx(exact, abs=1e-9) or ends[0] <= exact <= ends[1]


@given(references(), st.floats(-3, 3))
def test_a_mixture_of_floor_and_ceiling_is_its_share(rows, share):
    floor, ceiling, clusters = rows
    ours = calibrate(*means(floor + share * (ceiling - floor), floor, ceiling), finish_mean, clusters, resamples=50)
    assert ours.value == pytest.approx(share, abs=1e-3)


@given(references(), st.lists(scores, min_size=15, max_size=15), st.sampled_from([-3.0, 0.5, 7.0]), scores)
def test_the_unit_of_the_metric_does_not_matter(rows, model, factor, shift):
    floor, ceiling, clusters = rows
    assume(abs(floor.mean() - ceiling.mean()) > 1)
    model = np.array(model[: len(floor)])
    one = calibrate(*means(model, floor, ceiling), finish_mean, clusters, resamples=2)
    other = calibrate(
        *means(*(factor * x + shift for x in (model, floor, ceiling))), finish_mean, clusters, resamples=2
    )
    assert other.value == pytest.approx(one.value, abs=1e-9)


def test_the_value_is_that_of_the_definition_and_is_not_clipped():
    model, floor, ceiling = [9.0, 3.0], [0.0, 2.0], [3.0, 5.0]
    assert calibrate(*means(model, floor, ceiling), finish_mean).value == pytest.approx((6 - 1) / (4 - 1))


def test_pooled_states_are_calibrated_after_pooling():
    rng = np.random.default_rng(0)
    floor, model, ceiling = (np.column_stack([rng.binomial(90, p, 30), np.full(30, 90)]) for p in (0.2, 0.5, 0.8))
    ours = calibrate(model, floor, ceiling, finish_mean)
    s, f, c = (x[:, 0].sum() / x[:, 1].sum() for x in (model, floor, ceiling))
    assert ours.value == pytest.approx((s - f) / (c - f))
    assert ours.lo < 0.5 < ours.hi


def test_what_makes_items_hard_for_all_cancels():
    rng = np.random.default_rng(1)
    hardness = rng.normal(0, 5, 60)
    model, floor, ceiling = (hardness + level + rng.normal(0, 0.1, 60) for level in (0.5, 0.0, 1.0))
    ours = calibrate(*means(model, floor, ceiling), finish_mean)
    raw = estimate_mean(model)
    assert ours.hi - ours.lo < 0.2 < 1 < raw.hi - raw.lo


@pytest.mark.parametrize("hits", range(8))
@pytest.mark.parametrize("floor, ceiling", [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)])
def test_between_fixed_references_the_raw_interval_is_carried_over(hits, floor, ceiling):
    model = [1.0] * hits + [0.0] * (7 - hits)
    raw = estimate_mean(model)
    ours = calibrate(*means(model, [floor] * 7, [ceiling] * 7), finish_mean, raw=raw)
    ends = sorted((end - floor) / (ceiling - floor) for end in (raw.lo, raw.hi))
    assert [ours.lo, ours.hi] == pytest.approx(ends)
    assert ours.value == pytest.approx((hits / 7 - floor) / (ceiling - floor))
    assert ours.hi - ours.lo > 0.3


def test_between_fixed_references_the_bootstrap_is_carried_over_by_default():
    model = np.random.default_rng(2).random(12)
    raw = estimate(mean_states(model), finish_mean)
    ours = calibrate(*means(model, [0.5] * 12, [0.75] * 12), finish_mean)
    assert (ours.lo, ours.hi) == pytest.approx(((raw.lo - 0.5) * 4, (raw.hi - 0.5) * 4))
    unknown = calibrate(*means([0.6] * 12, [0.5] * 12, [0.75] * 12), finish_mean)
    assert unknown.value == pytest.approx(0.4) and math.isnan(unknown.lo) and math.isnan(unknown.hi)


def test_all_right_is_not_certain_because_the_floor_varies():
    model = ceiling = [1.0] * 7
    raw = estimate_mean(model)
    ours = calibrate(*means(model, [0, 1, 0, 0, 0, 1, 0], ceiling), finish_mean, raw=raw)
    assert ours.value == ours.hi == 1
    assert ours.lo == pytest.approx((raw.lo - 2 / 7) / (1 - 2 / 7))


def test_all_wrong_has_the_doubt_of_the_model_and_of_the_floor():
    model, floor, ceiling = [0.0] * 7, [0, 1, 0, 0, 0, 1, 0], [1.0] * 7
    raw = estimate_mean(model)
    ours = calibrate(*means(model, floor, ceiling), finish_mean, raw=raw)
    assert ours.hi == pytest.approx((raw.hi - 2 / 7) / (1 - 2 / 7))
    assert ours.lo < -2 / 5 == pytest.approx(ours.value)


@pytest.mark.parametrize("floor, ceiling", [([0.5, 0.5], [0.5, 0.5]), ([0.1, 0.2], [0.2, 0.1]), ([0.0] * 2, [0.0] * 2)])
def test_without_room_between_floor_and_ceiling_there_is_no_score(floor, ceiling):
    ours = calibrate(*means([0.3, 0.9], floor, ceiling), finish_mean)
    assert np.isnan([ours.value, ours.lo, ours.hi]).all()


def test_resamples_without_room_are_left_out():
    floor, ceiling = np.zeros(6), np.array([0.0, 0, 0, 1, 1, 1])
    model = np.array([0.0, 0, 0, 0.2, 0.5, 0.8])
    assert (bootstrap(mean_states(ceiling), finish_mean) == 0).any()
    ours = calibrate(*means(model, floor, ceiling), finish_mean)
    assert ours.value == pytest.approx(0.5)
    assert (ours.lo, ours.hi) == pytest.approx((0.2, 0.8))


def test_one_cluster_has_only_the_raw_interval():
    rows = means([0.0, 1.0], [0.0, 0.5], [1.0, 1.0])
    assert calibrate(*rows, finish_mean, [3, 3]).value == pytest.approx(1 / 3)
    assert math.isnan(calibrate(*rows, finish_mean, [3, 3]).lo)
    raw = Estimate(0.5, 0.25, 1.0)
    assert calibrate(*rows, finish_mean, [3, 3], raw=raw) == Estimate(pytest.approx(1 / 3), pytest.approx(0.0), 1.0)
