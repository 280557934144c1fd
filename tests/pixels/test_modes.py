"""Each colour mode, transparency, profile and orientation, against arithmetic of our own or Pillow's own reading."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from pixelproof.pixels import read_image

from .samples import chunk, photo, png, sample_files, save

RGB = Image.fromarray(photo())
FILES = sample_files()
GREY = RGB.convert("L")


def over(colours: np.ndarray, alpha: np.ndarray, background: tuple[int, int, int]) -> np.ndarray:
    """Compositing by definition, in floats."""
    weight = alpha[..., None] / 255
    return colours * weight + np.array(background) * (1 - weight)


def grey_as_rgb(grey: np.ndarray) -> np.ndarray:
    return np.repeat(grey[..., None], 3, axis=2)


def test_lossless_files_give_the_exact_pixels():
    for name in ("png", "apng", "webp-animated", "bmp"):
        np.testing.assert_array_equal(read_image(FILES[name]), photo(), err_msg=name)


def test_the_array_belongs_to_the_caller():
    for orientation in (1, 6):
        exif = Image.Exif()
        exif[0x0112] = orientation
        pixels = read_image(save(RGB, "PNG", exif=exif.tobytes()))
        pixels[0, 0] = 9
        assert pixels.flags.c_contiguous and pixels.dtype == np.uint8


def test_bilevel_and_grey():
    for kind in ("PNG", "BMP"):
        two = GREY.convert("1")
        np.testing.assert_array_equal(read_image(save(two, kind)), grey_as_rgb(np.asarray(two) * np.uint8(255)))
        np.testing.assert_array_equal(read_image(save(GREY, kind)), grey_as_rgb(np.asarray(GREY)))


def test_palette():
    indexed = RGB.quantize(20)
    expected = np.array(indexed.getpalette()).reshape(-1, 3)[np.asarray(indexed)]
    for kind in ("PNG", "GIF", "BMP"):
        np.testing.assert_array_equal(read_image(save(indexed, kind)), expected, err_msg=kind)


@pytest.mark.parametrize("background", [(255, 255, 255), (10, 200, 30)])
def test_transparency_shows_the_background(background):
    alpha = np.asarray(GREY)
    clear = RGB.copy()
    clear.putalpha(GREY)
    for data in (save(clear, "PNG"), save(clear, "WEBP", lossless=True, exact=True)):
        assert np.abs(read_image(data, background=background) - over(photo(), alpha, background)).max() <= 0.5 + 1e-9
    light = Image.merge("LA", [GREY, GREY.transpose(Image.Transpose.ROTATE_180)])
    expected = over(grey_as_rgb(alpha), alpha[::-1, ::-1], background)
    assert np.abs(read_image(save(light, "PNG"), background=background) - expected).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_one_transparent_palette_entry(kind):
    indexed = RGB.quantize(20)
    index = np.asarray(indexed)
    colours = np.array(indexed.getpalette()).reshape(-1, 3)
    colours[5] = (1, 2, 3)
    picture = read_image(save(indexed, kind, transparency=5), background=(1, 2, 3))
    np.testing.assert_array_equal(picture, colours[index])


def test_transparent_colour_without_alpha_channel():
    level = int(np.asarray(GREY)[3, 4])
    expected = np.where(np.asarray(GREY) == level, 255, np.asarray(GREY))
    np.testing.assert_array_equal(read_image(save(GREY, "PNG", transparency=level)), grey_as_rgb(expected))
    colour = tuple(int(value) for value in photo()[3, 4])
    hidden = (photo() == colour).all(axis=2, keepdims=True)
    picture = read_image(save(RGB, "PNG", transparency=colour), background=(0, 0, 9))
    np.testing.assert_array_equal(picture, np.where(hidden, (0, 0, 9), photo()))


def test_sixteen_bits_keep_black_white_and_order():
    values = np.array([[0, 128, 129, 257, 32768, 65406, 65407, 65535]], dtype=np.uint16)
    rows = b"\0" + values.astype(">u2").tobytes()
    data = png(8, 1, depth=16, colour=0, data=zlib.compress(rows))
    np.testing.assert_array_equal(read_image(data)[0, :, 0], np.round(values[0] / 257))
    clear = png(8, 1, chunk(b"tRNS", struct.pack(">H", 32768)), depth=16, colour=0, data=zlib.compress(rows))
    assert read_image(clear, background=(7, 8, 9))[0].tolist()[3:6] == [[1, 1, 1], [7, 8, 9], [254, 254, 254]]


def test_sixteen_bit_colours():
    values = np.arange(0, 65536, 4369, dtype=np.uint16).reshape(1, -1, 1).repeat(3, axis=2)
    data = png(16, 1, depth=16, colour=2, data=zlib.compress(b"\0" + values.astype(">u2").tobytes()))
    np.testing.assert_array_equal(read_image(data), (values // 257).astype(np.uint8))


def test_cmyk_and_grey_jpeg_are_read_as_pillow_reads_them():
    for name in ("jpeg", "jpeg-progressive", "jpeg-grey", "jpeg-cmyk", "webp"):
        with Image.open(io.BytesIO(FILES[name])) as image:
            np.testing.assert_array_equal(read_image(FILES[name]), np.asarray(image.convert("RGB")), err_msg=name)


def test_of_an_animation_the_first_frame_counts():
    for name in ("apng", "webp-animated"):
        np.testing.assert_array_equal(read_image(FILES[name]), photo())
    with Image.open(io.BytesIO(FILES["gif"])) as still:
        np.testing.assert_array_equal(read_image(FILES["gif"]), np.asarray(still.convert("RGB")))
    assert read_image(FILES["gif-animated"]).shape == photo().shape


@pytest.mark.parametrize("orientation", range(10))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_orientation_as_pillow_turns_it(kind, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = save(RGB, kind, exif=exif.tobytes(), **({"lossless": True} if kind == "WEBP" else {}))
    with Image.open(io.BytesIO(data)) as image:
        expected = np.asarray(ImageOps.exif_transpose(image))
    np.testing.assert_array_equal(read_image(data), expected)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_a_broken_tag_block_does_not_cost_the_picture():
    for exif in (b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM\0*\0\0\0\x08\xff\xff"):
        assert read_image(save(RGB, "JPEG", exif=exif)).shape == photo().shape


def matrix_profile(space: bytes, gamma: float, primaries: np.ndarray | None) -> bytes:
    """A minimal ICC profile, version 2: a gamma curve and, for RGB, the columns of the matrix to XYZ (D50)."""

    def xyz(values: np.ndarray) -> bytes:
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(int(round(value * 65536)) for value in values))

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, int(gamma * 256)) + b"\0\0"
    about = b"desc\0\0\0\0" + struct.pack(">I", 5) + b"test\0" + bytes(78 + 1)
    tags = {b"desc": about, b"cprt": b"text\0\0\0\0none\0\0\0\0", b"wtpt": xyz(np.array([0.9642, 1.0, 0.8249]))}
    if primaries is None:
        tags[b"kTRC"] = curve
    else:
        for letter, column in zip((b"r", b"g", b"b"), primaries.T, strict=True):
            tags |= {letter + b"XYZ": xyz(column), letter + b"TRC": curve}
    table, body = struct.pack(">I", len(tags)), b""
    for name, data in tags.items():
        table += name + struct.pack(">II", 132 + 12 * len(tags) + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    size = 132 + 12 * len(tags) + len(body) - 4 + 4
    header = struct.pack(">I4sI4s4s4s", size, b"\0\0\0\0", 0x02100000, b"mntr", space, b"XYZ ") + bytes(12) + b"acsp"
    header += bytes(28) + struct.pack(">3i", 63190, 65536, 54061)
    return header.ljust(128, b"\0") + table + body


ADOBE = np.array([[0.60974, 0.20528, 0.14919], [0.31111, 0.62567, 0.06322], [0.01947, 0.06087, 0.74457]])
SRGB = np.array([[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]])


def srgb_curve(linear: np.ndarray) -> np.ndarray:
    linear = linear.clip(0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055) * 255


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_wide_gamut_colours_are_converted(kind):
    profile = matrix_profile(b"RGB ", 2.2, ADOBE)
    # Inside both gamuts, so that clipping plays no part.
    colours = np.random.default_rng(3).integers(90, 165, (20, 30, 3)).astype(np.uint8)
    linear = (colours / 255.0) ** (563 / 256)
    expected = srgb_curve(linear @ (np.linalg.inv(SRGB) @ ADOBE).T)
    data = save(Image.fromarray(colours), kind, icc_profile=profile, lossless=True)
    assert np.abs(read_image(data) - expected).max() < 1.6
    assert np.abs(colours - expected).max() > 10


def test_grey_profile_and_transparency_with_a_profile():
    ramp = Image.fromarray(np.arange(256, dtype=np.uint8)[None])
    expected = srgb_curve(np.arange(256) / 255)
    plain = save(ramp, "PNG", icc_profile=matrix_profile(b"GRAY", 1.0, None))
    assert np.abs(read_image(plain)[0, :, 1] - expected).max() < 1.6
    half = Image.merge("LA", [ramp, Image.new("L", ramp.size, 51)])
    blended = save(half, "PNG", icc_profile=matrix_profile(b"GRAY", 1.0, None))
    assert np.abs(read_image(blended)[0, :, 1] - (0.2 * expected + 0.8 * 255)).max() < 1.6


def test_an_srgb_profile_leaves_pixels_exact():
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    np.testing.assert_array_equal(read_image(save(RGB, "PNG", icc_profile=profile)), photo())


def test_a_broken_or_foreign_profile_is_ignored():
    good = matrix_profile(b"RGB ", 2.2, ADOBE)
    for profile in (b"x", good[:200], good[:128] + bytes(len(good) - 128), matrix_profile(b"GRAY", 1.0, None)):
        np.testing.assert_array_equal(read_image(save(RGB, "PNG", icc_profile=profile)), photo())
