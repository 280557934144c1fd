import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.pixels import Palette, declared_palette

LABELS = ("background", "left_eye", "eye", "hair", "sports ball", "ball")
PALETTE = Palette(LABELS, ((0, 0, 0), (1, 2, 3), (255, 0, 0), (12, 200, 7), (9, 9, 90), (250, 250, 0)))


def hexadecimal(colour):
    return "#" + bytes(colour).hex()


COLOURS = PALETTE.to_json().items()
ROWS = [f"| **{label.title()}** | `{hexadecimal(colour).upper()}` |" for label, colour in COLOURS]
FORMS = {
    "lines": "\n".join(f"{label}: {colour}" for label, colour in COLOURS),
    "a list": "Done!\n```\n" + "\n".join(f"- {a.replace('_', ' ')} = {hexadecimal(b)}" for a, b in COLOURS) + "\n```",
    "JSON": json.dumps(PALETTE.to_json(), indent=4),
    "one line of JSON": json.dumps(PALETTE.to_json()),
    "a table": "\n".join(["| label | colour |", "|---|---|", *ROWS]),
    "colours first": "\n".join(f"{hexadecimal(colour)} → {label}" for label, colour in COLOURS),
    "tuples": ", ".join(f"{label} (rgb({red},{green}, {blue}))" for label, (red, green, blue) in COLOURS),
}


@pytest.mark.parametrize("form", FORMS)
def test_legends_as_models_write_them(form):
    assert declared_palette(FORMS[form], LABELS) == PALETTE


def test_only_what_is_declared():
    found = declared_palette("hair: [1, 1, 1], dragon: [2, 2, 2]", LABELS)
    assert found == Palette(("hair",), ((1, 1, 1),))


@pytest.mark.parametrize(
    "text", ["", "A mask of hair and eyes.", "hair: [300, 0, 0]", "#ffffff", "hair " + "x" * 80 + " #ffffff"]
)
def test_nothing_declared(text):
    assert declared_palette(text, LABELS) is None


def test_the_last_word_on_a_label_counts_and_no_colour_is_shared():
    assert declared_palette("hair: #000001\nhair: #000002", LABELS).colours == ((0, 0, 2),)
    assert declared_palette("hair: #000001\nball: #000001", LABELS).labels == ("hair",)


@given(st.text(max_size=300))
def test_any_text_is_read_without_complaint(text):
    found = declared_palette(text, LABELS)
    assert found is None or set(found.labels) <= set(LABELS)


@given(st.dictionaries(st.sampled_from(LABELS), st.tuples(*[st.integers(0, 255)] * 3), min_size=1))
def test_what_is_written_is_read(colours):
    text = "\n".join(f"{label}: {list(colour)}" for label, colour in colours.items())
    found = declared_palette(text, LABELS)
    assert all(tuple(colour) == colours[label] for label, colour in found.to_json().items())
    assert len(found) == len(set(colours.values()))
