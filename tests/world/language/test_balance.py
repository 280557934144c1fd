"""The words of a question do not tell its answer, because scenes that are as likely have the other one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.world.language import questions
from pixelproof.world.language._questions import FORMS
from world.language.scenes import mirrored, random_view, thing, view

RNG = np.random.default_rng


class Coin:
    """A generator whose first whole number is given; the rest is by chance."""

    def __init__(self, first, seed):
        self._first, self._rng = first, RNG(seed)

    def integers(self, *arguments):
        first, self._first = self._first, None
        return self._rng.integers(*arguments) if first is None else first


@pytest.mark.parametrize("form", ["exists", "count", "colour"])
def test_a_claim_is_true_of_a_view_as_often_as_of_its_foil(form):
    asked, nouns = 0, ["mug", "hammer", "tray", "candle", "envelope", "hat", "toy car", "dumbbell"]
    for seed in range(60):
        seen, foil = (random_view(2 * seed + number, nouns) for number in (0, 1))
        for side in (0, 1):
            here = FORMS["yes-no"][form](seen, foil, Coin(side, seed))
            there = FORMS["yes-no"][form](foil, seen, Coin(1 - side, seed))
            assert (here is None) == (there is None)
            if here:
                assert here.text == there.text
                assert {here.answer, there.answer} == {"yes", "no"}
                asked += 1
    assert asked > 15


@pytest.mark.parametrize(("kind", "form"), [("yes-no", "relation"), ("open", "which")])
def test_a_mirror_turns_the_answer(kind, form):
    asked = 0
    for seed in range(120):
        seen = random_view(seed)
        here = FORMS[kind][form](seen, seen, RNG(seed))
        there = FORMS[kind][form](mirrored(seen), seen, RNG(seed))
        assert (here is None) == (there is None)
        if here and here.text == there.text:
            assert here.answer != there.answer
            asked += 1
    assert asked > 20


@pytest.mark.parametrize("kind", ["yes-no", "open"])
def test_twins_may_take_each_others_place(kind):
    seen = view(
        thing("one", colour="red", at=(-0.3, -0.3), size=(0.1, 0.1, 0.3)),
        thing("two", colour="green", at=(0.3, 0.3), size=(0.1, 0.1, 0.1)),
    )
    colours = {"one": "green", "two": "red"}
    entities = tuple(replace(e, colour=colours.get(e.id, e.colour)) for e in seen.entities)
    other = replace(seen, entities=entities)
    counts = []
    for one in (seen, other):
        asked = [FORMS[kind]["comparison"](one, one, RNG(seed)) for seed in range(400)]
        counts.append(Counter((made.text, made.answer) for made in asked if made))
    texts = [{text for text, _ in count} for count in counts]
    assert texts[0] == texts[1]
    assert not set(counts[0]) & set(counts[1])  # every text has the other answer


@pytest.mark.parametrize("kind", ["yes-no", "choice"])
def test_answers_are_balanced(kind):
    """Over many scenes, no answer and no place of a choice stands out."""
    places, answers = Counter(), Counter()
    for seed in range(60):
        seen, foil = random_view(2 * seed), random_view(2 * seed + 1)
        for one, other in ((seen, foil), (foil, seen)):
            for made in questions(one, other, RNG([seed, 1]), 3, (kind,)):
                answers[made.answer] += 1
                if len(made.choices) == 4:
                    places[made.choices.index(made.answer)] += 1
    if kind == "yes-no":
        assert abs(answers["yes"] - answers["no"]) < 4 * np.sqrt(answers.total())
    if kind == "choice":
        expected = places.total() / 4
        assert places.total() > 40
        assert all(abs(places[place] - expected) < 4 * np.sqrt(expected) for place in range(4))


def test_a_question_never_names_what_it_asks_for():
    for seed in range(60):
        seen, foil = random_view(2 * seed), random_view(2 * seed + 1)
        for made in questions(seen, foil, RNG(seed), 6):
            if made.form in ("which", "relation"):
                assert "most" not in made.text
            if made.form in ("colour", "material") and made.kind != "yes-no":
                assert made.text.startswith(("What colour is the ", "What is the "))
                assert made.answer not in made.text.partition(" that is ")[0].split()
