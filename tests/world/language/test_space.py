"""Questions of space: what is true, what is false, and what is too close to say."""

import re
from dataclasses import replace

import numpy as np
import pytest

from oracles.language import check
from pixelproof.world.language import Sentence, questions, view_of
from pixelproof.world.solid import Camera, yaw
from world.language.scenes import random_scene, scene, thing, view

RNG = np.random.default_rng
NOUNS = ["mug", "tray", "candle", "chair", "toy car", "hat", "camera"]


@pytest.mark.parametrize(("turned", "answer"), [(0.0, "right"), (180.0, "left"), (90.0, ""), (30.0, "right")])
def test_left_of_a_chair_is_as_somebody_on_it_has_it(turned, answer):
    """A chair that faces the viewer has its left where the viewer has the right."""
    chair = thing("chair", "chair", at=(0.0, 0.0), size=(0.3, 0.3, 0.4), rotation=yaw(turned), front=(0.0, -1.0, 0.0))
    seen = view(chair, thing("mug", at=(-0.4, 0.0)))
    asked = questions(seen, seen, RNG(0), 6, ("open",), forms=("own-frame",))
    assert {made.answer for made in asked} == ({answer} if answer else set())
    text = "From the point of view of the chair, is the mug on its left or on its right?"
    for side in ("left", "right"):
        problems = check(seen, Sentence("open", "own-frame", text, side, about=("chair", "mug")))
        assert (problems == []) == (side == answer)


def test_what_lies_has_no_left_of_its_own():
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    chair = thing("chair", "chair", size=(0.3, 0.3, 0.4), rotation=lying, front=(0.0, -1.0, 0.0))
    assert view(chair).things[0].front is None


def test_in_front_of_a_thing_with_a_front_is_not_said():
    chair = thing("chair", "chair", at=(0.0, 0.2), size=(0.2, 0.2, 0.3), rotation=yaw(180.0), front=(0.0, -1.0, 0.0))
    seen = view(chair, thing("mug", at=(0.0, -0.3)))
    (problem,) = check(seen, Sentence("yes-no", "depth", "Is the mug in front of the chair?", "yes"))
    assert "two readings" in problem
    plain = view(replace(chair, front=None), thing("mug", at=(0.0, -0.3)))
    assert check(plain, Sentence("yes-no", "depth", "Is the mug in front of the chair?", "yes")) == []


@pytest.mark.parametrize(
    ("x", "y", "answer"),
    [(0.0, 0.0, "yes"), (0.0, 0.09, "yes"), (0.5, 0.0, "no"), (0.0, 0.9, "no"), (0.22, 0.0, ""), (0.0, 0.2, "")],
)
def test_between_has_a_margin_on_both_sides(x, y, answer):
    ends = thing("hat", "hat", "blue", at=(-0.35, 0.0)), thing("drum", "drum", "green", at=(0.35, 0.0))
    seen = view(
        *ends, thing("mug", at=(x, y), size=(0.05, 0.05, 0.05)), camera=Camera.looking_at((0, 0, 0.75), (0, -1.3, 2))
    )
    for said in ("yes", "no"):
        asked = Sentence("yes-no", "between", "Is the mug between the hat and the drum?", said)
        assert (check(seen, asked) == []) == (said == answer), said


@pytest.mark.slow
def test_depth_that_a_person_cannot_tell_is_not_asked_for():
    """Ten centimetres are clear on a table before one, and not three metres away."""
    mugs = thing("one", colour="red", at=(-0.3, 0.0)), thing("two", colour="green", at=(0.3, 0.13))
    asked = Sentence("open", "depth", "Which is closer to the viewer, the red mug or the green mug?", "the red mug")
    near, far = (view(*mugs, camera=Camera.looking_at((0, 0, 0.75), (0, -away, 0.9))) for away in (1.2, 4.0))
    assert check(near, asked) == []
    assert check(far, asked)
    assert not questions(far, far, RNG(0), 8, ("open",), forms=("depth",))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_fact_is_asked_for_twice(seed):
    """Neither reversed (left of, right of) nor in other words (which is further to the left)."""
    seen, foil = view_of(random_scene(seed, NOUNS)), view_of(random_scene(seed + 500, NOUNS))
    sides = [
        frozenset(made.about)
        for made in questions(seen, foil, RNG(seed), 20)
        if made.form in ("relation", "which") and made.kind != "choice"
    ]
    assert len(sides) == len(set(sides))
    for form in ("depth", "height"):
        pairs = [frozenset(made.about) for made in questions(seen, foil, RNG(seed), 20, forms=(form,))]
        assert len(pairs) == len(set(pairs))


def test_hidden_things_leave_what_is_on_a_tray_open():
    made = scene(thing("tray", "tray", "blue", size=(0.4, 0.3, 0.02)), thing("mug", support="tray"))
    asked = Sentence("yes-no", "support", "Is there anything on the tray?", "yes")
    assert check(view_of(made), asked) == []
    for answer in ("yes", "no"):
        assert check(view_of(made, {"mug": 0.1}), replace(asked, answer=answer))


@pytest.mark.slow
def test_chinese_and_english_are_one_question():
    for seed in range(20):
        seen, foil = (view_of(random_scene(2 * seed + number, NOUNS)) for number in (0, 1))
        english, chinese = (questions(seen, foil, RNG(seed), 12, language=language) for language in ("en", "zh"))
        assert [(q.kind, q.form, q.about) for q in english] == [(q.kind, q.form, q.about) for q in chinese]
        for one, other in zip(english, chinese, strict=True):
            assert not re.search("[a-z]", other.text + other.answer)
            if one.choices:
                assert one.choices.index(one.answer) == other.choices.index(other.answer)
