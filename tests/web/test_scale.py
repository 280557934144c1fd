import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.web import Scale

numbers = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)
lists = st.lists(numbers | st.none() | st.just(math.nan), min_size=1, max_size=8)


def known(values):
    return [value for value in values if value is not None and not math.isnan(value)]


@pytest.mark.parametrize("make", [Scale.of_scores, Scale.of_amounts])
@given(values=lists)
def test_every_value_has_its_place(make, values):
    scale = make(values)
    assert scale.lo < scale.hi
    rounding = 1e-8 * (scale.hi - scale.lo)
    for value in known(values):
        assert scale.lo - rounding <= value <= scale.hi + rounding
    for low, high in zip(sorted(known(values)), sorted(known(values))[1:], strict=False):
        assert 0 <= scale.at(low) <= scale.at(high) <= 1


@pytest.mark.parametrize("make", [Scale.of_scores, Scale.of_amounts])
@given(values=lists)
def test_ticks_are_few_rising_and_reach_both_ends(make, values):
    scale = make(values)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 14 and ticks == sorted(set(ticks))
    assert (ticks[0], ticks[-1]) == (pytest.approx(scale.lo), pytest.approx(scale.hi))


def test_shares_have_the_whole_scale():
    assert Scale.of_scores([0.4, 0.5]) == Scale.of_scores([]) == Scale(0, 1)


def test_decades_get_a_logarithmic_axis():
    scale = Scale.of_amounts([0.002, 30])
    assert scale.log and scale.ticks() == pytest.approx([0.001, 0.01, 0.1, 1, 10, 100])
    assert scale.at(0.1) == pytest.approx(0.4)
    assert not Scale.of_amounts([1, 9]).log and not Scale.of_amounts([0, 100]).log
