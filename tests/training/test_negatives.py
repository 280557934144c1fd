from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pixelproof.benches.pixelart import _prompts
from pixelproof.benches.pixelart._format import Format
from training.drawing import negatives

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("pattern", negatives.PATTERNS, ids=lambda pattern: pattern.__name__)
@given(seed=seeds)
def test_patterns_are_pictures_and_depend_on_the_seed_alone(pattern, seed):
    picture = pattern(np.random.default_rng(seed))
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    assert 4 <= min(picture.shape[:2]) and max(picture.shape[:2]) <= 32
    np.testing.assert_array_equal(picture, pattern(np.random.default_rng(seed)))


def test_every_pattern_has_a_name_of_its_own():
    assert len({pattern.__name__ for pattern in negatives.PATTERNS}) == len(negatives.PATTERNS)


def test_the_example_of_the_prompt_is_among_the_examples():
    picture = _prompts.example(Format("original", 24, 10)).pixels()
    made = [negatives.example(np.random.default_rng(seed)) for seed in range(100)]
    assert any(np.array_equal(picture, one) for one in made)


@given(arrays(np.uint8, st.integers(3, 20).map(lambda side: (side, side, 3))), seeds)
def test_scrambling_makes_up_no_colours(picture, seed):
    mixed = negatives.scrambled(picture, np.random.default_rng(seed))
    before, after = (Counter(map(bytes, one.reshape(-1, 3))) for one in (picture, mixed))
    assert not after - before
    assert min(mixed.shape[:2]) > len(picture) * 2 // 3 - 1  # a rest that makes no whole tile falls off


def test_repeated_rows_repeat():
    for seed in range(50):
        picture = negatives.repeated_rows(np.random.default_rng(seed))
        rows, columns = (len(np.unique(one.reshape(len(one), -1), axis=0)) for one in (picture, picture.swapaxes(0, 1)))
        assert min(rows, columns) <= 3
