"""Facts: true statements about a view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._comparisons import QUALITIES, quality
from ._numbers import number
from ._refer import FORMS, Expression, named, noun_words, pick, plain, refer, relation_words
from ._space import is_between, related, step_cm
from ._truth import Phrase, count
from ._validation import expect_arguments
from .view import Sentence, View
from .words import MORE, NO_GROUND, NUMBERS, PATTERNS, RELATIONS, sentence

Maker = Callable[[View, np.random.Generator], Sentence | None]
_TRIES = 30


def facts(view: View, rng: np.random.Generator, n: int) -> list[Sentence]:
    """Generate up to n different true statements about a view, of many forms."""
    return drawn(list(_FORMS.values()), view, rng, n, fact_key)


def fact_key(fact: Sentence) -> object:
    """What a fact says: two facts of one form about the same things are one, or its reverse."""
    alone = fact.form in ("count", "comparison")  # taller, larger and closer are different facts
    return fact.text if alone else (fact.form, frozenset(fact.about))


def drawn(
    makers: list[Maker],
    view: View,
    rng: np.random.Generator,
    n: int,
    key: Callable[[Sentence], object] = lambda sentence: sentence.text,
) -> list[Sentence]:
    """Generate up to n sentences with different keys, each of a random form."""
    expect_arguments(view, rng, n)
    found: dict[object, Sentence] = {}
    for _ in range(_TRIES * n):
        if len(found) == n:
            break
        made = makers[int(rng.integers(len(makers)))](view, rng)
        if made:
            found.setdefault(key(made), made)
    return list(found.values())


def metres(value: float) -> str:
    """A length as text: in centimetres below one metre.

    >>> metres(0.1234), metres(1.5)
    ('12.3 cm', '1.5 m')
    """
    return f"{number(100 * value)} cm" if value < 1 else f"{number(value)} m"


def _fact(form: str, words: str, *about: Expression) -> Sentence:
    return Sentence("fact", form, sentence(words), about=tuple(expression.id for expression in about))


def _count(view: View, rng: np.random.Generator) -> Sentence | None:
    for entity in pick(rng, view):
        phrase = Phrase(entity.noun, entity.colour if rng.random() < 0.3 else "")
        found = count(view, phrase)
        if found and found < len(NUMBERS):
            be, many = ("is", "exactly one") if found == 1 else ("are", NUMBERS[found])
            return _fact("count", f"there {be} {many} {noun_words(phrase, found)}")
    return None


def _relation(view: View, rng: np.random.Generator) -> Sentence | None:
    pair = named(view, rng, 2)
    if not pair:
        return None
    names = [name for name in RELATIONS if name != "on" and related(view, name, view[pair[0].id], view[pair[1].id])]
    if not names:
        return None
    name = names[int(rng.integers(len(names)))]
    return _fact("relation", f"{pair[0].text} is {RELATIONS[name]} {pair[1].text}", *pair)


def _on(view: View, rng: np.random.Generator) -> Sentence | None:
    for expression in named(view, rng, 1):
        holder = view[expression.id].support
        if holder and view[holder].noun not in NO_GROUND and (ground := plain(view, view[holder])):
            return _fact(
                "on",
                f"{expression.text} is {relation_words('on', view[holder].noun)} {ground.text}",
                expression,
                ground,
            )
    return None


def _colour(view: View, rng: np.random.Generator) -> Sentence | None:
    for entity in pick(rng, view):
        expression = refer(view, entity.id, rng)
        if expression and entity.colour and not expression.phrase.colour:
            return _fact("colour", f"{expression.text} is {entity.colour}", expression)
    return None


def _material(view: View, rng: np.random.Generator) -> Sentence | None:
    for entity in pick(rng, view):
        expression = refer(view, entity.id, rng)
        if expression and entity.material and not expression.phrase.material:
            made = entity.material if entity.material in PATTERNS else made_of(entity.material)
            return _fact("material", f"{expression.text} is {made}", expression)
    return None


def made_of(material: str) -> str:
    """A material as a predicate, after `is`."""
    return f"made of {'wood' if material == 'wooden' else material}"


def _distance(view: View, rng: np.random.Generator) -> Sentence | None:
    pair = named(view, rng, 2)
    step = step_cm(view, view[pair[0].id], view[pair[1].id]) if pair else None
    return (
        _fact("distance", f"{pair[0].text} is about {metres(step / 100)} from {pair[1].text}", *pair) if step else None
    )


def _between(view: View, rng: np.random.Generator) -> Sentence | None:
    names = named(view, rng, 3, FORMS[:2])
    if not names or not is_between(view, *(view[name.id] for name in names)):
        return None
    return _fact("between", f"{names[0].text} is between {names[1].text} and {names[2].text}", *names)


def _comparison(view: View, rng: np.random.Generator) -> Sentence | None:
    pair = named(view, rng, 2)
    name = str(rng.choice([name for names in QUALITIES.values() for name in names]))
    if not pair or not quality(name).compare(view, view[pair[0].id], view[pair[1].id]):
        return None
    return _fact("comparison", f"{pair[0].text} is {MORE[name]} than {pair[1].text}", *pair)


_FORMS: dict[str, Maker] = {
    "count": _count,
    "relation": _relation,
    "on": _on,
    "colour": _colour,
    "material": _material,
    "distance": _distance,
    "between": _between,
    "comparison": _comparison,
}
