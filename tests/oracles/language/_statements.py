"""Checks of facts and captions."""

from __future__ import annotations

from typing import Any

from pixelproof.world.language.view import SEEN, Entity, Sentence, View
from pixelproof.world.language.words import CONTAINERS, NUMBERS

from ._fits import NO, SURELY, Meaning, class_fit, number_of
from ._parser import fits_noun
from ._reading import Finding, Handler, meant, surely
from ._space import between_fit, clear_lead, distance_fits, load_fit, said_fit


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
        yield from _own_front(relation, things[1])
        yield from surely(said_fit(view, things[0], relation, things[1]), sentence.text)


def _own_front(relation: str, anchor: Entity) -> Finding:
    if relation in ("front", "behind") and anchor.front is not None:
        yield f"{anchor.id} has a front of its own, so {relation} has two readings"


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
    first, length, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from surely(distance_fits(view, things[0], things[1], 100 * length), sentence.text)


def _between(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not wrong:
        yield from surely(between_fit(view, *things), sentence.text)


def _compared(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    first, most, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from surely(clear_lead(view, things[0], things[1], most), sentence.text)


FACTS: dict[str, Handler] = {
    "there is exactly one {one} .": _count,
    "there are {word} {many} .": _count,
    "{the} is {relation} {the} .": _related,
    "{the} is {colour} .": _colour_is,
    "{the} is {pattern} .": _material_is,
    "{the} is made of {stuff} .": _material_is,
    "{the} is about {length} from {the} .": _apart,
    "{the} is between {the} and {the} .": _between,
    "{the} is {more} than {the} .": _compared,
}


def _listing(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    for number, said in values[0]:
        if number_of(view, said) != number:
            yield f"there are {number_of(view, said)} {said.colour} {said.noun}, not {number}"


def _composed(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    for (count, first), (relation, word), (number, second) in zip(values[::3], values[1::3], values[2::3], strict=True):
        if count != 1 or number != 1:
            yield "a relation of several things says nothing clear"
        things, wrong = meant(view, sentence, first, second)
        yield from wrong
        if not fits_noun(relation, word, second.noun):
            yield f"nothing is {word} a {second.noun}"
        if not wrong:
            yield from _own_front(relation, things[1])
            yield from surely(said_fit(view, things[0], relation, things[1]), f"{first.noun} {relation} {second.noun}")


def _in_the_middle(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    if any(count != 1 for count, _ in values):
        yield "a relation of several things says nothing clear"
    yield from _between(view, sentence, [said for _, said in values])


def _together(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """A mug and a book on a desk."""
    listed, word, ground = values
    for one in listed:
        yield from _composed(view, sentence, [one, ("on", word), ground])


def _empty(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    number, said = values[0] if isinstance(values[0], tuple) else (1, values[0])
    if number != 1:
        yield "several things are said to be empty"
    if (said.noun in CONTAINERS) != isinstance(values[0], Meaning):
        yield f"nothing is on or in a {said.noun}"
    things, wrong = meant(view, sentence, said)
    yield from wrong
    if not wrong and load_fit(view, things[0]) != NO:
        yield f"something is perhaps on {things[0].id}"


def _census(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Problems of a complete list of the things on a support that the text names."""
    word, ground, be, listed = values
    things, wrong = meant(view, sentence, ground)
    yield from wrong
    if wrong:
        return
    if not fits_noun("on", word, ground.noun) or (be == "is") != (sum(number for number, _ in listed) == 1):
        yield f"{word} or {be} is wrong"
    yield from _complete(view, things[0], listed)


def _complete(view: View, ground: Entity, listed: list[tuple[int, Meaning]]) -> Finding:
    there = [entity for entity in view.entities if entity.support == ground.id and entity.visible > 0]
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


def _surroundings(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """A room with a bed and a chair; a table with a mug on it."""
    noun, listed = (values[0][1].noun, values[1]) if len(values) == 2 else ("floor", values[0])
    grounds = [entity for entity in view.entities if entity.fixed and entity.noun == noun]
    if len(grounds) != 1:
        yield f"there are {len(grounds)} surroundings of the noun {noun}"
        return
    yield from _complete(view, grounds[0], listed)


LONG: dict[str, Handler] = {
    "{ground} {the} there {be} {list} .": _census,
    "a room with {list} .": _surroundings,
    "{counted} with {list} on it .": _surroundings,
}

_STARTS = ("", "a picture|photo of ")
CAPTIONS: dict[str, Handler] = {
    **{f"{start}{{list}} .": _listing for start in _STARTS},
    **{f"{start}{{counted}} with nothing on it .": _empty for start in _STARTS},
    **{f"{start}an empty {{one}} .": _empty for start in _STARTS},
    "{counted} {relation} {counted} .": _composed,
    "{counted} {relation} {counted} , and {counted} {relation} {counted} .": _composed,
    "{counted} between {counted} and {counted} .": _in_the_middle,
    "{list} {ground} {counted} .": _together,
}
