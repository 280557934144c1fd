import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.pixels import oklab
from training.drawing.augment import augment, batch_features, jitter_colours

seeds = st.integers(0, 2**32 - 1)


def drawings(n, colours=3):
    rng = np.random.default_rng(1)
    palettes = rng.integers(0, 256, (n, colours, 3), dtype=np.uint8)
    return palettes[np.arange(n)[:, None, None], rng.integers(0, colours, (n, 24, 24))]


@given(seeds, st.integers(1, 12))
def test_augmentation_makes_up_no_colours(seed, n):
    cells = drawings(n)
    after = augment(cells, np.zeros(n, bool), np.random.default_rng(seed))
    assert after.shape == cells.shape and after.dtype == np.uint8
    for old, new in zip(cells, after, strict=True):
        assert set(map(bytes, new.reshape(-1, 3))) <= set(map(bytes, old.reshape(-1, 3)))


def test_augmentation_leaves_most_of_a_drawing():
    rows, columns = np.indices((24, 24)) - 11.5
    disc = np.where((np.hypot(rows, columns) < 8)[..., None], [220, 30, 30], [255, 255, 255]).astype(np.uint8)
    after = augment(np.repeat(disc[None], 300, axis=0), np.zeros(300, bool), np.random.default_rng(0))
    same = (after == disc).all(axis=-1).mean(axis=(1, 2))
    assert same.mean() > 0.85 and same.min() > 0.5


def test_only_loose_drawings_are_turned_far():
    bar = np.full((24, 24, 3), 255, np.uint8)
    bar[:, 10:14] = 0
    wide = {}
    for loose in (False, True):
        after = augment(np.repeat(bar[None], 400, axis=0), np.full(400, loose), np.random.default_rng(0))
        wide[loose] = np.mean([(picture[..., 0] == 0).any(axis=0).sum() > 16 for picture in after])
    assert wide[False] < 0.1 < wide[True]


@given(seeds)
def test_jitter_turns_hues_together(seed):
    lab = oklab(drawings(6)).reshape(6, -1, 3)
    after = jitter_colours(lab, np.random.default_rng(seed))
    chroma = [np.hypot(one[..., 1], one[..., 2]) for one in (lab, after)]
    ratio = chroma[1] / np.maximum(chroma[0], 1e-9)
    assert np.allclose(ratio, ratio[:, :1], atol=1e-6)  # one factor for all colours of a drawing
    steps = np.diff(lab[..., 0], axis=1), np.diff(after[..., 0], axis=1)
    assert all(np.all(a * b >= -1e-12) or np.all(a * b <= 1e-12) for a, b in zip(*steps, strict=True))


def test_features_depend_on_the_chance_alone():
    cells, grounds = drawings(4), drawings(4)[:, 0, 0]
    loose = np.zeros(4, bool)
    first, second = (batch_features(cells, grounds, loose, np.random.default_rng(2)) for _ in range(2))
    assert first.shape == (4, 24, 24, 4) and first.dtype == np.float32
    np.testing.assert_array_equal(first, second)
