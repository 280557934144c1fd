"""Questions about two or more things that could change places."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ._comparisons import AXES, QUALITIES, Quality, draw_quality, quality
from ._draft import Draft
from ._exchangeable import Pair, coloured, twins
from ._refer import Expression
from .view import View

CHOICES = 4
_TRIES = 8
"""How often other things are drawn that a question may name, such as those that a thing is between."""


def _pairs(view: View, asked: Quality) -> list[Pair]:
    """Twins of which one certainly has more of a quality that none of them is named in."""
    anchors = {word.id for word in asked.slots.values() if isinstance(word, Expression)}
    return [
        pair
        for pair in twins(view)
        if not anchors & {one.id for one in pair} and asked.compare(view, *(view[one.id] for one in pair)) is not None
    ]


def ask_twins(view: View, foil: View, rng: np.random.Generator, kind: str, form: str) -> Draft | None:
    """Is the red mug closer to the viewer than the blue mug? Which of the two is on the tray?"""
    for _ in range(_TRIES if twins(view) else 0):
        asked = draw_quality(view, rng, form)
        pairs = _pairs(view, asked) if asked else []
        if asked and pairs:
            break
    else:
        return None
    first, second = pairs[int(rng.integers(len(pairs)))]
    leads = asked.compare(view, view[first.id], view[second.id])
    key = (asked.axis, frozenset((first.id, second.id)))
    slots = {**asked.slots, "x": first, asked.second: second}
    if kind == "yes-no":
        return Draft("yes-no", form, asked.yes_no, slots, "yes" if leads else "no", key=key)
    return Draft("open", form, asked.which, slots, first if leads else second, key=key)


def ask_most(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """Which of these is further to the left? All are things of one noun that differ in colour."""
    groups = list(coloured(view).values())
    names = ("leftmost", "rightmost", *(name for names in QUALITIES.values() for name in names))
    name = names[int(rng.integers(len(names)))]
    if not groups:
        return None
    group = groups[int(rng.integers(len(groups)))]
    offered = [group[index] for index in rng.permutation(len(group))[:CHOICES]]
    compare = quality(name).compare
    for one, other in permutations(offered, 2):
        if view.stacked(one.id, other.id) or compare(view, view[one.id], view[other.id]) is None:
            return None
    best = [
        one
        for one in offered
        if all(compare(view, view[one.id], view[other.id]) for other in offered if other is not one)
    ]
    if not best:
        return None
    key = (AXES[name], frozenset(one.id for one in offered))
    template, slot = ("more-of-two", "more") if len(offered) == 2 else ("most", "most")
    return Draft("choice", "which", template, {slot: name}, best[0], tuple(offered), key)
