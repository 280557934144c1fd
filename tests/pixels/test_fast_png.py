"""The fast reader of plain PNGs: the same pixels as Pillow's, and Pillow's sentence for whatever is not plain."""

import io
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import ImageError, Palette, _labels, _reading, encode_labels, encode_png, read_image, read_labels
from pixelproof.pixels._fast_png import read_fast_labels, read_fast_png

from .samples import chunk, photo, png, sample_files, save

FILES = sample_files()
RGB = Image.fromarray(photo())
LIMIT = 10**6


def by_pillow(data, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_reading, "read_fast_png", lambda data, max_pixels: None)
        return outcome(data)


def outcome(data):
    try:
        return read_image(data, max_pixels=LIMIT).tolist()
    except ImageError as error:
        return error.name, str(error)


pytest.importorskip("isal")
pytest.importorskip("numba")


def test_plain_files_are_read_exactly():
    for size in ((1, 1), (1, 300), (257, 3), (64, 64)):
        pixels = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
        read = read_fast_png(encode_png(pixels).data, LIMIT)
        np.testing.assert_array_equal(read, pixels)
        assert read.flags.writeable and read.flags.c_contiguous


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12), st.sampled_from([4, 256]))
def test_every_filter_is_undone(seed, width, height, levels):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, levels, (height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 0] = rng.integers(0, 5, height)
    data = png(width, height, data=zlib.compress(rows.tobytes()))
    np.testing.assert_array_equal(read_fast_png(data, LIMIT), np.asarray(Image.open(io.BytesIO(data))))


@pytest.mark.parametrize("name", FILES)
def test_only_plain_files_take_the_fast_way(name, monkeypatch):
    assert (read_fast_png(FILES[name], LIMIT) is not None) == (name == "png")
    assert outcome(FILES[name]) == by_pillow(FILES[name], monkeypatch)


def turned():
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif.tobytes()


EXTRAS = {
    "orientation": save(RGB, "PNG", exif=turned()),
    "profile": save(RGB, "PNG", icc_profile=b"broken"),
    "transparent colour": save(RGB, "PNG", transparency=(0, 0, 0)),
    "grey": save(RGB.convert("L"), "PNG"),
    "orientation in a text": png(5, 4, chunk(b"tEXt", b"Raw profile type exif\0\nexif\n8\n4d4d002a00000008")),
    "16 bits": png(2, 2, depth=16, data=zlib.compress(bytes(2 * 13))),
    "unknown chunk": png(5, 4, chunk(b"abCd", b"what is it")),
    "header of no use": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"short") + chunk(b"IEND", b""),
    "no header": b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", zlib.compress(b"\0abc")) + chunk(b"IEND", b""),
    "too large": png(2000, 2000),
    "no rows": png(5, 4, data=zlib.compress(b"")),
    "empty": png(0, 4),
    "unknown filter": png(5, 4, data=zlib.compress(bytes([5] + [0] * 15) * 4)),
    "two headers": png(5, 4, png(5, 4)[8:33]),
    "pixels in two places": png(5, 4, chunk(b"IDAT", zlib.compress(bytes(64))[:9]), chunk(b"tEXt", b"Title\0Sea")),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_everything_else_is_left_to_pillow(name, monkeypatch):
    assert read_fast_png(EXTRAS[name], LIMIT) is None
    assert outcome(EXTRAS[name]) == by_pillow(EXTRAS[name], monkeypatch)


def test_rows_beyond_the_last_change_nothing(monkeypatch):
    data = png(5, 4, data=zlib.compress(bytes(16 * 400)))
    assert outcome(data) == by_pillow(data, monkeypatch)


def test_a_note_is_harmless():
    np.testing.assert_array_equal(read_fast_png(png(5, 4, chunk(b"tEXt", b"Title\0Sea")), LIMIT), np.zeros((4, 5, 3)))


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.floats(0, 0.9999), st.integers(0, 255), st.one_of(st.just(1.0), st.floats(0, 1)))
def test_damage_is_noticed_as_by_pillow(position, bits, keep):
    data = bytearray(FILES["png"][: int(len(FILES["png"]) * keep)])
    if data:
        data[int(position * len(data))] ^= bits
    read = read_fast_png(bytes(data), LIMIT)
    assert read is None or (read == photo()).all()


