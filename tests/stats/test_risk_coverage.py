"""Risk–coverage curves against counting and against the mean over all orders of ties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import risk_coverage

ANSWERS = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=5)


@settings(max_examples=40)
@given(ANSWERS)
def test_points_are_counts_and_the_area_is_the_mean_over_orders(answers):
    confidence, wrong = zip(*answers, strict=True)
    curve = risk_coverage(confidence, wrong)
    for threshold, coverage, risk in zip(curve.thresholds, curve.coverage, curve.risk, strict=True):
        chosen = [error for value, error in answers if value >= threshold]
        assert coverage == pytest.approx(len(chosen) / len(answers))
        assert risk == pytest.approx(sum(chosen) / len(chosen))
    areas = []
    for order in permutations(answers):
        if list(order) == sorted(order, key=lambda pair: -pair[0]):
            errors = np.cumsum([error for _, error in order])
            areas.append((errors / np.arange(1, len(order) + 1)).mean())
    assert curve.area == pytest.approx(np.mean(areas))


@pytest.mark.parametrize(("confidence", "wrong"), [([], []), ([0.1], []), ([float("nan")], [True])])
def test_what_is_no_curve(confidence, wrong):
    with pytest.raises(ValueError, match="confidence"):
        risk_coverage(confidence, wrong)
