"""Mean relative accuracy against the definition of VSI-Bench, written independently."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.metrics import mean_relative_accuracy


@given(st.floats(0.1, 1e4), st.floats(0.0, 2.0))
@settings(max_examples=200)
def test_it_is_the_mean_over_ten_thresholds(truth, factor):
    answer = truth * factor
    error = abs(answer - truth) / truth
    if np.min(np.abs(error - np.arange(1, 11) / 20)) < 1e-6:  # at a threshold, rounding decides
        return
    hits = [error < 1 - threshold / 100 for threshold in range(50, 100, 5)]
    assert mean_relative_accuracy(answer, truth) == pytest.approx(sum(hits) / 10)


def test_an_error_of_exactly_a_threshold_is_within_it():
    assert mean_relative_accuracy([95, 105, 90, 110, 50, 150], 100).tolist() == [1, 1, 0.9, 0.9, 0.1, 0.1]


@pytest.mark.parametrize("truth", [0, np.inf, np.nan])
def test_the_relative_error_must_be_defined(truth):
    with pytest.raises(ValueError, match="undefined"):
        mean_relative_accuracy(1, truth)
