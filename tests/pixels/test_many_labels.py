"""Palettes of more than 255 labels: decoding, painting, files and images, beside plain numpy."""

import io

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import (
    DECODERS,
    LabelError,
    Palette,
    encode_labels,
    error_map,
    is_label_map,
    nearest,
    numpy_alone,
    overlay_labels,
    read_image,
    read_labels,
    render_labels,
    void_of,
)


def palette_of(count):
    """Colours of a lattice, in random order."""
    codes = np.random.default_rng(count).permutation(40**3)[:count]
    colours = np.stack([codes // 1600, codes // 40 % 40, codes % 40], axis=1) * 6
    return Palette(tuple(f"label {i}" for i in range(count)), tuple(map(tuple, colours.tolist())))


def blocks(count, cell=6, shape=(180, 240), seed=0):
    rows, columns = (side // cell for side in shape)
    labels = np.random.default_rng(seed).integers(0, count, (rows, columns))
    labels[0, :2] = 0, count - 1
    return labels.repeat(cell, 0).repeat(cell, 1).astype(np.uint16)


@pytest.mark.slow
@pytest.mark.parametrize("count", [255, 256, 1000])
def test_the_data_type_follows_the_number_of_labels(count):
    palette = palette_of(count)
    assert palette.dtype == (np.uint8 if count <= 255 else np.uint16)
    assert palette.void == np.iinfo(palette.dtype).max
    assert palette.index(f"label {count - 1}") == count - 1
    assert void_of(nearest(np.zeros((2, 2, 3), np.uint8), palette)) == palette.void


@pytest.mark.slow
@pytest.mark.parametrize("space", ["srgb", "oklab"])
@pytest.mark.parametrize(
    "count", [256, 257, pytest.param(1000, marks=pytest.mark.sweep)]
)  # the last that fits into a byte, the next, and many
def test_nearest_is_brute_force(count, space):
    palette = palette_of(count)
    rgb = np.random.default_rng(1).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    found = nearest(rgb, palette, space)
    with numpy_alone():
        np.testing.assert_array_equal(nearest(rgb, palette, space), found)
    if space == "srgb":
        apart = ((rgb[:, :, None].astype(int) - palette.array.astype(int)) ** 2).sum(axis=-1)
        np.testing.assert_array_equal(found, apart.argmin(axis=-1))


@pytest.mark.slow
@pytest.mark.sweep
def test_nearest_of_the_largest_palette():
    count = 65_534
    codes = np.random.default_rng(0).permutation(256**2 * 2)[:count]
    colours = np.stack([codes % 256, codes // 256 % 256, codes // 65536 * 90], axis=1)
    palette = Palette(tuple(map(str, range(count))), tuple(map(tuple, colours.tolist())))
    labels = np.random.default_rng(1).integers(0, count, (16, 20)).astype(np.uint16)
    np.testing.assert_array_equal(nearest(palette.paint(labels), palette), labels)
    np.testing.assert_array_equal(DECODERS["robust"].decode(palette.paint(labels), palette).labels, labels)


def test_more_labels_than_fit_are_refused():
    with pytest.raises(PixelProofError, match="1 to 65,534 labels"):
        Palette(tuple(map(str, range(65_535))), tuple((n % 256, n // 256 % 256, 0) for n in range(65_535)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [300, 1000])
def test_robust_decoding_agrees_with_numpy_and_keeps_the_paint(count):
    palette, truth = palette_of(count), blocks(count, 12)
    noise = np.random.default_rng(2).normal(size=(*truth.shape, 3))
    rgb = np.clip(palette.paint(truth) + noise, 0, 255).round().astype(np.uint8)
    found = DECODERS["robust"].decode(rgb, palette)
    with numpy_alone():
        np.testing.assert_array_equal(DECODERS["robust"].decode(rgb, palette).labels, found.labels)
    assert found.labels.dtype == np.uint16
    assert (found.labels == truth).mean() > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DECODERS))
def test_every_decoder_takes_many_labels(name):
    palette, truth = palette_of(300), blocks(300, 20, (60, 80))
    np.testing.assert_array_equal(DECODERS[name].decode(palette.paint(truth), palette).labels, truth)


@pytest.mark.slow
@pytest.mark.parametrize("count", [300, 1000])
def test_label_maps_go_to_files_and_back(count):
    palette, labels = palette_of(count), blocks(count)
    labels[5:9, 5:9] = palette.void
    file = encode_labels(labels, palette)
    assert is_label_map(file.data) and Image.open(io.BytesIO(file.data)).mode.startswith("I;16")
    np.testing.assert_array_equal(read_labels(file, palette), labels)
    labels[labels == palette.void] = 0
    painted = io.BytesIO()
    Image.fromarray(palette.paint(labels)).save(painted, "png")
    np.testing.assert_array_equal(read_labels(painted.getvalue(), palette), labels)


def test_255_is_a_label_of_a_large_palette_and_void_of_a_small_one():
    grey = io.BytesIO()
    Image.fromarray(np.array([[0, 255]], np.uint8)).save(grey, "png")
    wide = io.BytesIO()
    Image.fromarray(np.array([[0, 255, 65535]], np.uint16)).save(wide, "png")
    large, small = palette_of(300), palette_of(20)
    assert read_labels(grey.getvalue(), large).tolist() == [[0, 255]]
    assert read_labels(wide.getvalue(), large).tolist() == [[0, 255, 65535]]
    assert read_labels(grey.getvalue(), small).tolist() == [[0, 255]] and small.void == 255
    with pytest.raises(LabelError, match="65535"):
        read_labels(wide.getvalue(), small)


def test_ids_beyond_a_large_palette_are_refused():
    wide = io.BytesIO()
    Image.fromarray(np.array([[0, 300]], np.uint16)).save(wide, "png")
    with pytest.raises(LabelError, match="65535 for void"):
        read_labels(wide.getvalue(), palette_of(300))


@pytest.mark.parametrize("count", [300, 1000])
def test_images_show_every_label_in_its_colour(count):
    palette, labels = palette_of(count), blocks(count)
    np.testing.assert_array_equal(read_image(render_labels(labels, palette)), palette.paint(labels))
    few = np.where(labels < 290, np.uint16(0), np.uint16(count - 1))
    np.testing.assert_array_equal(read_image(render_labels(few, palette)), palette.paint(few))
    wrong = labels.copy()
    wrong[0, 0] = 7
    shown = read_image(error_map(wrong, labels, palette, background=None))
    np.testing.assert_array_equal(shown[1:], 30 + palette.paint(labels)[1:] // 4)
    assert shown[0, 0].tolist() == [230, 30, 60]
    assert overlay_labels(palette.paint(labels), labels, palette).media_type == "image/jpeg"
