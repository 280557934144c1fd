"""Label maps of every mode, and a sentence for each that is none."""

import io
import zlib
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image, PngImagePlugin

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import (
    VOID,
    ImageError,
    LabelError,
    Palette,
    encode_labels,
    encode_png,
    is_label_map,
    numpy_alone,
    read_image,
    read_labels,
)

from .samples import chunk, png, sample_files, save

PALETTE = Palette(("sky", "sea", "sand", "sun"), ((90, 160, 255), (0, 0, 120), (230, 200, 140), (255, 240, 0)))
LABELS = np.random.default_rng(4).integers(0, 4, (11, 17)).astype(np.uint8)
WITH_VOID = np.where(LABELS == 3, VOID, LABELS).astype(np.uint8)
PAINTED = PALETTE.paint(LABELS)


def indexed(values: np.ndarray, colours: np.ndarray) -> Image.Image:
    image = Image.fromarray(values)
    image.putpalette(colours.astype(np.uint8).tobytes())
    return image


def refusal(source: bytes) -> str:
    with pytest.raises(LabelError) as caught:
        read_labels(source, PALETTE)
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence


def test_indices_in_every_mode():
    grey = Image.fromarray(WITH_VOID)
    opaque = Image.merge("LA", [grey, Image.new("L", grey.size, 255)])
    deep = Image.fromarray(WITH_VOID.astype(np.uint16))
    foreign = indexed(WITH_VOID, np.random.default_rng(1).integers(0, 80, (256, 3)))
    for name, image in {"L": grey, "LA": opaque, "I;16": deep, "P": foreign}.items():
        np.testing.assert_array_equal(read_labels(save(image, "PNG"), PALETTE), WITH_VOID, err_msg=name)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_indices_of_few_bits(depth):
    most = min(2**depth, len(PALETTE))
    values = LABELS[:, :16] % most
    bits = np.unpackbits(values[..., None].astype(np.uint8), axis=2)[:, :, 8 - depth :]
    rows = np.packbits(bits.reshape(len(values), -1), axis=1)
    data = png(16, 11, depth=depth, colour=0, data=compressed(rows))
    np.testing.assert_array_equal(read_labels(data, PALETTE), values)
    table = chunk(b"PLTE", bytes(range(3 * 2**depth)))
    data = png(16, 11, table, depth=depth, colour=3, data=compressed(rows))
    np.testing.assert_array_equal(read_labels(data, PALETTE), values)


def compressed(rows: np.ndarray) -> bytes:
    return zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))


def test_painted_in_every_mode():
    rgb = Image.fromarray(PAINTED)
    opaque = rgb.convert("RGBA")
    for name, data in {
        "RGB": encode_png(PAINTED).data,
        "RGBA": save(opaque, "PNG"),
        "WebP": save(rgb, "WEBP", lossless=True),
        "BMP": save(rgb, "BMP"),
        "GIF": save(rgb.quantize(4), "GIF"),
    }.items():
        np.testing.assert_array_equal(read_labels(data, PALETTE), LABELS, err_msg=name)


def test_an_indexed_picture_with_the_palettes_colours_elsewhere_is_painted():
    order = np.array([2, 0, 3, 1])
    moved = indexed(np.argsort(order)[LABELS].astype(np.uint8), PALETTE.array[order])
    np.testing.assert_array_equal(read_image(save(moved, "PNG")), PAINTED)
    np.testing.assert_array_equal(read_labels(save(moved, "PNG"), PALETTE), LABELS)
    in_place = indexed(LABELS, PALETTE.array)
    np.testing.assert_array_equal(read_labels(save(in_place, "PNG"), PALETTE), LABELS)


def test_greys_are_ids_and_255_is_void_whatever_greys_the_palette_has():
    palette = Palette(("road", "car", "snow"), ((0, 0, 0), (255, 0, 0), (255, 255, 255)))
    both = np.where(LABELS == 3, VOID, np.minimum(LABELS, 1)).astype(np.uint8)
    ramp = np.repeat(np.arange(256)[:, None], 3, axis=1)
    for values in (both, np.where(both == 1, 0, both).astype(np.uint8), np.full_like(both, VOID)):
        for image in (Image.fromarray(values), Image.fromarray(values.astype(np.uint16)), indexed(values, ramp)):
            for colours in (palette, Palette(palette.labels, palette.colours[::-1])):
                np.testing.assert_array_equal(read_labels(save(image, "PNG"), colours), values, err_msg=image.mode)


