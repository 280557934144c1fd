"""Expressions that could change places, so that no wording of a question favours an answer.

*Twins*: two things of one noun that differ in colour, or the leftmost and the rightmost thing of a class. A scene in
which the two have changed places is as likely. *Shared expressions* identify a thing in each of two scenes: a question
that is worded with them can be asked of either scene, and is asked if the answers differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations

from ._comparisons import clear
from ._refer import Expression, plain, unique
from ._truth import Phrase, both, is_a, most, relation
from .view import SEEN, Entity, View
from .words import OBJECT

_SUPERLATIVES = (
    "leftmost", "rightmost", "nearest", "farthest", "tallest", "largest", "smallest", "highest", "lowest",
)  # fmt: skip
_PLACES = ("leftmost", "rightmost", "nearest", "farthest")
_SIDES = ("left", "right", "on")
"""Superlatives and relations that do not reveal the category of a thing."""

Pair = tuple[Expression, Expression]


@lru_cache(maxsize=16)
def coloured(view: View) -> dict[str, tuple[Expression, ...]]:
    """Noun → expressions of the things that their colour identifies; at least two of each noun."""
    found: dict[str, list[Expression]] = {}
    for entity in view.things:
        expression = Expression(entity.id, Phrase(entity.noun, entity.colour))
        if entity.colour and unique(view, expression):
            found.setdefault(entity.noun, []).append(expression)
    return {noun: tuple(group) for noun, group in found.items() if len(group) > 1}


@lru_cache(maxsize=16)
def twins(view: View) -> tuple[Pair, ...]:
    """Ordered pairs of expressions that could change places: different colours, or leftmost and rightmost."""
    pairs = [pair for group in coloured(view).values() for pair in permutations(group, 2)]
    for noun in sorted({OBJECT, *(entity.noun for entity in view.things)}):
        ends = [(side, most(view, side, Phrase(noun))) for side in ("leftmost", "rightmost")]
        sides = [Expression(entity.id, Phrase(noun), side) for side, entity in ends if entity]
        if len(sides) == 2 and all(view[side.id].visible >= SEEN for side in sides):
            pairs += permutations(sides, 2)
    return tuple(pairs)


@lru_cache(maxsize=16)
def shared(view: View, foil: View) -> tuple[Pair, ...]:
    """Expressions that identify a thing in each of two views, for both views."""
    phrases = {phrase: None for entity in (*view.things, *foil.things) for phrase in _phrases(entity)}
    wordings = [(phrase, "") for phrase in phrases]
    wordings += [(phrase, most) for phrase in (Phrase(OBJECT), *_nouns(view, foil)) for most in _SUPERLATIVES]
    found = []
    for phrase, superlative in sorted(wordings, key=str):
        pair = [_identified(one, phrase, superlative) for one in (view, foil)]
        if pair[0] and pair[1]:
            found.append((pair[0], pair[1]))
    return tuple(found)


def _phrases(entity: Entity) -> Iterator[Phrase]:
    yield Phrase(entity.noun)
    if entity.colour:
        yield Phrase(entity.noun, entity.colour)
        yield Phrase(OBJECT, entity.colour)


def _nouns(view: View, foil: View) -> list[Phrase]:
    """Nouns of which both views have several things."""
    several = [
        {noun for noun in nouns if nouns.count(noun) > 1}
        for nouns in ([entity.noun for entity in one.things] for one in (view, foil))
    ]
    return [Phrase(noun) for noun in sorted(several[0] & several[1])]


def _clearly_most(view: View, superlative: str, phrase: Phrase) -> Entity | None:
    """The visible thing of a class that exceeds all others by so much that a person can tell."""
    best = most(view, superlative, phrase)
    if best is None or best.visible < SEEN:
        return None
    others = [entity for entity in view.things if entity.id != best.id and is_a(entity, phrase)]
    return best if all(clear(superlative, best, other) for other in others) else None


def _identified(view: View, phrase: Phrase, superlative: str) -> Expression | None:
    """The expression with the thing that it identifies in a view; None if it is not clearly visible or not unique."""
    if superlative:
        best = _clearly_most(view, superlative, phrase)
        return Expression(best.id, phrase, superlative) if best else None
    fits = [entity for entity in view.things if is_a(entity, phrase)]
    if len(fits) != 1 or not unique(view, expression := Expression(fits[0].id, phrase)):
        return None
    return expression


@lru_cache(maxsize=16)
def nameless(view: View) -> dict[str, Expression]:
    """Text → expression, for things that are identified without a noun: `the object that is on the desk`."""
    thing = Phrase(OBJECT)
    found = [
        Expression(best.id, thing, superlative)
        for superlative in _PLACES
        if (best := _clearly_most(view, superlative, thing))
    ]
    for other in view.things:
        if anchor := plain(view, other):
            for name in _SIDES:
                truths = [both((is_a(entity, thing), relation(view, name, entity, other))) for entity in view.things]
                if truths.count(True) == 1 and None not in truths:
                    found.append(Expression(view.things[truths.index(True)].id, thing, "", name, anchor))
    return {expression.text: expression for expression in found}