GREYS = Palette(tuple(map(str, range(255))), tuple((n, n, n) for n in range(255)))
FEW = Palette(("sky", "sea", "sand", "sun"), ((90, 160, 255), (0, 0, 120), (230, 200, 140), (255, 240, 0)))
TABLE = chunk(b"PLTE", bytes(FEW.array.tobytes()))


def labels_of(data, palette=GREYS):
    try:
        return read_labels(data, palette).tolist()
    except PixelProofError as error:
        return str(error)


def labels_by_pillow(data, monkeypatch, palette=GREYS):
    with monkeypatch.context() as patch:
        patch.setattr(_labels, "read_fast_labels", lambda data, max_pixels: None)
        return labels_of(data, palette)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12), st.sampled_from([0, 3]))
def test_every_filter_of_single_bytes_is_undone(seed, width, height, colour):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (height, 1 + width), dtype=np.uint8)
    rows[:, 0] = rng.integers(0, 5, height)
    data = png(width, height, *([TABLE] if colour else []), colour=colour, data=zlib.compress(rows.tobytes()))
    read = read_fast_labels(data, LIMIT)
    np.testing.assert_array_equal(read.values, np.asarray(Image.open(io.BytesIO(data))))
    assert read.values.flags.writeable and read.values.flags.c_contiguous
    assert (read.colours is None) == (colour == 0)


LABELS = np.random.default_rng(1).integers(0, 4, (9, 13)).astype(np.uint8)
SWAPPED = Image.fromarray((LABELS + 1) % 4)
SWAPPED.putpalette(np.roll(FEW.array, 1, axis=0).tobytes() * 64)  # Pillow saves short tables with fewer bits
CLEAR = Image.fromarray(LABELS)
CLEAR.putpalette(FEW.array.tobytes())
MAPS = {
    "marked": encode_labels(LABELS, FEW).data,
    "colours in another order": save(SWAPPED, "PNG"),
    "grey": save(Image.fromarray(LABELS), "PNG"),
    "ids that are none": save(Image.fromarray(LABELS + np.uint8(9)), "PNG"),
    "transparent index": save(CLEAR, "PNG", transparency=2),
    "painted": encode_png(FEW.paint(LABELS)).data,
    "2 bits": save(CLEAR, "PNG", bits=2),
    "16 bits": save(Image.fromarray(LABELS.astype(np.uint16)), "PNG"),
    "no colour table": png(5, 4, colour=3, data=zlib.compress(bytes(6 * 4))),
    "broken colour table": png(5, 4, chunk(b"PLTE", b"abcd"), colour=3, data=zlib.compress(bytes(6 * 4))),
    "two colour tables": png(5, 4, TABLE, TABLE, colour=3, data=zlib.compress(bytes(6 * 4))),
    "a grey image with a colour table": png(5, 4, TABLE, colour=0, data=zlib.compress(bytes(6 * 4))),
    "rows missing": png(5, 4, colour=0, data=zlib.compress(bytes(6 * 3))),
    "unknown filter": png(5, 4, colour=0, data=zlib.compress(bytes([7] * 24))),
}
FAST = {"marked", "colours in another order", "grey", "ids that are none"}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_label_maps_are_read_as_by_pillow(name, monkeypatch):
    assert (read_fast_labels(MAPS[name], LIMIT) is not None) == (name in FAST)
    for palette in (FEW, GREYS):
        assert labels_of(MAPS[name], palette) == labels_by_pillow(MAPS[name], monkeypatch, palette)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(st.floats(0, 0.9999), st.integers(1, 255), st.sampled_from(["marked", "grey"]))
def test_damage_to_a_label_map_is_noticed(position, bits, name):
    data = bytearray(MAPS[name])
    data[int(position * len(data))] ^= bits
    read = read_fast_labels(bytes(data), LIMIT)
    assert read is None or (read.values == LABELS).all()
