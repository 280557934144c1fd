"""Checks of questions: answers, choices and presuppositions."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from pixelproof.world.language._view import Entity, Sentence, View
from pixelproof.world.language._words import NUMBERS, OBJECT

from ._fits import NO, SURELY, Meaning, class_fit, lead, number_of, on_each_other, relation_fit, resolve
from ._numbers import off
from ._parser import parses, tokens
from ._reading import Finding, Handler, between, meant, surely


def _yes(sentence: Sentence, truth: int) -> Finding:
    """Problems of a yes/no answer, given what is certain."""
    if sentence.answer != {SURELY: "yes", NO: "no"}.get(truth, ""):
        yield f"the answer {sentence.answer!r} is not surely right"


def _answer(sentence: Sentence, right: str) -> Finding:
    if sentence.answer != right:
        yield f"the answer is {right!r}, not {sentence.answer!r}"


def _is_there(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    found = number_of(view, values[0][1])
    yield from _yes(sentence, 1 if found is None else (SURELY if found else NO))


def _are_there(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    number, said = values if len(values) == 2 else ("one", values[0])
    found = number_of(view, said)
    yield from _yes(sentence, 1 if found is None else (SURELY if found == NUMBERS.index(number) else NO))


def _is_coloured(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    things, wrong = meant(view, sentence, values[0])
    yield from wrong
    if not wrong:
        yield from _yes(sentence, class_fit(things[0], Meaning(things[0].noun, values[1])))


def _is_related(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, (relation, _), second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from _yes(sentence, relation_fit(view, things[0], relation, things[1]))


def _is_more(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, most, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from _yes(sentence, lead(view, things[0], [things[1]], most))


YES_NO: dict[str, Handler] = {
    "is there {counted} ?": _is_there,
    "is there exactly one {one} ?": _are_there,
    "are there exactly {word} {many} ?": _are_there,
    "is {the} {colour} ?": _is_coloured,
    "is {the} {relation} {the} ?": _is_related,
    "is {the} {more} than {the} ?": _is_more,
}


def _what(view: View, sentence: Sentence, values: list[Any], *, key: str) -> Finding:
    things, wrong = meant(view, sentence, values[0])
    yield from wrong
    if wrong:
        return
    word = getattr(things[0], key)
    yield from _answer(sentence, "wood" if word == "wooden" else word)
    if sentence.kind == "choice":
        if len(set(sentence.choices)) != len(sentence.choices) or sentence.answer not in sentence.choices:
            yield "the answer is not one of different choices"
        for choice in sentence.choices:
            other = "wooden" if choice == "wood" else choice
            said = Meaning(things[0].noun, *((other, "") if key == "colour" else ("", other)))
            if choice != sentence.answer and class_fit(things[0], said) != NO:
                yield f"{choice} is perhaps right as well"


def _what_colour(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from _what(view, sentence, values, key="colour")


def _what_material(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from _what(view, sentence, values, key="material")


def _spoken(view: View, texts: tuple[str, ...]) -> tuple[dict[str, Entity], list[str]]:
    """Meanings of the texts of expressions."""
    found: dict[str, Entity] = {}
    wrong = []
    for text in texts:
        for values in parses("{the}", tokens(text)):
            entity, why = resolve(view, values[0])
            if entity is None:
                wrong.append(why)
            else:
                found[text] = entity
    if len(found) != len(texts) or len({entity.id for entity in found.values()}) != len(texts):
        wrong.append("the choices are not so many different things")
    return found, wrong


def _furthest(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    things, wrong = _spoken(view, sentence.choices)
    yield from wrong
    if wrong:
        return
    if sentence.answer not in things:
        yield "the answer is not one of the choices"
        return
    if any(on_each_other(view, one, other) for one, other in combinations(things.values(), 2)):
        yield "one of the choices carries another"
    best = things[sentence.answer]
    yield from surely(
        lead(view, best, [other for other in things.values() if other is not best], values[0]), sentence.answer
    )


CHOICE: dict[str, Handler] = {
    "what colour is {the} ?": _what_colour,
    "what is {the} made of ?": _what_material,
    "which of these is furthest to the {side} ?": _furthest,
}


def _how_many(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from _answer(sentence, str(number_of(view, values[0])))


def _how_many_further(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    side, said = values
    things, wrong = meant(view, sentence, said)
    yield from wrong
    if not wrong:
        others = [e for e in view.entities if e is not things[0] and class_fit(e, Meaning(OBJECT)) != NO]
        truths = [
            min(lead(view, other, [things[0]], side), class_fit(other, Meaning(OBJECT)) or NO) for other in others
        ]
        if 1 in truths:
            yield "some objects are too close to say"
        yield from _answer(sentence, str(truths.count(SURELY)))


def _which(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    most, first, second = values
    both, wrong = meant(view, sentence, first, second)
    yield from wrong
    answers = list(parses("{the}", tokens(sentence.answer)))
    if wrong or len(answers) != 1 or answers[0][0] not in (first, second):
        yield "the answer is not one of the two"
        return
    if both[0] is both[1]:
        yield "both are one thing"
    best, other = both if answers[0][0] == first else both[::-1]
    yield from surely(lead(view, best, [other], most), sentence.answer)


def _how_far(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not re.fullmatch(r"\d+(\.\d+)?", sentence.answer):
        yield f"the answer {sentence.answer!r} is no number"
    elif not wrong:
        yield from off(float(sentence.answer) / 100, between(*things), "distance")


OPEN: dict[str, Handler] = {
    "how many {many} are there ?": _how_many,
    "how many objects are further to the {side} than {the} ?": _how_many_further,
    "what colour is {the} ?": _what_colour,
    "what is {the} made of ?": _what_material,
    "which is {more} , {the} or {the} ?": _which,
    "which is further to the {side} , {the} or {the} ?": _which,
    "how many centimetres apart are the centres of {the} and {the} ?": _how_far,
}
