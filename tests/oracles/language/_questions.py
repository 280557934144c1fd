"""Checks of questions: answers, choices and presuppositions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from pixelproof.world.language.view import DOUBLE, Entity, Sentence, View
from pixelproof.world.language.words import NUMBERS, OBJECT, alike

from ._answers import centimetres, readings, spoken, word
from ._fits import NO, PERHAPS, SURELY, Meaning, class_fit, number_of, on_each_other, relation_fit
from ._parser import fits_noun
from ._reading import Finding, Handler, meant, surely
from ._space import (
    IMAGINED,
    between_fit,
    clear_lead,
    distance_fits,
    imagined_move,
    load_fit,
    nearer_fit,
    own_side,
    said_fit,
    separation_cm,
)


def _yes(sentence: Sentence, truth: int) -> Finding:
    """Problems of a yes/no answer, given what is certain."""
    if word(sentence.answer, sentence.language) != {SURELY: "yes", NO: "no"}.get(truth, "?"):
        yield f"the answer {sentence.answer!r} is not surely right"


def _choices(sentence: Sentence) -> Finding:
    if len(set(sentence.choices)) != len(sentence.choices) or sentence.answer not in sentence.choices:
        yield "the answer is not one of different choices"


def _answer(sentence: Sentence, right: str, form: str = "") -> Finding:
    if word(sentence.answer, sentence.language, form) != right:
        yield f"the answer is {right!r}, not {sentence.answer!r}"


def is_there(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is there {a red mug}?"""
    found = number_of(view, values[0][1])
    yield from _yes(sentence, PERHAPS if found is None else (SURELY if found else NO))


