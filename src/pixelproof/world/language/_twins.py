"""Questions that compare two things of one noun with different colours."""

from __future__ import annotations

import numpy as np

from ._refer import Expression, unique
from ._truth import Comparison, Phrase, larger, nearer, taller
from ._view import Sentence, View

_COMPARED: dict[str, Comparison] = {
    "taller": taller,
    "larger": larger,
    "closer to the viewer": nearer,
}


def _twins(view: View, rng: np.random.Generator, compare: Comparison) -> tuple[Expression, Expression] | None:
    """Two things of one noun with different colours, in random order, one of which certainly has more of a quality."""
    things = [entity for entity in view.things if entity.colour]
    pairs = [
        (one, other)
        for one in things
        for other in things
        if one.noun == other.noun and one.id != other.id and compare(view, one, other) is not None
    ]
    if not pairs:
        return None
    first, second = (
        Expression(entity.id, Phrase(entity.noun, entity.colour)) for entity in pairs[int(rng.integers(len(pairs)))]
    )
    return (first, second) if unique(view, first) and unique(view, second) else None


def ask_twins(view: View, foil: View, rng: np.random.Generator, kind: str) -> Sentence | None:
    """Is the red mug taller than the blue mug? Which is taller?"""
    more = list(_COMPARED)[int(rng.integers(len(_COMPARED)))]
    compare = _COMPARED[more]
    twins = _twins(view, rng, compare)
    if not twins:
        return None
    first, second = twins
    true = compare(view, view[first.id], view[second.id])
    about = (first.id, second.id)
    if kind == "yes-no":
        text = f"Is {first.text} {more} than {second.text}?"
        return Sentence("yes-no", "comparison", text, "yes" if true else "no", about=about)
    text = f"Which is {more}, {first.text} or {second.text}?"
    return Sentence("open", "comparison", text, (first if true else second).text, about=about)
