"""Questions for numbers and about imagined moves: right, and not told by their words."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.edits import Edit, apply
from pixelproof.world.language import Sentence, measure_question, view_of, what_if_question
from world.edits.scenes import desk
from world.language.samples import NOUNS
from world.language.scenes import random_scene, thing, view

RNG = np.random.default_rng


@cache
def scenes():
    """Pairs of scenes whose things can be moved, and their views."""
    made = [random_scene(seed, NOUNS) for seed in range(60)]
    pairs = list(zip(made[::2], made[1::2], strict=True))
    return [(pair, (view_of(pair[0]), view_of(pair[1]))) for pair in pairs]


def ask(kind, form, pair, views, seed, language="en"):
    if form == "what-if":
        return what_if_question(views[0], pair[0], RNG(seed), kind, language)
    return measure_question(*views, RNG(seed), form, language)


FORMS = [("number", "distance"), ("number", "count"), ("number", "what-if"), ("yes-no", "what-if")]


@pytest.fixture
def any_move_is_possible(monkeypatch):
    """For scenes of boxes without shapes, which physics cannot verify."""
    monkeypatch.setattr("pixelproof.world.language._measured._possible", lambda *arguments: True)


@pytest.mark.parametrize("kind, form", FORMS)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("any_move_is_possible")
def test_the_checker_finds_no_problem_and_refuses_another_answer(kind, form, language):
    asked = 0
    for seed, (pair, views) in enumerate(scenes()):
        here = ask(kind, form, pair, views, seed, language)
        if here is None:
            continue
        asked += 1
        assert (here.kind, here.form) == (kind, form)
        assert not check(views[0], here), here
        others = {"yes": "no", "no": "yes", "是": "否", "否": "是"}
        other = str(int(here.answer) + 2) if kind == "number" else others[here.answer]
        assert check(views[0], replace(here, answer=other))
    assert asked >= 8


def test_a_count_has_another_answer_in_the_foil():
    asked = 0
    for seed, (pair, views) in enumerate(scenes()):
        here, there = (ask("number", "count", pair, both, seed) for both in (views, views[::-1]))
        assert (here is None) == (there is None)
        if here:
            assert here.text == there.text and here.answer != there.answer
            asked += 1
    assert asked >= 8


def still(made):
    """The same comparison without the move."""
    head, question = made.text.split(", would it be ")
    subject = head.split("If ")[1].split(" were moved")[0]
    return Sentence("yes-no", "depth", f"Is {subject} {question}", "no", about=made.about)


@pytest.mark.usefixtures("any_move_is_possible")
def test_words_and_the_scene_without_the_move_are_right_half_of_the_time():
    """Before the move, the thing is behind whatever is named; after it, a coin decides."""
    follows, said_yes, asked = 0, 0, 0
    for seed, (pair, views) in enumerate(scenes()):
        made = ask("yes-no", "what-if", pair, views, seed)
        if made is None:
            continue
        asked += 1
        words = made.text.split(" were moved ")[1].split(", would it be ")
        ahead = {"left": "left", "right": "right", "towards the viewer": "closer", "away from the viewer": "farther"}
        along = next(end in words[1] for start, end in ahead.items() if start in words[0])
        follows += (made.answer == "yes") is along
        said_yes += made.answer == "yes"
        before = "yes" if check(views[0], still(made)) else "no"
        assert before == ("no" if along else "yes"), "it is not ahead yet"
    assert asked >= 12
    assert 0.15 <= follows / asked <= 0.85 and 0.15 <= said_yes / asked <= 0.85


@pytest.mark.usefixtures("any_move_is_possible")
def test_one_scene_has_both_answers_to_a_move():
    """Of one scene and one move, either answer can be asked for."""
    for pair, views in scenes():
        made = [ask("yes-no", "what-if", pair, views, seed) for seed in range(12)]
        answers = {one.text.split(" than ")[0]: set() for one in made if one}
        for one in made:
            if one:
                answers[one.text.split(" than ")[0]].add(one.answer)
        if any(len(found) == 2 for found in answers.values()):
            return
    pytest.fail("No scene had both answers.")


def test_a_distance_is_that_of_the_centres():
    seen = view(thing("mug", at=(-0.3, 0.0)), thing("hat", "hat", "green", at=(0.1, 0.3)))
    texts = {made.answer for seed in range(60) if (made := measure_question(seen, seen, RNG(seed), "distance"))}
    assert texts == {"50"}


@pytest.mark.slow
def test_an_imagined_move_is_possible_and_agrees_with_the_edit_carried_out():
    scene = desk()
    seen, compared = view_of(scene), 0
    for seed in range(24):
        made = what_if_question(seen, scene, RNG(seed), "number")
        if made is None:
            continue
        words = made.text.split(" were moved ")[1].split(", how far")[0].split(" ")
        ways = {"to the left": "left", "to the right": "right", "towards the viewer": "closer"}
        edit = Edit("move", made.about[0], ways.get(" ".join(words[2:]), "away"), float(words[0]) / 100)
        after = apply(scene, edit).after
        assert after is not None
        ends = [np.array(after.thing(id).centre) for id in made.about]
        assert abs(100 * np.linalg.norm(ends[0] - ends[1]) - int(made.answer)) < 0.6
        compared += 1
    assert compared >= 3


def test_refusals():
    seen = view(thing("mug"))
    with pytest.raises(PixelProofError, match="form of questions"):
        measure_question(seen, seen, RNG(0), "colour")
    with pytest.raises(PixelProofError, match="kind of question"):
        what_if_question(seen, None, RNG(0), "choice")
    with pytest.raises(PixelProofError, match="language"):
        measure_question(seen, seen, RNG(0), "count", "fr")
