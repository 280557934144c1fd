import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.pixels import media_type_of

from .samples import sample_files

FILES = sample_files()


def test_every_format_is_known_by_its_first_bytes():
    expected = {"png": "image/png", "apng": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}
    expected |= {"gif": "image/gif", "bmp": "image/bmp"}
    for name, data in FILES.items():
        assert media_type_of(data) == expected[name.split("-")[0]], name


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"", "application/octet-stream"),
        (b"BMP files begin like this sentence.", "application/octet-stream"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", "application/octet-stream"),
        (b"II*\x00\x08\x00\x00\x00", "image/tiff"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "application/postscript"),
        (b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00", "image/avif"),
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b"\n <svg/>", "image/svg+xml"),
        (b'<?xml version="1.0"?><html/>', "application/octet-stream"),
    ],
)
def test_other_files(data, media_type):
    assert media_type_of(data) == media_type


@given(st.text())
def test_plain_words_are_no_picture(text):
    assert media_type_of(b"Sorry, " + text.encode("utf-8", "replace")) == "application/octet-stream"
