"""Which channel an image went through, from its header, its edges and the traces of JPEG."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import gaussian_filter

from pixelproof.pixels import (
    POSTERISATIONS,
    ImageChannel,
    Palette,
    _channel_detection,
    blur,
    detect_channel,
    encode_png,
    find_posterisation,
    numpy_alone,
    posterise,
)


def scene(seed, side=256, regions=9, colours=40):
    """Smooth regions in random colours."""
    rng = np.random.default_rng(seed)
    fields = [gaussian_filter(rng.standard_normal((side, side)), side / 20) for _ in range(regions)]
    palette = rng.integers(0, 256, (colours, 3), dtype=np.uint8)
    return palette[rng.choice(colours, regions, replace=False)][np.argmax(fields, axis=0)]


def as_jpeg(rgb, quality, subsampling):
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return buffer.getvalue()


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def named(data):
    channel = detect_channel(data, pixels(data))
    return None if channel is None else channel.name


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([192, 256, 333]))
def test_lossless_files_are_told_apart_by_their_edges(seed, side):
    image = scene(seed, side)
    assert named(encode_png(image).data) == "hard"
    assert named(encode_png(blur(image, 0.7)).data) == "soft"


@pytest.mark.slow
@pytest.mark.parametrize("quality", [97, 88, 75, 60])
@pytest.mark.parametrize("seed", range(2))
def test_jpegs_are_recognised_with_their_quality_and_blur_after_conversion_to_png_too(quality, seed):
    image = scene(seed)
    for subsampling, sigma in (("4:4:4", 0.7), ("4:2:2", 1.0), ("4:2:0", 0.4), ("4:2:0", 0.0)):
        sent = ImageChannel(sigma, quality, subsampling).send(image).data
        read, traced = detect_channel(sent, pixels(sent)), detect_channel(encode_png(pixels(sent)).data, pixels(sent))
        assert (read.quality, read.subsampling) == (quality, subsampling)
        assert abs(traced.quality - quality) <= (1 if quality >= 88 else 3) and traced.subsampling == subsampling
        for channel in (read, traced):  # weak blurs differ little
            assert abs(channel.sigma - sigma) < 0.2 or max(channel.sigma, sigma) < 0.5


def test_a_quality_between_those_of_encoders_is_read_exactly():
    image = scene(4, 64)
    assert [detect_channel(data := as_jpeg(image, q, 2), pixels(data)).quality for q in (99, 82, 41, 7)] == [
        99,
        82,
        41,
        7,
    ]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4, 0.7, 1.2]), st.sampled_from([0, 1, 2, 6]))
def test_lossless_images_with_noise_have_no_traces_of_jpeg(seed, sigma, noise):
    image = blur(scene(seed), sigma) + np.random.default_rng(seed).normal(0, noise, (256, 256, 3))
    image = np.clip(np.rint(image), 0, 255).astype(np.uint8)
    assert detect_channel(encode_png(image).data, image).quality is None


@pytest.mark.parametrize("how", POSTERISATIONS)
def test_posterised_masks_are_named(how):
    image = scene(6, 128)
    palette = Palette(("a", "b", "c", "d"), tuple(map(tuple, np.unique(image.reshape(-1, 3), axis=0)[:4].tolist())))
    painted = palette.paint(np.random.default_rng(0).integers(0, 4, (64, 64)).astype(np.uint8))
    named = find_posterisation(posterise(painted, how), palette)
    assert (posterise(palette.array, named) == posterise(palette.array, how)).all()
    assert find_posterisation(painted, palette) == ""
    assert find_posterisation(painted ^ np.uint8(3), palette) == ""  # colours of no known rounding


def test_lossy_and_lossless_webp():
    image = Image.fromarray(scene(1))
    lossy, lossless = io.BytesIO(), io.BytesIO()
    image.save(lossy, "WEBP")
    image.save(lossless, "WEBP", lossless=True)
    assert named(lossless.getvalue()) == "hard"
    channel = detect_channel(lossy.getvalue(), pixels(lossy.getvalue()))  # JPEG 90 stands for it
    assert (channel.quality, channel.subsampling) == (90, "4:2:0") and channel.sigma < 0.6


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((1, 1, 3), np.uint8),
        np.full((64, 64, 3), 7, np.uint8),
        np.tile(np.arange(64, dtype=np.uint8)[None, :, None], (64, 1, 3)),
        np.zeros((3, 5, 3), np.uint8),
    ],
)
def test_images_without_edges_tell_nothing(image):
    assert detect_channel(encode_png(image).data, image) is None


@pytest.mark.slow
def test_noise_and_photographs_are_not_hard():
    rng = np.random.default_rng(0)
    photo = gaussian_filter(rng.uniform(0, 255, (128, 128, 3)), (1.5, 1.5, 0))
    photo = ((photo - photo.min()) / np.ptp(photo) * 255).astype(np.uint8)
    assert named(encode_png(photo).data) != "hard"


@given(
    st.sampled_from([0.0, 0.4, 0.7, 1.4]),
    st.none() | st.integers(1, 99),
    st.sampled_from(["4:4:4", "4:2:2", "4:2:0"]),
    st.sampled_from(["", "levels6", "bits2"]),
)
def test_names_of_channels_are_read_back(sigma, quality, subsampling, posterised):
    channel = ImageChannel(sigma, quality, subsampling if quality else "4:2:0", posterised)
    assert ImageChannel.named(channel.name) == channel


@pytest.mark.parametrize("name", ["", "truth", "channel", "soft-jpeg", "soft-jpeg900-420", "hard-jpeg90-421", "x-soft"])
def test_other_names_are_no_channels(name):
    assert ImageChannel.named(name) is None


@pytest.mark.slow
def test_the_channel_that_was_simulated_is_detected():
    image = scene(2)
    for name in (
        "hard",
        "soft0.35",
        "soft0.4",
        "soft0.5",
        "soft",
        "soft1",
        "soft1.4",
        "hard-jpeg95-444",
        "soft-jpeg90-420",
        "soft-jpeg75-420",
        "hard-jpeg90-420",
        "hard-jpeg75-420",
        "hard-jpeg85-422",
    ):
        assert named(ImageChannel.named(name).send(image).data) == name


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_the_softness_of_edges_is_measured_in_the_size_that_is_scored(seed):
    image = scene(seed, 96)
    large = np.asarray(Image.fromarray(image).resize((384, 384), Image.Resampling.LANCZOS))
    data = encode_png(large).data
    assert detect_channel(data, large).sigma > 0.7
    fitted = large[2::4, 2::4]
    assert detect_channel(data, large, fitted).sigma <= 0.5


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.tuples(st.integers(1, 70), st.integers(1, 310)), st.floats(0, 1.5), st.booleans())
def test_compiled_loops_and_numpy_agree_to_the_last_bit(seed, shape, sigma, compress):
    rng = np.random.default_rng(seed)
    colours = rng.integers(0, 256, (5, 3), dtype=np.uint8)
    image = blur(colours[np.kron(rng.integers(0, 5, (9, 39)), np.ones((8, 8), int))[: shape[0], : shape[1]]], sigma)
    image = pixels(as_jpeg(image, 90, 2)) if compress else image
    lines = _channel_detection._lines(image)
    steps, places = _channel_detection._relative_steps(lines), _channel_detection._places(lines, shape, 24)
    soft = _channel_detection.softness(image, places)
    with numpy_alone():
        np.testing.assert_array_equal(_channel_detection._places(lines, shape, 24), places)
        assert _channel_detection.softness(image, places) == soft
        np.testing.assert_array_equal(_channel_detection._relative_steps(lines), steps)
