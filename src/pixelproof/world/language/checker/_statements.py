"""Checks of facts and captions."""

from __future__ import annotations

from typing import Any

from pixelproof.world.language._view import SEEN, Sentence, View
from pixelproof.world.language._words import NUMBERS

from ._fits import SURELY, class_fit, lead, number_of, relation_fit
from ._numbers import off
from ._parser import fits_noun
from ._reading import Finding, Handler, between, meant, surely


def _count(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    number, said = values if len(values) == 2 else ("one", values[0])
    if number_of(view, said) != NUMBERS.index(number):
        yield f"there are {number_of(view, said)} {said.noun}, not {number}"


def _related(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, (relation, word), second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not fits_noun(relation, word, second.noun):
        yield f"nothing is {word} a {second.noun}"
    if not wrong:
        yield from surely(relation_fit(view, things[0], relation, things[1]), sentence.text)


def _is(view: View, sentence: Sentence, values: list[Any], *, key: str) -> Finding:
    things, wrong = meant(view, sentence, values[0])
    yield from wrong
    word = "wooden" if values[1] == "wood" else values[1]
    if not wrong and getattr(things[0], key) != word:
        yield f"{things[0].id} is not {word}"


def _colour_is(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from _is(view, sentence, values, key="colour")


def _material_is(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from _is(view, sentence, values, key="material")


def _apart(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, second, length = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from off(length, between(*things), "distance")


def _compared(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, most, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from surely(lead(view, things[0], [things[1]], most), sentence.text)


FACTS: dict[str, Handler] = {
    "there is exactly one {one} .": _count,
    "there are {word} {many} .": _count,
    "{the} is {relation} {the} .": _related,
    "{the} is {colour} .": _colour_is,
    "{the} is {pattern} .": _material_is,
    "{the} is made of {stuff} .": _material_is,
    "the centres of {the} and {the} are {length} apart .": _apart,
    "{the} is {more} than {the} .": _compared,
}


def _listing(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    for number, said in values[0]:
        if number_of(view, said) != number:
            yield f"there are {number_of(view, said)} {said.colour} {said.noun}, not {number}"
    if len(values) > 1 and number_of(view, values[1]) != 0:
        yield f"there is perhaps a {values[1].noun}"


def _composed(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    for (count, first), (relation, word), (number, second) in zip(values[::3], values[1::3], values[2::3], strict=True):
        if count != 1 or number != 1:
            yield "a relation of several things says nothing clear"
        things, wrong = meant(view, sentence, first, second)
        yield from wrong
        if not fits_noun(relation, word, second.noun):
            yield f"nothing is {word} a {second.noun}"
        if not wrong:
            yield from surely(
                relation_fit(view, things[0], relation, things[1]), f"{first.noun} {relation} {second.noun}"
            )


def _census(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Problems of a complete list of the things on a support."""
    word, ground, be, listed = values
    things, wrong = meant(view, sentence, ground)
    yield from wrong
    if wrong:
        return
    if not fits_noun("on", word, ground.noun) or (be == "is") != (listed[0][0] == 1):
        yield f"{word} or {be} is wrong"
    there = [entity for entity in view.entities if entity.support == things[0].id and entity.visible > 0]
    if any(entity.visible < SEEN for entity in there):
        yield "something on it is hardly seen"
    for number, said in listed:
        fits = [entity for entity in there if class_fit(entity, said) == SURELY]
        if len(fits) != number:
            yield f"{len(fits)} {said.noun} are there, not {number}"
    if len(there) != sum(number for number, _ in listed) or {e.noun for e in there} != {
        said.noun for _, said in listed
    }:
        yield f"{len(there)} things are there, not those that are listed"


LONG: dict[str, Handler] = {"{ground} {the} there {be} {list} .": _census}

CAPTIONS: dict[str, Handler] = {
    "{list} .": _listing,
    "a picture|photo of {list} .": _listing,
    "{list} and no {one} .": _listing,
    "{list} , and no {one} .": _listing,
    "{list} , but no {many} .": _listing,
    "{list} , without a|an {one} .": _listing,
    "{counted} {relation} {counted} .": _composed,
    "{counted} {relation} {counted} , and {counted} {relation} {counted} .": _composed,
}
