"""Answers, computed anew from the poses of scenes by code that has neither views nor margins."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from pixelproof.world.language import Sentence
from world.language.samples import FORMS, QUESTIONS, sample, sources
from world.language.scenes import scene, thing

_SPEC = importlib.util.spec_from_file_location(
    "scene_answers", Path(__file__).parents[3] / "benchmarks" / "scene_answers.py"
)
answers = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(answers)


def computed(seen, question):
    return answers.SceneAnswers(*sources()[seen]).answer(question)


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUESTIONS)
def test_answers_are_those_of_the_poses(kind):
    for seen, question in sample(kind):
        assert computed(seen, question) == question.answer, question
    assert {question.form for _, question in sample(kind)} == set(FORMS[kind])


@pytest.mark.slow
def test_expressions_fit_one_thing():
    for seen, expression in sample("expression"):
        assert answers.SceneAnswers(*sources()[seen]).find(expression.text).id == expression.about[0], expression


TURNED = {"left": "right", "closer to": "farther from", "higher up": "lower down", "in front of": "behind"}


@pytest.mark.slow
def test_turned_questions_have_the_other_answer():
    """The computation reads the words: left for right gives the other answer."""
    tried = 0
    for kind in ("yes-no", "open"):
        for seen, question in sample(kind):
            words = [(a, b) for one in TURNED.items() for a, b in (one, one[::-1]) if f" {a} " in question.text]
            if question.form in ("relation", "depth", "height") and len(words) == 1 and "most" not in question.text:
                text = question.text.replace(f" {words[0][0]} ", f" {words[0][1]} ")
                assert computed(seen, replace(question, text=text)) != question.answer, question
                tried += 1
    assert tried >= 8


def test_expressions_that_fit_several_things_are_noticed():
    seen = answers.SceneAnswers(scene(thing("one"), thing("two", at=(0.3, 0.0)), thing("hat", "hat", at=(-0.3, 0.0))))
    for text in ("the mug", "the red object", "the fork"):
        with pytest.raises(answers.Ambiguous):
            seen.find(text)
    assert seen.find("the rightmost mug").id == "two"
    with pytest.raises(ValueError, match="No form of question"):
        seen.answer(Sentence("open", "why", "Why is there a mug?"))
