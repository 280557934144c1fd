import numpy as np
import pytest

from pixelproof.metrics import drawing_features


@pytest.mark.parametrize("size", [1, 8, 16, 24, 48, 120])
def test_features_are_those_of_the_same_picture_at_any_scale(size):
    picture = np.random.default_rng(0).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    enlarged = picture.repeat(6, axis=0).repeat(6, axis=1)
    assert np.array_equal(drawing_features(picture), drawing_features(enlarged))
    plain = np.full((size, size, 3), 77, np.uint8)
    assert np.array_equal(drawing_features(plain), drawing_features(plain[:1, :1]))


def test_features_mix_nothing():
    """Every value is that of a colour of the picture: averaging would invent greys between black and white."""
    board = np.indices((50, 70)).sum(axis=0)[..., None].repeat(3, axis=2) % 2 * 255
    lightness = drawing_features(board.astype(np.uint8)).reshape(24, 24, 3)[..., 0] * 24
    assert set(lightness.round(6).ravel()) <= {0.0, 1.0} and 0.2 < lightness.mean() < 0.8


def test_distance_is_the_root_mean_square_per_cell():
    one, other = np.zeros((24, 24, 3), np.uint8), np.zeros((24, 24, 3), np.uint8)
    other[:12] = 255
    assert np.linalg.norm(drawing_features(one) - drawing_features(other)) == pytest.approx(np.sqrt(0.5), abs=1e-6)