def are_there(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Are there exactly {two} {mugs}?"""
    number, said = values if len(values) == 2 else ("one", values[0])
    found = number_of(view, said)
    wanted = NUMBERS.index(number) if number in NUMBERS else int(number)
    yield from _yes(sentence, PERHAPS if found is None else (SURELY if found == wanted else NO))


def is_coloured(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is {the mug} {red}?"""
    things, wrong = meant(view, sentence, values[0])
    yield from wrong
    if not wrong:
        yield from _yes(sentence, class_fit(things[0], Meaning(things[0].noun, values[1])))


def is_related(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is {the mug} {behind} {the bowl}?"""
    first, (relation, word), second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not fits_noun(relation, word, second.noun):
        yield f"nothing is {word} a {second.noun}"
    if not wrong:
        if relation in ("front", "behind") and things[1].front is not None:
            yield f"{things[1].id} has a front of its own, so {relation} has two readings"
        yield from _yes(sentence, said_fit(view, things[0], relation, things[1]))


def is_more(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is {the mug} {taller} than {the bowl}?"""
    first, most, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        yield from _yes(sentence, clear_lead(view, things[0], things[1], most))


def is_any(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is there anything {on} {the desk}?"""
    preposition, said = values
    things, wrong = meant(view, sentence, said)
    yield from wrong
    if not fits_noun("on", preposition, said.noun):
        yield f"nothing is {preposition} a {said.noun}"
    if not wrong:
        yield from _yes(sentence, load_fit(view, things[0]))


def is_between(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is {the mug} between {the bowl} and {the jug}?"""
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not wrong:
        yield from _yes(sentence, between_fit(view, *things))


def is_nearer(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Is {the red mug} nearer to {the bowl} than {the blue mug} is?"""
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not wrong:
        one, place, other = things
        yield from _yes(sentence, nearer_fit(view, place, one, other))


def is_own(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """From the point of view of {the chair}, is {the mug} on its {left}?"""
    owner, thing, side = values
    things, wrong = meant(view, sentence, owner, thing)
    yield from wrong
    if not wrong:
        there = own_side(view, *things)
        yield from _yes(sentence, PERHAPS if not there else (SURELY if there == side else NO))


def _imagined(view: View, thing: Entity, metres: float, way: str) -> tuple[Entity, list[str]]:
    """A thing after a move that is only imagined, and what is wrong with the move."""
    if way not in IMAGINED:
        return thing, [f"{way} is no direction of an imagined move"]
    wrong = []
    if any(other.support == thing.id for other in view.entities):
        wrong.append(f"something stands on {thing.id}")
    if way in ("left", "right") and thing.front is not None:
        wrong.append(f"{thing.id} has a left of its own, so {way} has two readings")
    there = imagined_move(view, thing, metres, way)
    return there or thing, wrong if there else [*wrong, f"{thing.id} would leave the picture"]


def if_more(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """If {the mug} were moved {30 cm} {to the left}, would it be {further to the left} than {the bowl}?"""
    first, metres, way, most, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        there, problems = _imagined(view, things[0], metres, way)
        yield from problems
        yield from _yes(sentence, clear_lead(view, there, things[1], most))


def _numeral(sentence: Sentence, right: float) -> Finding:
    """A problem unless the answer is a number, rounded to a whole one."""
    if not sentence.answer.isdecimal() or abs(int(sentence.answer) - right) > 0.5 + 1e-6:
        yield f"the answer is {right:.1f}, not {sentence.answer!r}"


def how_far_apart(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """How far apart are the centres of {the mug} and {the bowl}, in centimetres?"""
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not wrong:
        yield from _numeral(sentence, separation_cm(view, *things) or -1.0)


def if_how_far(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """If {the mug} were moved {30 cm} {to the left}, how far would its centre be from that of {the bowl}?"""
    first, metres, way, second = values
    things, wrong = meant(view, sentence, first, second)
    yield from wrong
    if not wrong:
        there, problems = _imagined(view, things[0], metres, way)
        yield from problems
        yield from _numeral(sentence, separation_cm(view, there, things[1]) or -1.0)


def how_many_exactly(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """How many {mugs} are there?"""
    found = number_of(view, values[0])
    yield from _numeral(sentence, -1.0 if found is None else found)


NUMBER: dict[str, Handler] = {
    "how far apart are the centres of {the} and {the} , in centimetres ?": how_far_apart,
    "how many {many} are there ?": how_many_exactly,
    "if {the} were moved {length} {move} , how far would its centre be from the centre of {the} , "
    "in centimetres ?": if_how_far,
}
"""Questions whose answer is a number."""


YES_NO: dict[str, Handler] = {
    "is there {counted} ?": is_there,
    "is there exactly one {one} ?": are_there,
    "are there exactly {word} {many} ?": are_there,
    "is {the} {colour} ?": is_coloured,
    "is {the} {relation} {the} ?": is_related,
    "is {the} {more} than {the} ?": is_more,
    "is there anything {ground} {the} ?": is_any,
    "is {the} between {the} and {the} ?": is_between,
    "is {the} nearer to {the} than {the} is ?": is_nearer,
    "from the point of view of {the} , is {the} on its {own} ?": is_own,
    "if {the} were moved {length} {move} , would it be {more} than {the} ?": if_more,
}


def _what(view: View, sentence: Sentence, values: list[Any], *, key: str) -> Finding:
    things, wrong = meant(view, sentence, values[0])
    yield from wrong
    if wrong:
        return
    yield from _answer(sentence, getattr(things[0], key) or "?", key)
    if sentence.kind == "choice":
        yield from _choices(sentence)
        for choice in sentence.choices:
            other = word(choice, sentence.language, key)
            said = Meaning(things[0].noun, *((other, "") if key == "colour" else ("", other)))
            if choice != sentence.answer and class_fit(things[0], said) != NO:
                yield f"{choice} is perhaps right as well"


def what_colour(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """What colour is {the mug}?"""
    yield from _what(view, sentence, values, key="colour")


def what_material(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """What is {the mug} made of?"""
    yield from _what(view, sentence, values, key="material")


def what_support(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """What is {the mug} resting on?"""
    things, wrong = meant(view, sentence, values[0])
    yield from [*wrong, *_choices(sentence)]
    if not wrong:
        right = view[things[0].support].noun if things[0].support else ""
        yield from _answer(sentence, right, "support")
        others = [word(choice, sentence.language, "support") for choice in sentence.choices]
        if any(other != right and alike(other, right) for other in others):
            yield "another choice is perhaps right as well"


def which_of_these(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which of these is {furthest to the left}?"""
    things, wrong = spoken(view, sentence, sentence.choices)
    yield from wrong
    if wrong:
        return
    if sentence.answer not in things:
        yield "the answer is not one of the choices"
        return
    if any(on_each_other(view, one, other) for one, other in combinations(things.values(), 2)):
        yield "one of the choices carries another"
    best = things[sentence.answer]
    for other in things.values():
        if other is not best:
            yield from surely(clear_lead(view, best, other, values[0]), sentence.answer)


def which_of_two(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which of these is {further to the left}?"""
    if len(sentence.choices) != 2:
        yield "a comparative needs two choices"
    yield from which_of_these(view, sentence, values)


def how_many(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """How many {mugs} are there?"""
    yield from _choices(sentence)
    if sentence.answer != str(number_of(view, values[0])):
        yield f"the answer is {number_of(view, values[0])}, not {sentence.answer!r}"


def how_many_further(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """How many objects are {further to the left} than {the mug}?"""
    side, said = values
    things, wrong = meant(view, sentence, said)
    yield from [*wrong, *_choices(sentence)]
    if not wrong:
        others = [e for e in view.entities if e is not things[0] and class_fit(e, Meaning(OBJECT)) != NO]
        truths = [
            min(clear_lead(view, other, things[0], side), class_fit(other, Meaning(OBJECT)) or NO) for other in others
        ]
        if PERHAPS in truths:
            yield "some objects are too close to say"
        if sentence.answer != str(truths.count(SURELY)):
            yield f"the answer is {truths.count(SURELY)}, not {sentence.answer!r}"


def how_far(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """About how far is {the mug} from {the bowl}?"""
    things, wrong = meant(view, sentence, *values)
    yield from [*wrong, *_choices(sentence)]
    lengths = {choice: centimetres(choice, sentence.language) for choice in sentence.choices}
    known = sorted(length for length in lengths.values() if length)
    if wrong or len(known) < max(2, len(lengths)):
        yield "the choices are not lengths"
        return
    if any(far < DOUBLE * near for near, far in zip(known, known[1:], strict=False)):
        yield "the choices are too close to each other"
    for choice, length in lengths.items():
        fit = distance_fits(view, things[0], things[1], length or 0.0)
        if fit != (SURELY if choice == sentence.answer else NO):
            yield f"{choice} is not surely {'right' if choice == sentence.answer else 'wrong'}"


CHOICE: dict[str, Handler] = {
    "what colour is {the} ?": what_colour,
    "what is {the} made of ?": what_material,
    "what is {the} resting on ?": what_support,
    "which of these is {most} ?": which_of_these,
    "which of these is {more} ?": which_of_two,
    "how many {many} are there ?": how_many,
    "how many objects are {more} than {the} ?": how_many_further,
    "about how far is {the} from {the} ?": how_far,
}


def _chosen(sentence: Sentence, one: Meaning, other: Meaning) -> int | None:
    """Which of two expressions of the text is the answer; None if it is neither."""
    said = list(readings(sentence.answer, sentence.language))
    return [one, other].index(said[0]) if len(said) == 1 and said[0] in (one, other) else None


def _of_two(
    view: View, sentence: Sentence, values: list[Any], options: tuple[int, int]
) -> tuple[list[Entity], Entity | None, Entity | None, list[str]]:
    """Things of the text, the one that is the answer and the other one, and problems."""
    things, wrong = meant(view, sentence, *values)
    chosen = _chosen(sentence, *(values[option] for option in options))
    if wrong or chosen is None:
        return things, None, None, [*wrong, "the answer is not one of the two"]
    best, other = things[options[chosen]], things[options[1 - chosen]]
    return things, best, other, ["both are one thing"] if best is other else []


def which(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which is {taller}, {the mug} or {the bowl}?"""
    most, *said = values
    _, best, other, wrong = _of_two(view, sentence, said, (0, 1))
    yield from wrong
    if best and other:
        yield from surely(clear_lead(view, best, other, most), sentence.answer)


def which_between(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which is between {the bowl} and {the jug}, {the red mug} or {the blue mug}?"""
    things, best, other, wrong = _of_two(view, sentence, values, (2, 3))
    yield from wrong
    if best and other:
        if (between_fit(view, best, *things[:2]), between_fit(view, other, *things[:2])) != (SURELY, NO):
            yield f"{sentence.answer} is not surely the only one"


def which_on(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which is {on} {the tray}, {the red mug} or {the blue mug}?"""
    preposition, *said = values
    things, best, other, wrong = _of_two(view, sentence, said, (1, 2))
    yield from wrong
    if not fits_noun("on", preposition, said[0].noun):
        yield f"nothing is {preposition} a {said[0].noun}"
    if best and other:
        fits = [relation_fit(view, one, "on", things[0]) for one in (best, other)]
        if fits != [SURELY, NO]:
            yield f"{sentence.answer} is not surely the only one"


def which_near(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """Which is nearer to {the bowl}, {the red mug} or {the blue mug}?"""
    things, best, other, wrong = _of_two(view, sentence, values, (1, 2))
    yield from wrong
    if best and other:
        yield from surely(nearer_fit(view, things[0], best, other), sentence.answer)


def which_own(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    """From the point of view of {the chair}, is {the mug} on its left or on its right?"""
    things, wrong = meant(view, sentence, *values)
    yield from wrong
    if not wrong:
        yield from _answer(sentence, own_side(view, *things) or "?")


OPEN: dict[str, Handler] = {
    "what colour is {the} ?": what_colour,
    "what is {the} made of ?": what_material,
    "which is {more} , {the} or {the} ?": which,
    "which is between {the} and {the} , {the} or {the} ?": which_between,
    "which is {ground} {the} , {the} or {the} ?": which_on,
    "which is nearer to {the} , {the} or {the} ?": which_near,
    "from the point of view of {the} , is {the} on its left or on its right ?": which_own,
}
