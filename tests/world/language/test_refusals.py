"""What cannot be used is refused in one sentence that says what to do."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.language import check
from pixelproof.contract import PixelProofError
from pixelproof.world.flat import make_flat
from pixelproof.world.language import (
    Edit,
    Entity,
    Sentence,
    View,
    ask,
    captions,
    facts,
    instruct,
    propose,
    questions,
    refer,
    view_of,
)
from world.language.samples import KINDS, sample
from world.language.scenes import scene, thing, view

RNG = np.random.default_rng
SEEN = view(thing("one"), thing("two", "bowl", "green", at=(0.3, 0.0)))
MUG = Entity("mug", "mug", (0, 1, 0), (0.1, 0.1, 0.1), (0.1, 0.1, 0.1), (0.5, 0.5))
FACT = Sentence("fact", "colour", "The mug is red.")
CASES = {
    "refer to what is not there": (lambda: refer(SEEN, "nope", RNG(0)), "no thing 'nope'. Choose one of"),
    "refer in another form": (lambda: refer(SEEN, "one", RNG(0), ("poem",)), "no form of expressions 'poem'"),
    "refer without chance": (lambda: refer(SEEN, "one", 7), "random generator"),
    "refer in a scene": (lambda: refer(scene(), "one", RNG(0)), "Give a View"),
    "edit what is not there": (lambda: instruct(SEEN, Edit("remove", "nope"), RNG(0)), "no thing 'nope'"),
    "edit beside what is not there": (
        lambda: instruct(SEEN, Edit("swap", "one", anchor="nope"), RNG(0)),
        "no thing 'nope'",
    ),
    "edit by words": (lambda: instruct(SEEN, "remove the mug", RNG(0)), "Give an Edit, not str"),
    "edit by no number": (lambda: instruct(SEEN, Edit("move", "one", "left", "far"), RNG(0)), "not 'far'"),
    "edit without a view": (lambda: instruct(None, Edit("remove", "one"), RNG(0)), "Give a View"),
    "propose without a view": (lambda: propose("tabletop", RNG(0)), "Give a View"),
    "view of a flat scene": (lambda: view_of(make_flat(7)), "Give a solid scene, such as make_scene makes, not"),
    "view of nothing": (lambda: view_of(None), "Give a solid scene"),
    "view with shares in a row": (lambda: view_of(scene(), [1.0]), "mapping from ids"),
    "view with a share of words": (lambda: view_of(scene(), {"one": "half"}), "share of one .* from 0 to 1"),
    "view with too large a share": (lambda: view_of(scene(), {"one": 2}), "share of one .* from 0 to 1"),
    "facts fewer than none": (lambda: facts(SEEN, RNG(0), -1), "number of sentences"),
    "captions by halves": (lambda: captions(SEEN, RNG(0), 1.5), "number of sentences"),
    "questions of a kind that is not": (
        lambda: questions(SEEN, SEEN, RNG(0), 3, ("why",)),
        "no kind of question 'why'",
    ),
    "questions without a foil": (lambda: questions(SEEN, None, RNG(0), 3), "second View as foil"),
    "ask with a negative seed": (lambda: ask("tabletop", -1), "seed must be a whole number"),
    "ask with a negative index": (lambda: ask("tabletop", 1, -1), "index must be a whole number"),
    "ask with a word as seed": (lambda: ask("tabletop", "one"), "seed must be a whole number"),
    "ask for a part of a sentence": (lambda: ask("tabletop", 1, n=0.5), "number of sentences"),
    "two things of one id": (lambda: View((MUG, MUG)), "have one id"),
    "a thing on what is not there": (lambda: View((replace(MUG, support="air"),)), "no thing 'air'"),
    "a thing on itself": (lambda: View((replace(MUG, support="mug"),)), "mug stands on itself"),
}


@pytest.mark.parametrize("case", CASES)
def test_refusals_are_one_sentence(case):
    attempt, said = CASES[case]
    with pytest.raises(PixelProofError, match=said) as refused:
        attempt()
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.data())
def test_the_checker_reads_anything_without_falling_over(kind, data):
    """Words that are lost, doubled or out of place, other answers and other edits give problems and no exceptions."""
    seen, sentence = data.draw(st.sampled_from(sample(kind)))
    words = sentence.text.split(" ") if sentence.language == "en" else list(sentence.text)
    order = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=len(words) + 3))
    text = (" " if sentence.language == "en" else "").join(words[index] for index in order)
    answer = data.draw(st.sampled_from([sentence.answer, "", "no", "the mug", "far", "1e9", "-3"]))
    edit = sentence.edit and data.draw(
        st.sampled_from([None, sentence.edit, replace(sentence.edit, target="nope"), replace(sentence.edit, way="up")])
    )
    about = data.draw(st.sampled_from([sentence.about, (), ("nope",)]))
    for one in (sentence.text, text.capitalize()):
        problems = check(seen, replace(sentence, text=one, answer=answer, edit=edit, about=about))
        assert all(isinstance(problem, str) for problem in problems)


@pytest.mark.parametrize("part", ["text", "form", "answer", "choices", "about", "edit"])
@pytest.mark.parametrize("value", [None, 7, (None,), {"a": 1}])
def test_a_sentence_of_other_stuff_gives_problems(part, value):
    whole = instruct(SEEN, Edit("remove", "one"), RNG(0))
    assert check(SEEN, whole) == []
    assert check(SEEN, replace(whole, **{part: value}))


@pytest.mark.parametrize("part", ["action", "target", "way", "amount", "anchor"])
def test_an_edit_of_other_stuff_gives_problems(part):
    whole = instruct(SEEN, Edit("move", "one", "left", 0.1), RNG(0))
    assert check(SEEN, whole) == []
    for value in (None, (1,), "far", float("nan")):
        assert check(SEEN, replace(whole, edit=replace(whole.edit, **{part: value})))
