"""Questions about left and right, which a mirror exchanges."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ._comparisons import PLAIN, quality
from ._draft import Draft, Place, Word
from ._exchangeable import nameless
from ._refer import named, pick, refer
from ._space import own_left
from ._truth import asked_colour, relation
from .view import View
from .words import BASIC_COLOURS, OWNERS

_LEAST = 5
"""Number of objects from which ranks are asked for."""


def _side(rng: np.random.Generator) -> str:
    return "left" if rng.integers(2) else "right"


def ask_relation(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """Is the mug to the left of the bowl? Asked in either order, where one is clearly beside the other."""
    pair = named(view, rng, 2, PLAIN)
    if not pair:
        return None
    first, second = pair
    ends = view[first.id], view[second.id]
    if not (relation(view, "left", *ends) or relation(view, "left", *ends[::-1])):
        return None
    side = _side(rng)
    answer = "yes" if relation(view, side, *ends) else "no"
    slots: dict[str, Word] = {"x": first, "place": Place(side), "y": second}
    return Draft("yes-no", "relation", "related", slots, answer, key=("side", frozenset((first.id, second.id))))


def ask_which(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """Which is further to the left, the mug or the bowl?"""
    pair = named(view, rng, 2, PLAIN)
    name = f"{_side(rng)}most"
    if not pair:
        return None
    first, second = pair
    leads = quality(name).compare(view, view[first.id], view[second.id])
    if leads is None:
        return None
    slots: dict[str, Word] = {"more": name, "x": first, "y": second}
    return Draft(
        "open",
        "which",
        "which",
        slots,
        first if leads else second,
        key=("side", frozenset((first.id, second.id))),
    )


def ask_rank(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """How many objects are further to the left than the mug? The other choice is right in a mirror."""
    name = f"{_side(rng)}most"
    things = [entity for entity in view.things if entity.visible > 0]
    for entity in pick(rng, view, len(things)) if len(things) >= _LEAST else []:
        truths = [quality(name).compare(view, other, entity) for other in things if other.id != entity.id]
        rank = truths.count(True)
        expression = refer(view, entity.id, rng, PLAIN)
        if expression and None not in truths and 2 * rank != len(truths) and 0 < rank < len(truths):
            choices = tuple(sorted((rank, len(truths) - rank)))
            return Draft("choice", "rank", "rank", {"more": name, "x": expression}, rank, choices, ("rank", entity.id))
    return None


def ask_own(view: View, foil: View, rng: np.random.Generator, kind: Literal["yes-no", "open"]) -> Draft | None:
    """From the point of view of the chair, is the mug on its left?"""
    side = _side(rng)
    owners = [entity for entity in view.things if entity.front and entity.noun in OWNERS]
    chosen = named(view, rng, 1, PLAIN)
    if not owners or not chosen:
        return None
    owner = owners[int(rng.integers(len(owners)))]
    expression, left = refer(view, owner.id, rng, PLAIN), own_left(view, owner, view[chosen[0].id])
    if not expression or left is None:
        return None
    key = ("own", owner.id, chosen[0].id)
    slots: dict[str, Word] = {"owner": expression, "x": chosen[0]}
    if kind == "yes-no":
        answer = "yes" if left is (side == "left") else "no"
        return Draft("yes-no", "own-frame", "own", {**slots, "side": side}, answer, key=key)
    return Draft("open", "own-frame", "which-own", slots, "left" if left else "right", key=key)


def ask_end(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """What colour is the leftmost object? Whether it is leftmost or rightmost says nothing about its colour."""
    expression = nameless(view).get(f"the {_side(rng)}most object")
    if not expression:
        return None
    colour = asked_colour(view[expression.id])
    if colour not in BASIC_COLOURS:
        return None
    return Draft("open", "colour", "colour", {"x": expression}, colour, key=("colour", expression.id))
