"""Leftmost, nearest and the like go by where things end, and never set a thing against what carries it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.world.language import Sentence, questions, view_of
from pixelproof.world.language._truth import BEATS, Phrase, more_left, most
from pixelproof.world.language.words import OBJECT
from world.language.scenes import random_view, solid_scene, thing, view

RNG = np.random.default_rng
ANY = Phrase(OBJECT)
SIDES = ("leftmost", "rightmost", "nearest", "farthest")


def said(text, *about):
    return Sentence("expression", "superlative", text, about=about)


def test_a_small_thing_before_a_wide_one_is_not_leftmost():
    wide = thing("tray", "tray", "blue", at=(0.1, 0.2), size=(0.8, 0.2, 0.02))
    small = thing("mug", at=(-0.1, -0.2))
    seen = view(wide, small)
    assert seen["mug"].centre[0] < seen["tray"].centre[0] - 0.05  # by centres it would be
    assert most(seen, "leftmost", ANY) is None
    assert more_left(seen, seen["mug"], seen["tray"]) is None
    assert check(seen, said("the leftmost object", "mug"))
    further = view(wide, thing("mug", at=(-0.5, -0.2)))
    assert most(further, "leftmost", ANY).id == "mug"
    assert check(further, said("the leftmost object", "mug")) == []


def test_a_wide_thing_is_leftmost_by_its_left_end_but_not_further_left_with_both():
    seen = view(thing("tray", "tray", "blue", at=(-0.1, 0.2), size=(0.8, 0.2, 0.02)), thing("mug", at=(0.1, -0.2)))
    assert most(seen, "leftmost", ANY).id == "tray"
    assert check(seen, said("the leftmost object", "tray")) == []
    assert more_left(seen, seen["tray"], seen["mug"]) is None  # nor is the mug further to the right


def test_a_deep_thing_may_begin_before_what_is_nearer_by_its_centre():
    seen = view(thing("tray", "tray", "blue", at=(0.2, 0.1), size=(0.1, 0.9, 0.02)), thing("mug", at=(-0.2, -0.1)))
    assert most(seen, "nearest", ANY) is None
    assert check(seen, said("the object closest to the viewer", "mug"))
    nearer = view(thing("tray", "tray", "blue", at=(0.2, 0.2), size=(0.1, 0.3, 0.02)), thing("mug", at=(-0.2, -0.2)))
    assert most(nearer, "nearest", ANY).id == "mug"
    assert check(nearer, said("the object closest to the viewer", "mug")) == []


@pytest.mark.parametrize("superlative", SIDES)
def test_a_thing_is_not_set_against_what_carries_it(superlative):
    """Not even where it hangs over the edge, nor through something between them."""
    seen = view(
        thing("box", "cardboard box", "", "cardboard", size=(0.1, 0.1, 0.1)),
        thing("tray", "tray", "blue", at=(0.01, 0.0), size=(0.12, 0.12, 0.02), support="box"),
        thing("mug", at=(-0.3, -0.3), support="tray"),
    )
    for one, other in itertools.permutations(seen.things, 2):
        assert BEATS[superlative](seen, one, other) is None
    assert most(seen, superlative, ANY) is None
    words = {"nearest": "the object closest to the viewer", "farthest": "the object farthest from the viewer"}
    for one in seen.things:
        assert check(seen, said(words.get(superlative, f"the {superlative} object"), one.id))


def test_a_tall_thing_on_the_table_is_not_lower_than_a_short_one_on_a_box():
    seen = view(
        thing("box", "cardboard box", "", "cardboard", at=(0.3, 0.0), size=(0.1, 0.1, 0.1)),
        thing("vase", "vase", "blue", at=(-0.3, 0.0), size=(0.1, 0.1, 0.5)),
    )
    assert most(seen, "highest", ANY) is None
    assert check(seen, Sentence("expression", "superlative", "the highest object", about=("vase",)))


@pytest.mark.slow
@given(st.integers(0, 400))
def test_choices_never_carry_each_other(seed):
    seen = random_view(seed)
    for made in questions(seen, random_view(seed + 1), RNG(seed), 2, ("choice",), forms=("which",)):
        if made.form == "which":
            assert not any(seen.stacked(one, other) for one, other in itertools.combinations(made.about, 2))


def test_the_checker_refuses_choices_that_carry_each_other():
    seen = view(
        thing("tray", "tray", "blue", at=(0.3, 0.0), size=(0.2, 0.2, 0.02)),
        thing("mug", at=(0.3, 0.0), support="tray"),
        thing("hat", "hat", "red", at=(-0.4, 0.0)),
    )
    asked = Sentence(
        "choice", "which", "Which of these is furthest to the left?", "the hat", ("the hat", "the mug", "the tray")
    )
    assert check(seen, asked) == ["one of the choices carries another"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tabletop", "room", "shelf"])
def test_pictures_show_it_so(kind):
    """Masks of the renderer, which knows nothing of boxes: what is said to be at a side reaches furthest there."""
    from pixelproof.world.solid.render import render

    tried = 0
    for index in range(4):
        scene = solid_scene(kind, index)
        layers = render(scene, 256, quality="draft", layers=("ids", "amodal", "visible"))
        columns = {
            one.id: np.flatnonzero(mask.any(axis=0))
            for one, mask in zip(scene.things, layers.amodal, strict=True)
            if mask.any()
        }
        seen = view_of(scene)
        for side, end in (("leftmost", np.min), ("rightmost", lambda found: -np.max(found))):
            best = most(seen, side, ANY)
            if best and best.id in columns:
                tried += 1
                assert end(columns[best.id]) == min(end(found) for found in columns.values())
        for seed in range(30):
            asked = questions(seen, seen, RNG(seed), 1, ("open",), forms=("which",))
            made = asked[0] if asked else None
            if made and set(made.about) <= set(columns):
                first, second = (columns[id] for id in made.about)
                left = bool(np.min(first) < np.min(second)) and bool(np.max(first) < np.max(second))
                right = bool(np.min(first) > np.min(second)) and bool(np.max(first) > np.max(second))
                assert left != right
                named = made.text.partition(", ")[2].partition(" or ")[0]
                assert (made.answer == named) == (left == ("left" in made.text.split(",")[0]))
                tried += 1
    assert tried > 20
