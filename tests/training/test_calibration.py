import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from training.drawing.calibration import (
    calibration_error,
    certainty,
    level_of,
    temperature_of,
    threshold_of,
)

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@given(seeds, st.floats(0.3, 5))
def test_the_temperature_that_was_put_in_is_found(seed, true):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(4000, 5)) * 3
    chances = scipy.special.softmax(logits / true, axis=1)
    labels = (chances.cumsum(axis=1) > rng.random((4000, 1))).argmax(axis=1)
    assert temperature_of(logits, labels) == pytest.approx(true, rel=0.25)


@given(arrays(np.float64, st.integers(1, 300), elements=st.floats(0, 1)), st.floats(0.5, 1))
def test_the_threshold_keeps_its_promise_and_no_more(floor, abstain):
    threshold = threshold_of(floor, abstain)
    assert np.mean(floor < threshold) >= abstain
    assert np.mean(floor < np.nextafter(threshold, 0)) < abstain


@given(seeds, st.integers(1, 60), st.floats(0.3, 1))
def test_the_level_is_the_least_at_which_enough_names_are_right(seed, n, share):
    rng = np.random.default_rng(seed)
    certain, right = rng.integers(0, 12, n) / 12, rng.random(n) < 0.6
    good = [level for level in set(certain) - {0} if right[certain >= level].mean() >= share]
    assert level_of(certain, right, share) == (min(good) if good else np.nextafter(1, 2))


def test_certainty_is_none_where_nothing_is_likelier():
    logits = np.random.default_rng(0).normal(size=(50, 4)) * 2
    chances = scipy.special.softmax(logits / 1.5, axis=1)
    found = certainty(logits, 1.5)
    for row, value in zip(chances, found, strict=True):
        assert value == pytest.approx(row[:-1].max() if row.argmax() < 3 else 0.0)


@given(seeds, st.integers(1, 200))
def test_calibration_error_is_the_weighed_gap_of_bins(seed, n):
    rng = np.random.default_rng(seed)
    certain, right = rng.random(n), rng.random(n) < 0.5
    total = 0.0
    for low in range(10):
        inside = [i for i in range(n) if low <= certain[i] * 10 < low + 1]
        if inside:
            gap = abs(np.mean(certain[inside]) - np.mean(right[inside]))
            total += len(inside) / n * gap
    assert calibration_error(certain, right) == pytest.approx(total)
    assert np.isnan(calibration_error(certain[:0], right[:0]))
