"""Softness of edges is measured whatever the outline: straight, slanted or curved."""

import numpy as np
import pytest

from pixelproof.pixels import ImageChannel, _softness, blur, detect_channel, encode_png, kernels

y, x = np.mgrid[:96, :96]
OUTLINES = {
    "rectangle": (abs(x - 47) < 25) & (abs(y - 40) < 30),
    "disc": (x - 50) ** 2 + (y - 44) ** 2 < 30**2,
    "slanted": 3 * x + 2 * y < 230,
    "wave": y < 48 + 8 * np.sin(x / 9),
}


@pytest.mark.parametrize("outline", OUTLINES)
def test_softness_does_not_depend_on_the_outline(outline):
    painted = np.array([(20, 60, 200), (230, 140, 30)], np.uint8)[OUTLINES[outline].astype(int)]
    for sigma in (0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.4):
        image = blur(painted, sigma)
        assert detect_channel(encode_png(image).data, image) == ImageChannel(sigma, None)


def test_low_contrast_edges_tell_too():
    painted = np.array([(100, 100, 100), (100, 140, 100)], np.uint8)[OUTLINES["disc"].astype(int)]
    image = blur(painted, 1.0)
    assert detect_channel(encode_png(image).data, image) == ImageChannel(1.0, None)


def test_rectangles_on_the_grid_of_jpeg_are_no_jpeg():
    """Blocks of 8 pixels without edges inside have many coefficients near zero, as after JPEG."""
    labels = np.random.default_rng(0).integers(0, 2, (12, 12)).repeat(16, 0).repeat(16, 1)
    image = blur(np.array([(0, 0, 0), (255, 255, 255)], np.uint8)[labels], 0.35)
    assert detect_channel(encode_png(image).data, image) == ImageChannel(0.35, None)


@pytest.mark.parametrize("levels", [2, 3, 4, 8])
def test_squares_with_flat_pixels_are_found_wherever_these_are(levels):
    loops = kernels("pixelproof.pixels._channel_kernel")
    if loops is None:
        pytest.skip("numba is not installed")
    rng = np.random.default_rng(levels)
    image = rng.integers(0, levels, (60, 60, 3), dtype=np.uint8) * 9
    for top, left in rng.integers(0, 57, (9, 2)):
        image[top : top + 3, left : left + 3] = image[top, left] + rng.integers(0, 2, (3, 3, 3))
    places = np.stack(np.mgrid[6:54, 6:54], axis=-1).reshape(-1, 2)
    around = np.arange(-6, 7)
    squares = image[places[:, 0, None, None] + around[:, None], places[:, 1, None, None] + around]
    expected = _softness._flat(squares).any(axis=1)
    assert 0 < expected.sum() < len(expected)
    np.testing.assert_array_equal(loops.have_flat_pixels(image, places, 5), expected)
