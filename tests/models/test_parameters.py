"""Parameters in the names of models."""

from __future__ import annotations

import re

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.models._parameters import SIZE, YES_OR_NO, split_parameters


def test_parameters_are_read_from_the_name():
    known = {"size": SIZE, "seed": YES_OR_NO}
    assert split_parameters("x", "a/b:free?size=8x8&seed=no", known) == ("a/b:free", {"size": "8x8", "seed": "no"})
    assert split_parameters("x", "model", known) == ("model", {})


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("m?siz=1x1", "There is no kind parameter 'siz'; did you mean 'size'? Choose one of: size, seed."),
        ("m?size=big", "size cannot be 'big'; it must be auto or WIDTHxHEIGHT, such as 1024x1024."),
        ("m?size=1x1 ", "cannot be"),
        ("m?size=", "cannot be"),
        ("m?size", "write parameters like"),
        ("m?", "write parameters like"),
        ("m?size=1x1&size=2x2", "twice"),
        ("?size=1x1", "has no model before"),
    ],
)
def test_wrong_parameters_are_refused(spelling, words):
    with pytest.raises(PixelProofError, match=re.escape(words)):
        split_parameters("kind/" + spelling, spelling, {"size": SIZE, "seed": YES_OR_NO})
