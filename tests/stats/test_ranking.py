import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from pixelproof.stats import holm, tie_groups

probabilities = st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.5, 1.0])


@pytest.mark.slow
@settings(max_examples=8)  # theirs takes 60 ms
@given(st.lists(probabilities, min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-12)


@given(st.lists(probabilities | st.just(np.nan), max_size=20))
def test_holm_leaves_out_what_was_not_tested(p_values):
    p = np.array(p_values)
    tested = ~np.isnan(p)
    adjusted = holm(p)
    assert np.array_equal(np.isnan(adjusted), ~tested)
    assert np.array_equal(adjusted[tested], holm(p[tested]))


@given(st.integers(0, 8).flatmap(lambda n: arrays(bool, (n, n))))
def test_rank_ranges_count_the_significant_differences(matrix):
    tied = matrix & matrix.T
    names = [f"model-{i}" for i in range(len(tied))]
    ranges = tie_groups(names, tied)
    assert list(ranges) == names
    for i, (best, worst) in enumerate(ranges.values()):
        assert best == 1 + sum(not tied[i][j] for j in range(i))
        assert worst == len(names) - sum(not tied[i][j] for j in range(i + 1, len(names)))
        assert 1 <= best <= i + 1 <= worst <= len(names)


def test_extremes_of_ranking():
    assert tie_groups(["a", "b", "c"], np.eye(3)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert tie_groups(["a", "b", "c"], np.ones((3, 3))) == {"a": (1, 3), "b": (1, 3), "c": (1, 3)}


@pytest.mark.parametrize("matrix", [np.ones((2, 3)), [[True, True], [False, True]]])
def test_the_matrix_must_be_symmetric(matrix):
    with pytest.raises(ValueError, match="symmetric 2 x 2"):
        tie_groups(["a", "b"], matrix)
