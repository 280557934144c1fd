"""Run-length encoding of masks, as in COCO."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pixelproof.contract import PixelProofError
from pixelproof.tools import decode_mask, encode_mask

# From pycocotools 2.0.11: mask.encode(np.asfortranarray(mask)).
COCO = {
    "01010/11111/00100": "1111120MO",
    "0110/1001/1001/0110": "121O110OO10",
    "00/00": "4",
    "11/11": "04",
}


def mask_of(text):
    return np.array([[mark == "1" for mark in row] for row in text.split("/")])


@pytest.mark.parametrize("text", COCO)
def test_encodings_are_those_of_pycocotools(text):
    assert encode_mask(mask_of(text))["counts"] == COCO[text]


@settings(max_examples=60, deadline=None)
@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=40)))
def test_encoding_is_lossless(mask):
    coded = encode_mask(mask)
    assert coded["size"] == list(mask.shape)
    assert np.array_equal(decode_mask(coded), mask)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=12), st.lists(st.integers(-2, 9), max_size=3))
def test_damaged_encodings_are_refused(counts, size):
    try:
        mask = decode_mask({"size": size, "counts": counts})
    except PixelProofError:
        return
    assert mask.shape == tuple(size)