def test_a_mask_in_black_and_white():
    palette = Palette(("rest", "target"), ((0, 0, 0), (255, 255, 255)))
    mask = (LABELS > 1).astype(np.uint8)
    painted = encode_png(palette.paint(mask)).data
    for data in (painted, save(Image.fromarray(mask > 0), "PNG"), encode_png(mask).data):
        np.testing.assert_array_equal(read_labels(data, palette), mask)
    greys = Palette(("a", "b"), ((0, 0, 0), (128, 128, 128)))
    assert read_labels(encode_png(mask * 128), greys).tolist() == mask.tolist()
    with pytest.raises(LabelError, match="the ids 127, .* save it as RGB if it is painted"):
        read_labels(encode_png(mask * 127), greys)


@pytest.mark.parametrize(
    ("colours", "words"),
    [
        ((9, 9), "'a' and 'b' have the same colour [9, 9, 9], so no decoder"),
        ((9, 9, 9), "'a', 'b' and 'c' have the same colour [9, 9, 9], so no decoder"),
        ((1, 9, 9, 2, 9), "'b', 'c' and 'e' have the same colour [9, 9, 9], so no decoder"),
    ],
)
def test_labels_of_one_colour_are_all_named(colours, words):
    with pytest.raises(PixelProofError) as caught:
        Palette(tuple("abcde"[: len(colours)]), tuple((grey,) * 3 for grey in colours))
    assert words in str(caught.value)


def test_orientation_counts_as_it_does_for_photographs():
    exif = Image.Exif()
    exif[0x0112] = 6
    for image in (Image.fromarray(LABELS), Image.fromarray(PAINTED), indexed(LABELS, PALETTE.array)):
        np.testing.assert_array_equal(
            read_labels(save(image, "PNG", exif=exif.tobytes()), PALETTE), np.rot90(LABELS, -1)
        )


def test_a_profile_does_not_change_colours():
    data = save(Image.fromarray(PAINTED), "PNG", icc_profile=b"of no use to a label map")
    np.testing.assert_array_equal(read_labels(data, PALETTE), LABELS)


def test_sentences():
    ids = LABELS + np.uint8(2)
    assert "the ids 4, 5," in refusal(encode_png(ids).data)
    many = np.arange(11 * 17, dtype=np.uint8).reshape(11, 17)
    assert "4, 5, 6, 7, 8 and 178 more" in refusal(encode_png(many).data)
    assert "1000" in refusal(save(Image.fromarray(np.full((3, 3), 1000, np.uint16)), "PNG"))
    stray = PAINTED.copy()
    stray[2, 5] = stray[3, 1] = (91, 160, 255)
    assert "2 of 187 pixels" in refusal(encode_png(stray).data)
    assert "[91, 160, 255] at x 5, y 2" in refusal(encode_png(stray).data)
    assert "is a JPEG" in refusal(save(Image.fromarray(PAINTED), "JPEG"))
    clear = Image.fromarray(PAINTED).convert("RGBA")
    clear.putpixel((0, 0), (90, 160, 255, 254))
    assert "1 of 187 pixels of the label map are transparent" in refusal(save(clear, "PNG"))
    hidden = save(indexed(np.zeros((3, 3), np.uint8), PALETTE.array), "PNG", transparency=0)
    assert "9 of 9 pixels" in refusal(hidden)


@pytest.mark.parametrize("name", sorted(set(sample_files()) - {"bmp-1"}))  # two levels are the indices 0 and 1
def test_pictures_that_are_no_label_maps_are_refused(name):
    refusal(sample_files()[name])


