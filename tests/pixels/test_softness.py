"""Softness of edges is measured whatever the outline: straight, slanted or curved."""

import numpy as np
import pytest

from pixelproof.pixels import ImageChannel, blur, detect_channel, encode_png

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
