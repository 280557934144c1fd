import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from training.drawing.ours import KEPT, PATTERNS, SUBJECTS, Chance, draw

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(-5, 5), st.integers(1, 20))
def test_training_never_sees_the_kept_regions(seed, low, width):
    chance = Chance(np.random.default_rng(seed), test=False)
    assert all(0 <= chance.random() < 1 - KEPT for _ in range(50))
    drawn = {int(chance.integers(low, low + width)) for _ in range(50)}
    assert drawn <= set(range(low, low + width - (width >= 3)))


@given(seeds, st.integers(3, 20))
def test_half_of_the_test_is_from_the_kept_regions(seed, width):
    chance = Chance(np.random.default_rng(seed), test=True)
    numbers = np.array([chance.random() for _ in range(400)])
    options = np.array([chance.integers(width) for _ in range(400)])
    assert 0.35 < np.mean(numbers >= 1 - KEPT) < 0.65
    assert 0.35 < np.mean(options == width - 1) < 0.65
    assert numbers.min() >= 0 and numbers.max() <= 1 and options.min() >= 0


def test_arrays_are_as_numpy_draws_them():
    chance = Chance(np.random.default_rng(0), test=False)
    assert chance.random((40, 40)).max() > 1 - KEPT
    assert chance.integers(0, 3, (40, 40)).max() == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SUBJECTS, *PATTERNS])
def test_every_drawer_works_with_both_chances(name):
    for test in (False, True):
        picture = draw(name, np.random.default_rng(3), test=test)
        assert picture.dtype == np.uint8 and picture.shape[2] == 3 and 12 <= picture.shape[0] <= 32


@pytest.mark.slow
def test_test_drawings_are_not_training_drawings():
    pictures = {
        test: {draw("cat", np.random.default_rng(seed), test=test).tobytes() for seed in range(100)}
        for test in (False, True)
    }
    assert not pictures[False] & pictures[True]


def test_unknown_subjects_are_one_sentence():
    with pytest.raises(PixelProofError, match="no drawer of 'teapot'"):
        draw("teapot", np.random.default_rng(0))
