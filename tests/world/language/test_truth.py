"""Relations are true, false or open, and what is open is not spoken of."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.world.language import Sentence, refer
from pixelproof.world.language._truth import BEATS, Phrase, count, is_a, most, relation
from pixelproof.world.language.words import RELATIONS
from world.language.scenes import mirrored, random_view, thing, view

RNG = np.random.default_rng


def two(x, y, **more):
    return view(thing("one", at=(0.0, 0.0)), thing("two", "bowl", at=(x, y), **more))


@pytest.mark.parametrize(
    ("x", "y", "left", "front"),
    [
        (0.30, 0.0, True, None),
        (-0.30, 0.0, False, None),
        (0.03, 0.0, None, None),  # too close to say
        (0.30, 0.4, None, True),  # more behind than beside
        (0.0, 0.3, None, True),
        (0.0, -0.3, None, False),
    ],
)
def test_left_and_in_front(x, y, left, front):
    seen = two(x, y)
    one, other = seen["one"], seen["two"]
    assert relation(seen, "left", one, other) is left
    assert relation(seen, "right", other, one) is left
    assert relation(seen, "front", one, other) is front
    assert relation(seen, "behind", other, one) is front


def test_a_long_thing_is_not_beside_what_is_before_it():
    assert relation(two(0.2, 0.1, size=(0.8, 0.1, 0.1)), "left", *two(0.2, 0.1, size=(0.8, 0.1, 0.1)).things) is None


def test_on():
    seen = view(thing("tray", "tray"), thing("mug", support="tray"), thing("egg", "banana", "", support="mug"))
    assert relation(seen, "on", seen["mug"], seen["tray"]) is True
    assert relation(seen, "on", seen["egg"], seen["tray"]) is None
    assert relation(seen, "on", seen["tray"], seen["mug"]) is False
    assert relation(seen, "left", seen["mug"], seen["tray"]) is None


@pytest.mark.slow
@given(st.integers(0, 500))
def test_relations_are_never_true_both_ways(seed):
    seen = random_view(seed)
    for one, other in itertools.permutations(seen.things, 2):
        for name in RELATIONS:
            assert not (relation(seen, name, one, other) and relation(seen, name, other, one))
        assert sum(bool(relation(seen, name, one, other)) for name in ("left", "right", "front", "behind")) <= 1
        for beats in BEATS.values():
            first, second = beats(seen, one, other), beats(seen, other, one)
            assert (first is None) == (second is None)
            assert first is None or first is not second


@pytest.mark.slow
@given(st.integers(0, 300))
def test_a_mirror_exchanges_left_and_right_and_nothing_else(seed):
    seen = random_view(seed)
    glass = mirrored(seen)
    swapped = {"left": "right", "right": "left"}
    for one, other in itertools.permutations(seen.things, 2):
        for name in RELATIONS:
            there = relation(glass, swapped.get(name, name), glass[one.id], glass[other.id])
            assert relation(seen, name, one, other) is there


def test_words_that_may_be_confused_leave_things_open():
    seen = view(thing("one", colour="navy"), thing("two", "notebook", "red", "paper", at=(0.3, 0)))
    assert is_a(seen["one"], Phrase("mug", "navy")) is True
    assert is_a(seen["one"], Phrase("mug", "blue")) is None
    assert is_a(seen["one"], Phrase("mug", "yellow")) is False
    assert count(seen, Phrase("mug", "blue")) is None
    assert count(seen, Phrase("book")) is None
    assert count(seen, Phrase("notebook")) == 1
    assert count(seen, Phrase("hammer")) == 0


def test_things_that_are_hardly_seen_leave_counts_open():
    from pixelproof.world.language import view_of
    from world.language.scenes import scene

    made = scene(thing("one"), thing("two", colour="blue", at=(0.3, 0)))
    assert count(view_of(made), Phrase("mug")) == 2
    assert count(view_of(made, {"two": 0.1}), Phrase("mug")) is None
    assert count(view_of(made, {"two": 0.0}), Phrase("mug")) == 1


def test_superlatives_need_a_margin():
    mugs = [thing(f"mug-{i}", at=(x, 0.0)) for i, x in enumerate((-0.3, 0.0, 0.3))]
    assert most(view(*mugs), "leftmost", Phrase("mug")).id == "mug-0"
    close = [*mugs, thing("mug-3", at=(-0.28, 0.0))]
    assert most(view(*close), "leftmost", Phrase("mug")) is None
    assert most(view(mugs[0]), "leftmost", Phrase("mug")) is None


def test_expressions_are_as_short_as_they_can_be():
    seen = view(
        thing("one", colour="red", at=(-0.3, 0.0)),
        thing("two", colour="green", at=(0.0, 0.0)),
        thing("three", "hammer", "red", "rubber", at=(0.3, 0.0)),
    )
    texts = {id: {refer(seen, id, RNG(seed)).text for seed in range(60)} for id in ("one", "three")}
    assert {"the red mug", "the leftmost mug"} <= texts["one"]
    assert "the hammer" in texts["three"]
    assert "the mug" not in texts["one"]
    shortest = [refer(seen, "three", RNG(seed)).text == "the hammer" for seed in range(200)]
    assert sum(shortest) > 120


def test_twins_are_told_apart_by_what_is_beside_them():
    seen = view(
        thing("one", at=(-0.5, 0.0)),
        thing("two", at=(0.25, 0.0)),
        thing("three", at=(0.5, 0.0)),
        thing("jug", "jug", "blue", at=(0.05, 0.0)),
    )
    texts = {refer(seen, "one", RNG(seed)).text for seed in range(60)}
    assert "the mug that is to the left of the jug" in texts
    middle = {refer(seen, "two", RNG(seed)) for seed in range(20)}
    assert middle == {None}  # two mugs are right of the jug, and it is neither leftmost nor rightmost


def test_what_cannot_be_told_apart_is_not_referred_to():
    seen = view(thing("one", at=(0.0, 0.0)), thing("two", at=(0.01, 0.0)))
    assert refer(seen, "one", RNG(0)) is None
    assert check(seen, Sentence("expression", "noun", "the red mug", about=("one",)))
