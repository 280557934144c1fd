import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.stats import subject_sensitivity


def by_hand(features, labels):
    """The definition, pair by pair."""
    between, within = [], []
    for i, j in itertools.combinations(range(len(labels)), 2):
        distance = math.dist(features[i], features[j])
        (within if labels[i] == labels[j] else between).append(distance)
    return sum(between) / len(between) - sum(within) / len(within)


drawings = st.lists(st.tuples(st.integers(0, 2), st.floats(-5, 5), st.floats(-5, 5)), min_size=4, max_size=9).filter(
    lambda rows: 1 < len({row[0] for row in rows}) < len(rows)
)


@given(drawings)
def test_the_statistic_is_the_definition(rows):
    labels, features = [row[0] for row in rows], [row[1:] for row in rows]
    value, p = subject_sensitivity(features, labels, resamples=20)
    assert value == pytest.approx(by_hand(features, labels), abs=1e-9) and 0 < p <= 1


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_p_is_that_of_all_permutations(seed):
    rng = np.random.default_rng(seed)
    labels = [0, 0, 1, 1, 2, 2]
    features = rng.normal(size=(6, 3)) + np.array(labels)[:, None] * 0.7
    observed = by_hand(features, labels)
    every = [by_hand(features[list(order)], labels) for order in itertools.permutations(range(6))]
    exact = np.mean(np.array(every) >= observed - 1e-9)
    assert subject_sensitivity(features, labels, resamples=3000)[1] == pytest.approx(exact, abs=0.04)


@pytest.mark.slow
def test_whoever_ignores_the_subject_gets_nothing():
    """Under the null p is uniform: about one run in twenty is below 0.05."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(8), 4)
    runs = [subject_sensitivity(rng.normal(size=(32, 10)), labels, resamples=99, seed=n) for n in range(200)]
    below = np.mean([p <= 0.05 for _, p in runs])
    assert 0.01 < below < 0.11 and abs(np.mean([value for value, _ in runs])) < 0.05


def test_whoever_draws_one_picture_for_all_gets_zero():
    value, p = subject_sensitivity(np.ones((12, 5)), np.repeat(["sun", "moon", "star"], 4))
    assert (value, p) == (0.0, 1.0)


def test_whoever_minds_the_subject_shows_it():
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(6), 4)
    features = rng.normal(size=(6, 20))[labels] + 0.3 * rng.normal(size=(24, 20))
    value, p = subject_sensitivity(features, labels, resamples=999)
    assert value > 1 and p == 1 / 1000


@given(drawings, st.integers(0, 100))
def test_names_and_order_of_the_subjects_do_not_matter(rows, seed):
    labels, features = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows])
    renamed = np.array(["c", "a", "b"])[labels]
    first, second = (subject_sensitivity(features, names, 50, seed) for names in (labels, renamed))
    assert first[0] == pytest.approx(second[0]) and first[1] == second[1]


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "a", "a"], ["a", "b", "c"]])
def test_what_cannot_be_told_is_nan(labels):
    assert all(math.isnan(part) for part in subject_sensitivity(np.zeros((len(labels), 2)), labels))


def test_features_and_labels_must_match():
    with pytest.raises(ValueError, match="3 labels need as many rows"):
        subject_sensitivity(np.zeros((2, 4)), [1, 2, 3])