def test_files_that_are_damaged_or_no_pictures(tmp_path):
    whole = encode_labels(LABELS, PALETTE).data
    for data, reason in {
        b"": "empty",
        b"no picture": "not-an-image",
        whole[: len(whole) // 2]: "truncated",
        png(60000, 60000, data=b""): "too-large",
        save(Image.fromarray(PAINTED), "TIFF"): "unsupported-format",
    }.items():
        with pytest.raises(ImageError) as caught:
            read_labels(data, PALETTE)
        assert caught.value.name == reason
    path = tmp_path / "labels.jpg"  # a wrong extension does not matter
    path.write_bytes(whole)
    np.testing.assert_array_equal(read_labels(path, PALETTE), LABELS)
    np.testing.assert_array_equal(read_labels(Artefact(whole), PALETTE), LABELS)


maps = arrays.arrays(
    np.uint8, st.tuples(st.integers(1, 12), st.integers(1, 12)), elements=st.sampled_from([0, 1, 2, 3, VOID])
)


@given(maps)
def test_what_is_encoded_is_read_and_looks_painted(labels):
    file = encode_labels(labels, PALETTE)
    assert is_label_map(file.data)
    np.testing.assert_array_equal(read_labels(file, PALETTE), labels)
    np.testing.assert_array_equal(read_image(file), PALETTE.paint(labels))


def test_a_label_map_is_told_by_its_note():
    assert not is_label_map(encode_png(LABELS).data)
    assert not is_label_map(b"\x89PNG\r\n\x1a\n") and not is_label_map(b"pixelproof\0label map")
    note = PngImagePlugin.PngInfo()
    note.add_text("Comment", "label map")
    buffer = io.BytesIO()
    Image.fromarray(LABELS).save(buffer, "PNG", pnginfo=note)
    assert not is_label_map(buffer.getvalue())


def test_a_label_map_keeps_its_indices_under_another_palette():
    other = Palette(PALETTE.labels, PALETTE.colours[::-1])
    np.testing.assert_array_equal(read_labels(encode_labels(LABELS, PALETTE), other), LABELS)


def test_maps_with_unknown_ids_are_not_encoded():
    for labels in (LABELS + np.uint8(9), LABELS.astype(int), LABELS[0], LABELS[:0]):
        with pytest.raises(ValueError, match="[Ll]abel"):
            encode_labels(labels, PALETTE)


BLACK_AND_WHITE = Palette(("ground", "thing"), ((0, 0, 0), (255, 255, 255)))


@pytest.mark.parametrize(
    ("values", "palette", "expected"),
    [
        ([[0, 255]], BLACK_AND_WHITE, [[0, 1]]),
        ([[0, 1]], BLACK_AND_WHITE, [[0, 1]]),
        ([[0, 1, 255]], BLACK_AND_WHITE, [[0, 1, VOID]]),
        ([[0, 255]], Palette(("a", "b", "c"), ((0, 0, 0), (9, 9, 200), (255, 255, 255))), [[0, VOID]]),
    ],
)
def test_greys_are_ids_unless_the_palette_is_of_greys_alone(values, palette, expected):
    assert read_labels(encode_png(np.array(values, np.uint8)), palette).tolist() == expected


@given(st.integers(0, 2**32), st.integers(1, 255), st.integers(1, 90))
def test_unknown_ids_are_found_wherever_they_are(seed, count, size):
    rng = np.random.default_rng(seed)
    palette = Palette(tuple(map(str, range(count))), tuple((n, 7, 200) for n in range(count)))
    values = rng.choice([*range(count), VOID], (1, size)).astype(np.uint8)
    if seed % 2:
        values[0, rng.integers(size)] = rng.integers(0, VOID + 1)
    known, data = {*values.ravel().tolist()} <= {*range(count), VOID}, encode_png(values).data
    for way in (nullcontext, numpy_alone):
        with way(), nullcontext() if known else pytest.raises(LabelError, match="the ids"):
            np.testing.assert_array_equal(read_labels(data, palette), values)


def test_files_are_read_whole_whatever_size_the_system_states(tmp_path):
    path = tmp_path / "map.png"
    path.write_bytes(encode_labels(LABELS, PALETTE).data)
    np.testing.assert_array_equal(read_labels(path, PALETTE), LABELS)
    with pytest.raises(ImageError, match="more than 10 bytes"):
        read_image(path, max_bytes=10)
    virtual = Path("/proc/self/status")  # has the size 0
    if virtual.exists():
        with pytest.raises(ImageError, match="not an image"):
            read_image(virtual)
        with pytest.raises(ImageError, match="more than 10 bytes"):
            read_image(virtual, max_bytes=10)
