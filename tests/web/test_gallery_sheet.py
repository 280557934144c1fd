import base64
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.pixels import encode_png
from pixelproof.store import BlobStore
from pixelproof.web import EmbeddedSheet, LinkedSheet, data_uri, evenly


def png(seed=0, side=8):
    return encode_png(np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)).data


@given(st.integers(1, 300), st.data())
def test_any_beginning_is_spread_evenly(n, data):
    order = list(evenly(n))
    assert sorted(order) == list(range(n))
    k = data.draw(st.integers(1, n))
    chosen = sorted(order[:k])
    gaps = np.diff([*chosen, n])
    assert max(gaps) <= 4 * n / k + 1


def test_a_small_picture_goes_in_as_it_is():
    head, _, data = data_uri(png()).partition(",")
    assert head == "data:image/png;base64" and base64.b64decode(data) == png()


@pytest.mark.slow
def test_a_large_picture_is_reduced():
    uri = data_uri(png(side=800))
    head, _, data = uri.partition(",")
    assert head == "data:image/webp;base64" and len(uri) < len(png(side=800))
    with Image.open(io.BytesIO(base64.b64decode(data))) as small:
        assert small.size == (640, 640)


@pytest.mark.parametrize("data", [b"<svg onload=alert(1)>", b"<html>", b"", b"BM" + b"\0" * 60, b"%PDF-1.7"])
def test_what_is_no_plain_picture_is_not_shown(data):
    assert data_uri(data) is None


@pytest.fixture
def blobs(tmp_path):
    return BlobStore(tmp_path)


def test_an_image_is_embedded_once(blobs):
    keys = [blobs.put(png(i)) for i in (0, 1)]
    sheet = EmbeddedSheet(10**6)
    assert [sheet.place(key, blobs) for key in (keys[0], keys[1], keys[0])] == [0, 1, 0]
    assert sheet.uris == [data_uri(png(0)), data_uri(png(1))]


def test_the_budget_holds_and_nothing_is_read_beyond_it(blobs):
    size = len(data_uri(png(0)))
    sheet = EmbeddedSheet(int(2.5 * size))
    keys = [blobs.put(png(i)) for i in range(9)]
    for key in keys[3:]:
        blobs.path(key).unlink()
    assert [sheet.place(key, blobs) for key in keys] == [0, 1] + [None] * 7
    assert sheet.full and sheet.unreadable == 0 and sum(map(len, sheet.uris)) <= 2.5 * size
    assert sheet.place(keys[0], blobs) == 0


SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"


@pytest.mark.parametrize("make", [lambda: EmbeddedSheet(10**6), lambda: LinkedSheet("/files/{}".format)])
def test_a_missing_image_is_counted_and_does_no_harm(blobs, make):
    sheet = make()
    for key in ("f" * 64, "../escape", "", blobs.put(SVG), blobs.put(b"text")):
        assert sheet.place(key, blobs) is None
    assert sheet.unreadable == 5 and not sheet.full and sheet.uris == []


@pytest.mark.slow
def test_an_image_that_cannot_be_reduced_is_counted(blobs):
    sheet = EmbeddedSheet(10**6)
    assert sheet.place(blobs.put(png(side=800)[:200_000]), blobs) is None and sheet.unreadable == 1


def test_linked_images_have_addresses_and_no_budget(blobs):
    keys = [blobs.put(png(i)) for i in range(5)]
    sheet = LinkedSheet("/files/{}".format)
    assert [sheet.place(key, blobs) for key in [*keys, keys[2]]] == [0, 1, 2, 3, 4, 2]
    assert sheet.uris == [f"/files/{key}" for key in keys] and not sheet.full
