"""The words of a question do not tell its answer, because scenes that are as likely have the other one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.world.language import questions
from pixelproof.world.language._contrast import CLAIMS
from pixelproof.world.language._exchangeable import shared
from pixelproof.world.language._questions import ASKERS
from pixelproof.world.language._twins import ask_most
from world.language.samples import NOUNS, pairs
from world.language.scenes import mirrored, random_view, thing, view

RNG = np.random.default_rng


class Coin:
    """A generator whose first whole number is given; the rest is by chance."""

    def __init__(self, first, seed):
        self._first, self._rng = first, RNG(seed)

    def integers(self, *arguments):
        first, self._first = self._first, None
        return self._rng.integers(*arguments) if first is None else first


def askers(foil, *, kind=None, forms=None):
    return [
        asker
        for asker in ASKERS
        if asker.foil is foil and asker.kind in (kind or asker.kind) and asker.form in (forms or asker.form)
    ]


def number_of(asker):
    return f"{asker.kind}-{asker.form}-{ASKERS.index(asker)}"


ENOUGH = 2


@pytest.mark.parametrize("asker", askers(True, kind=("yes-no",), forms=tuple(CLAIMS))[:3], ids=number_of)
def test_a_claim_is_true_of_a_view_as_often_as_of_its_foil(asker):
    asked = 0
    for seed, (seen, foil) in enumerate(pairs("count")[:40]):
        for side in (0, 1):
            here = asker.ask(seen, foil, Coin(side, seed))
            there = asker.ask(foil, seen, Coin(1 - side, seed))
            assert (here is None) == (there is None)
            if here:
                assert here.sentence("en").text == there.sentence("en").text
                assert {here.answer, there.answer} == {"yes", "no"}
                asked += 1
    assert asked > 10


@pytest.mark.slow
@pytest.mark.parametrize(
    "asker", [one for one in askers(True) if one.form not in CLAIMS or one.kind != "yes-no"], ids=number_of
)
def test_a_question_is_asked_of_a_view_and_of_its_foil_and_has_another_answer(asker):
    """The same words, the same choices in the same order: nothing of the text depends on the answer."""
    asked = 0
    for seed, (seen, foil) in enumerate(pairs(asker.form)):
        here, there = asker.ask(seen, foil, RNG(seed)), asker.ask(foil, seen, RNG(seed))
        assert (here is None) == (there is None)
        if here:
            one, other = here.sentence("en"), there.sentence("en")
            assert (one.text, one.choices) == (other.text, other.choices)
            assert one.answer != other.answer
            if one.choices:
                assert set(one.choices) == {one.answer, other.answer}
            asked += 1
            if asked == ENOUGH:
                break
    assert asked == ENOUGH


def test_equal_views_have_equal_expressions():
    """Truths are cached by view; entities of an equal view are other objects."""
    seen, foil = pairs("depth")[0]
    expected = shared(seen, foil)
    shared.cache_clear()
    equal = replace(seen, entities=tuple(replace(entity) for entity in seen.entities))
    assert expected and shared(equal, foil) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "asker",
    askers(False, forms=("relation", "own-frame", "which", "rank"), kind=("yes-no", "open", "choice")),
    ids=number_of,
)
def test_a_mirror_turns_the_answer(asker):
    if asker.ask is ask_most:
        pytest.skip("Its choices are twins.")
    asked = 0
    for seed in range(80):
        seen = random_view(seed, None if asker.form != "own-frame" else NOUNS)
        here = asker.ask(seen, seen, RNG(seed))
        there = asker.ask(mirrored(seen), seen, RNG(seed))
        assert (here is None) == (there is None)
        if here:
            one, other = here.sentence("en"), there.sentence("en")
            assert (one.text, one.choices) == (other.text, other.choices)
            assert one.answer != other.answer
            asked += 1
    assert asked > (0 if asker.form == "rank" else 8)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["depth", "height", "comparison", "distance", "between", "support"])
@pytest.mark.parametrize("kind", ["yes-no", "open"])
def test_twins_may_take_each_others_place(kind, form):
    """With the colours exchanged, every text has the other answer."""
    low = thing("one", colour="red", at=(-0.3, -0.3), size=(0.1, 0.1, 0.3), support="tray")
    seen = view(
        replace(low, position=(-0.3, -0.3, 1.1)),
        thing("two", colour="green", at=(0.3, 0.3), size=(0.1, 0.1, 0.1)),
        thing("tray", "tray", "blue", at=(-0.3, -0.3), size=(0.2, 0.2, 0.02)),
        thing("hat", "hat", "pink", at=(0.05, 0.3)),
        thing("bolt", "bolt", "grey", at=(0.55, 0.3)),
    )
    colours = {"one": "green", "two": "red"}
    entities = tuple(replace(e, colour=colours.get(e.id, e.colour)) for e in seen.entities)
    other = replace(seen, entities=entities)
    (asker,) = [one for one in askers(False) if (one.kind, one.form) == (kind, form)]
    counts = []
    for one in (seen, other):
        drafts = [asker.ask(one, one, RNG(seed)) for seed in range(400)]
        asked = [draft.sentence("en") for draft in drafts if draft]
        counts.append(Counter((made.text, made.answer) for made in asked if "most" not in made.text))
    texts = [{text for text, _ in count} for count in counts]
    assert len(texts[0] & texts[1]) > 1
    assert not set(counts[0]) & set(counts[1])  # every text has the other answer


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["yes-no", "choice"])
def test_answers_are_balanced(kind):
    """Over many scenes, no answer and no place of a choice stands out."""
    places, answers = Counter(), Counter()
    for seed, (seen, foil) in enumerate(pairs("count")[:40]):
        for one, other in ((seen, foil), (foil, seen)):
            for made in questions(one, other, RNG([seed, 1]), 3, (kind,)):
                answers[made.answer] += 1
                if len(made.choices) == 2:
                    places[made.choices.index(made.answer)] += 1
    if kind == "yes-no":
        assert abs(answers["yes"] - answers["no"]) < 4 * np.sqrt(answers.total())
    if kind == "choice":
        expected = places.total() / 2
        assert places.total() > 40
        assert all(abs(places[place] - expected) < 4 * np.sqrt(expected / 2) for place in range(2))


@pytest.mark.slow
def test_a_question_never_names_what_it_asks_for():
    for seed, (seen, foil) in enumerate(pairs("count")[:30]):
        for made in questions(seen, foil, RNG(seed), 6):
            if made.form in ("which", "relation"):
                assert "most" not in made.text
            if made.form in ("colour", "material") and made.kind != "yes-no":
                assert made.text.startswith(("What colour is the ", "What is the "))
                assert made.answer not in made.text.partition(" that is ")[0].split()
