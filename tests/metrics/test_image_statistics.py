"""Statistics of images, against scikit-image, scipy and known distributions."""

import io

import numpy as np
import pytest
import skimage.data
import skimage.filters
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage, stats
from scipy.signal import convolve2d
from skimage.color import rgb2gray

from pixelproof.metrics import (
    blockiness,
    colourfulness,
    generalised_gaussian_shape,
    laplacian_variance,
    luma,
    mscn,
    mscn_shape,
    noise_sigma,
    rms_contrast,
)

ASTRONAUT = skimage.data.astronaut()[:256, :256]


@st.composite
def images(draw):
    height, width = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    return np.random.default_rng(draw(st.integers(0, 99))).integers(0, 256, (height, width, 3), dtype=np.uint8)


@given(images())
def test_luma_sharpness_and_contrast_are_those_of_scikit_image_and_scipy(rgb):
    grey = 255 * rgb2gray(rgb)
    assert np.allclose(luma(rgb), grey)
    assert rms_contrast(rgb) == pytest.approx(grey.std() / 255)
    # scipy's reflect repeats the border pixel, too
    assert laplacian_variance(rgb) == pytest.approx(ndimage.laplace(grey, mode="reflect").var(), abs=1e-6)


@given(images())
def test_the_noise_estimate_is_the_convolution_of_the_paper(rgb):
    if min(rgb.shape[:2]) < 3:
        assert np.isnan(noise_sigma(rgb))
        return
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]])
    height, width = rgb.shape[:2]
    summed = np.abs(convolve2d(luma(rgb), kernel, mode="valid")).sum()
    assert noise_sigma(rgb) == pytest.approx(np.sqrt(np.pi / 2) * summed / (6 * (width - 2) * (height - 2)))


@pytest.mark.parametrize("sigma", [4, 10, 25])
def test_gaussian_noise_is_estimated(sigma):
    ramp = np.linspace(90, 160, 300)[None, :, None] * np.ones((300, 1, 3))
    noise = np.random.default_rng(sigma).normal(0, sigma, (300, 300, 1))  # the same in all components: luma has it all
    assert noise_sigma(np.clip(np.rint(ramp + noise), 0, 255).astype(np.uint8)) == pytest.approx(sigma, rel=0.04)


@given(images())
def test_colourfulness_is_the_published_formula(rgb):
    pixels = [tuple(map(float, pixel)) for row in rgb for pixel in row]
    rg = [r - g for r, g, _ in pixels]
    yb = [0.5 * (r + g) - b for r, g, b in pixels]
    mean = [sum(values) / len(values) for values in (rg, yb)]
    var = [sum((v - m) ** 2 for v in values) / len(values) for values, m in zip((rg, yb), mean, strict=True)]
    expected = (var[0] + var[1]) ** 0.5 + 0.3 * (mean[0] ** 2 + mean[1] ** 2) ** 0.5
    assert colourfulness(rgb) == pytest.approx(expected, abs=1e-9)


def compressed(rgb, quality):
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "JPEG", quality=quality)
    return np.asarray(Image.open(io.BytesIO(buffer.getvalue())))


def test_blockiness_grows_with_jpeg_and_only_on_the_grid():
    values = [blockiness(compressed(ASTRONAUT, quality)) for quality in (95, 40, 10, 3)]
    assert values == sorted(values) and values[0] < 1.1 < 1.5 < values[-1]
    assert blockiness(compressed(ASTRONAUT, 3)[4:, 4:]) < 1.05, "blocks beside the grid do not count"
    assert blockiness(np.random.default_rng(0).integers(0, 256, (256, 256, 3), dtype=np.uint8)) == pytest.approx(
        1, abs=0.02
    )
    assert blockiness(np.full((3, 3, 3), 9, np.uint8)) == 1.0
    checks = np.kron(np.indices((4, 4)).sum(0) % 2, np.ones((8, 8)))[..., None] * np.full(3, 255)
    assert blockiness(checks.astype(np.uint8)) == 100.0


@pytest.mark.slow
@settings(max_examples=12)
@given(st.sampled_from([0.5, 1.0, 2.0, 4.0]), st.integers(0, 9))
def test_the_shape_of_draws_is_theirs_and_that_of_a_maximum_likelihood_fit(shape, seed):
    draws = stats.gennorm.rvs(shape, size=20_000, random_state=seed)
    assert generalised_gaussian_shape(draws) == pytest.approx(shape, rel=0.12)
    assert generalised_gaussian_shape(draws) == pytest.approx(stats.gennorm.fit(draws, floc=0)[0], rel=0.12)


def test_local_normalisation_is_that_of_the_paper():
    grey = luma(ASTRONAUT)
    weights = np.outer(*[np.exp(-(np.arange(-3, 4) ** 2) / (2 * (7 / 6) ** 2))] * 2)
    weights /= weights.sum()
    mean = convolve2d(np.pad(grey, 3, mode="edge"), weights, mode="valid")
    variance = convolve2d(np.pad((grey - mean) ** 2, 3, mode="edge"), weights, mode="valid")
    assert np.allclose(mscn(ASTRONAUT), (grey - mean) / (np.sqrt(variance) + 1))


def test_noise_is_the_sharpest_image_of_all_so_none_of_these_ranks_images():
    noise = np.random.default_rng(0).integers(0, 256, ASTRONAUT.shape, dtype=np.uint8)
    for measure in (laplacian_variance, colourfulness, noise_sigma):
        assert measure(noise) > measure(ASTRONAUT)
    assert np.isnan(mscn_shape(np.full((16, 16, 3), 5, np.uint8)))
