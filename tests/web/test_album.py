import base64
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.web import Album, data_uri, evenly


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


def test_a_large_picture_is_reduced():
    uri = data_uri(png(side=800))
    head, _, data = uri.partition(",")
    assert head == "data:image/webp;base64" and len(uri) < len(png(side=800))
    with Image.open(io.BytesIO(base64.b64decode(data))) as small:
        assert small.size == (640, 640)


@pytest.mark.parametrize("data", [b"<svg onload=alert(1)>", b"<html>", b"", b"BM" + b"\0" * 60, b"%PDF-1.7"])
def test_what_is_no_plain_picture_is_not_shown(data):
    assert data_uri(data) is None


def test_pictures_are_stored_once():
    album, loads = Album(10**6), []

    def load(key):
        loads.append(key)
        return png(int(key))

    assert [album.place(key, load) for key in "010"] == [0, 1, 0]
    assert loads == ["0", "1"] and len(album.uris) == 2


def test_the_budget_holds_and_nothing_is_loaded_beyond_it():
    size = len(data_uri(png(0)))
    album, loads = Album(int(2.5 * size)), []

    def load(key):
        loads.append(key)
        return png(int(key))

    places = [album.place(str(i), load) for i in range(9)]
    assert places == [0, 1] + [None] * 7 and album.full
    assert sum(map(len, album.uris)) <= 2.5 * size and len(loads) == 3
    assert album.place("0", load) == 0  # what is in, stays


def test_a_missing_picture_is_counted_and_does_no_harm():
    def load(key):
        if key == "gone":
            raise PixelProofError("gone")
        return png(side=800)[:200_000]  # large and torn: reducing it fails

    album = Album(10**6)
    assert album.place("gone", load) is None and album.place("torn", load) is None
    assert album.unreadable == 2 and not album.full
