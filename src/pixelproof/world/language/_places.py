"""Questions about left and right, and about distances."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from ._facts import named, pick
from ._numbers import number
from ._refer import Expression, refer
from ._truth import Truth, distance, more_left, relation
from ._view import Entity, Sentence, View
from ._words import RELATIONS

CHOICES = 4
PLAIN = ("noun", "attribute")
"""Forms of expressions in questions: `the leftmost mug` would reveal the answer."""
_RANKS = (0.13, 0.25, 0.29, 0.33)
"""Weight of each number: larger ones are tried more often, because they are less often certain."""

_APART = 0.25
"""Minimum distance asked for, in metres: large things are never closer, so the nouns would be a cue."""


def _side(rng: np.random.Generator) -> str:
    return "left" if rng.integers(2) else "right"


def _further(view: View, side: str, first: Entity, second: Entity) -> Truth:
    """Whether the first thing is further to a side; None if uncertain."""
    return more_left(view, first, second) if side == "left" else more_left(view, second, first)


def _pair(
    view: View, rng: np.random.Generator, wanted: Callable[[Entity, Entity], object]
) -> tuple[Expression, Expression] | None:
    """Two things in random order with their expressions, if a condition holds."""
    pair = named(view, rng, 2, PLAIN)
    return (pair[0], pair[1]) if pair and wanted(view[pair[0].id], view[pair[1].id]) else None


def ask_relation(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """Is the mug to the left of the bowl? Asked in either order, where one is clearly beside the other."""
    pair = _pair(view, rng, lambda a, b: relation(view, "left", a, b) or relation(view, "left", b, a))
    if not pair:
        return None
    first, second = pair
    side = _side(rng)
    true = relation(view, side, view[first.id], view[second.id])
    text = f"Is {first.text} {RELATIONS[side]} {second.text}?"
    return Sentence("yes-no", "relation", text, "yes" if true else "no", about=(first.id, second.id))


def ask_which(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """Which is further to the left, the mug or the bowl?"""
    pair = _pair(view, rng, lambda a, b: more_left(view, a, b) is not None)
    if not pair:
        return None
    first, second = pair
    side = _side(rng)
    leads = _further(view, side, view[first.id], view[second.id])
    text = f"Which is further to the {side}, {first.text} or {second.text}?"
    return Sentence("open", "which", text, (first if leads else second).text, about=(first.id, second.id))


def ask_furthest(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """Which of these is furthest to the left? No choice carries another, because it would never be the answer."""
    chosen = named(view, rng, CHOICES, PLAIN)
    if not chosen or any(view.stacked(one.id, other.id) for one, other in combinations(chosen, 2)):
        return None
    side = _side(rng)
    best = [
        one
        for one in chosen
        if all(_further(view, side, view[one.id], view[other.id]) for other in chosen if other is not one)
    ]
    if not best:
        return None
    texts, about = tuple(one.text for one in chosen), tuple(one.id for one in chosen)
    return Sentence("choice", "which", f"Which of these is furthest to the {side}?", best[0].text, texts, about)


def ask_rank(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """How many objects are further to the left than the mug? Small numbers are equally likely."""
    wanted = int(rng.choice(len(_RANKS), p=_RANKS))
    side = _side(rng)
    things = [entity for entity in view.things if entity.visible > 0]
    for entity in pick(rng, view, len(things)) if len(things) > len(_RANKS) else []:
        truths = [_further(view, side, other, entity) for other in things if other is not entity]
        if None not in truths and truths.count(True) == wanted:
            expression = refer(view, entity.id, rng, PLAIN)
            if not expression:
                return None
            text = f"How many objects are further to the {side} than {expression.text}?"
            return Sentence("open", "rank", text, str(wanted), about=(entity.id,))
    return None


def ask_distance(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """How far apart are the mug and the bowl?"""
    pair = _pair(view, rng, lambda a, b: distance(a, b) >= _APART)
    if not pair:
        return None
    first, second = pair
    apart = distance(view[first.id], view[second.id])
    text = f"How many centimetres apart are the centres of {first.text} and {second.text}?"
    return Sentence("open", "distance", text, number(100 * apart), about=(first.id, second.id))
