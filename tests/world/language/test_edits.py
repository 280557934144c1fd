"""Instructions say what is carried out, to half a percent, in many words; and refuse what cannot be seen."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.language import LANGUAGES, WAYS, Edit, instruct
from pixelproof.world.language._numbers import number
from pixelproof.world.language.view import AMOUNTS
from pixelproof.world.solid.shapes import category, new_thing
from world.language.scenes import thing, view

SEEN = view(
    thing("mug", colour="red", at=(-0.4, 0.0)),
    thing("bowl", "bowl", "green", at=(0.0, 0.0), symmetry="Cinf"),
    thing("box", "cardboard box", "", "cardboard", at=(0.4, 0.0), size=(0.2, 0.2, 0.1), symmetry="C2"),
)
RNG = np.random.default_rng
AMOUNT = {"turn": 45.0, "turn camera": 15.0, "scale": 1.5, "zoom camera": 1.3, "remove": 0.0, "swap": 0.0, "put": 0.0}
EDITS = [
    Edit(
        action,
        "" if "camera" in action else "mug",
        way,
        AMOUNT.get(action, 0.123),
        {"place": "bowl", "swap": "bowl", "put": "table" if way else "box"}.get(action, ""),
    )
    for action, ways in WAYS.items()
    for way in ways
    if action != "insert" and not (action == "move" and way in ("up", "down"))
]
MUG = new_thing("new", "mug", {key: sum(ends) / 2 for key, ends in category("mug").ranges.items()}, colour="blue",
                material="plastic", position=(0.0, 0.0, 0.0))  # fmt: skip
EDITS += [Edit("insert", "new", way, 0.123, "bowl", thing=MUG) for way in WAYS["insert"]]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.action} {edit.way}")
def test_every_edit_has_several_wordings_and_all_are_right(edit, language):
    made = [instruct(SEEN, edit, RNG(seed), language) for seed in range(40)]
    for sentence in made:
        assert check(SEEN, sentence) == [], sentence
        assert sentence.edit is edit
    patterns = {sentence.text.replace("the red mug", "the mug").replace("红色", "") for sentence in made}
    assert len(patterns) >= 2


@pytest.mark.slow
@given(st.sampled_from(list(AMOUNTS)), st.floats(0, 1), st.integers(0, 99))
def test_numbers_are_those_that_are_carried_out(action, share, seed):
    edit = next(edit for edit in EDITS if edit.action == action)
    low, high = {"turn": (10, 170), "move": (0.01, 0.17), "place": (0.11, 0.55)}.get(action, AMOUNTS[action])
    edit = replace(edit, amount=low * (high / low) ** share)
    assume(action != "scale" or abs(edit.amount - 1) > 0.05)
    for language in LANGUAGES:
        text = instruct(SEEN, edit, RNG(seed), language).text
        numbers = re.findall(r"(\d+(?:\.\d+)?) ?(cm|%|厘米)?", text)
        said = sorted(float(number) * (0.01 if unit else 1.0) for number, unit in numbers)
        wanted = sorted([edit.amount, MUG.size[2]] if action == "insert" else [edit.amount])
        assert said == pytest.approx(wanted, rel=0.005)


@given(st.floats(1e-6, 1e6))
def test_numbers_are_short_and_close(value):
    text = number(value)
    assert float(text) == pytest.approx(value, rel=0.005)
    assert "e" not in text


@pytest.mark.parametrize(
    "edit",
    [
        Edit("turn", "bowl", "clockwise", 45.0),  # it is round
        Edit("turn", "box", "clockwise", 180.0),
        Edit("move", "table", "left", 0.1),
        Edit("move", "mug", "up", 0.1),
        Edit("move", "mug", "left", 0.0),
        Edit("move", "mug", "left", float("nan")),
        Edit("scale", "mug", "", 1.0),
        Edit("place", "mug", "left", 0.1),
        Edit("swap", "mug", anchor="mug"),
        Edit("remove", "mug", amount=0.2),
        Edit("paint", "mug"),
    ],
)
def test_edits_that_make_no_sense_are_refused(edit):
    with pytest.raises(PixelProofError, match=r"\.$"):
        instruct(SEEN, edit, RNG(0))


def test_languages_that_are_not_known_are_refused():
    with pytest.raises(PixelProofError, match="en, zh"):
        instruct(SEEN, Edit("remove", "mug"), RNG(0), "fr")


def test_nothing_is_said_of_what_cannot_be_named():
    twins = view(thing("one"), thing("two", at=(0.01, 0.0)))
    assert instruct(twins, Edit("remove", "one"), RNG(0)) is None
    filming = view(thing("one"), thing("two", "camera", "black", at=(0.3, 0.0)))
    assert instruct(filming, Edit("move camera", way="left", amount=0.1), RNG(0)) is None


@pytest.mark.parametrize(
    ("edit", "texts"),
    [
        (Edit("move", "mug", "left", 0.12), {"Move the mug 12 cm to the left.", "Slide the mug to the left by 12 cm."}),
        (Edit("put", "mug", "", 0.0, "box"), {"Put the mug in the cardboard box."}),
        (Edit("scale", "mug", "", 0.5), {"Resize the mug to 50 % of its current height, width and depth."}),
    ],
)
def test_how_instructions_read(edit, texts):
    assert texts <= {instruct(SEEN, edit, RNG(seed)).text for seed in range(100)}


def test_how_instructions_read_in_chinese():
    edit = Edit("place", "mug", "behind", 0.2, "bowl")
    texts = {instruct(SEEN, edit, RNG(seed), "zh").text for seed in range(60)}
    assert "把马克杯放到碗的后面，两者中心相距20厘米。" in texts
