import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import gaussian_filter

from pixelproof.pixels import ImageChannel, blur, read_image


@given(st.integers(0, 2**31), st.floats(0.3, 3))
@settings(max_examples=20, deadline=None)
def test_blur_is_scipys_gaussian(seed, sigma):
    picture = np.random.default_rng(seed).integers(0, 256, (23, 31, 3), dtype=np.uint8)
    expected = gaussian_filter(picture.astype(float), (sigma, sigma, 0), mode="nearest")
    assert np.abs(blur(picture, sigma) - expected).max() < 0.51
    assert blur(picture, 0) is picture


def test_channel_is_the_jpeg_that_was_asked_for():
    picture = np.random.default_rng(1).integers(0, 256, (40, 48, 3), dtype=np.uint8)
    assert ImageChannel().send(picture) == ImageChannel().send(picture)
    for name, layers in {"4:2:0": (2, 2), "4:2:2": (2, 1), "4:4:4": (1, 1)}.items():
        opened = Image.open(io.BytesIO(ImageChannel(subsampling=name).send(picture).data))
        assert opened.size == (48, 40) and opened.layer[0][1:3] == layers
    assert len(ImageChannel(quality=50).send(picture).data) < len(ImageChannel(quality=95).send(picture).data)
    flat = np.full((16, 16, 3), (255, 128, 0), np.uint8)
    assert np.abs(read_image(ImageChannel().send(flat)).astype(int) - flat).max() <= 3
