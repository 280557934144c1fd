"""Comparisons of two things that questions ask for, and the words for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ._draft import Place, Word
from ._refer import named, plain
from ._space import is_between, nearer_to
from ._truth import BEATS, Comparison, Truth, more_left, relation
from .view import CLEAR_DEPTH, CLEAR_DEPTH_APART, CLEAR_HEIGHT, CLEAR_SIZE, SAME_FLOOR, Entity, View
from .words import CONTAINERS, SURFACES

PLAIN = ("noun", "attribute")
"""Forms of expressions in questions: `the leftmost mug` could reveal the answer."""
AXES = {
    "leftmost": "side", "rightmost": "side", "left": "side", "right": "side",
    "nearest": "depth", "farthest": "depth", "front": "depth", "behind": "depth",
    "highest": "height", "lowest": "height", "above": "height", "below": "height",
    "tallest": "tall", "largest": "size", "smallest": "size", "on": "on",
}  # fmt: skip
"""Superlative or relation → what it is about; only one question is asked about two things and an axis."""
QUALITIES = {
    "depth": ("nearest", "farthest"),
    "height": ("highest", "lowest"),
    "comparison": ("tallest", "largest", "smallest"),
}
"""Form → superlatives whose comparatives it asks for."""


@dataclass(frozen=True)
class Quality:
    """Something that one of two things has more of."""

    axis: object
    compare: Comparison
    """Whether the first of two things has more of it, certainly."""
    yes_no: str
    """Template of the yes/no question; it may be about the first thing alone."""
    which: str
    slots: dict[str, Word] = field(default_factory=dict)
    second: str = "y"
    """Slot of the second thing."""


def quality(name: str) -> Quality:
    """The quality of a superlative, such as `tallest`; left and right by both ends, others where a person can tell."""
    if name == "leftmost":
        compare: Comparison = more_left
    elif name == "rightmost":
        compare = lambda view, one, other: more_left(view, other, one)  # noqa: E731
    else:
        compare = lambda view, one, other: BEATS[name](view, one, other) if clear(name, one, other) else None  # noqa: E731
    return Quality(AXES[name], compare, "more", "which", {"more": name})


def clear(name: str, first: Entity, second: Entity) -> bool:
    """Whether two things differ enough in a quality for a person to tell, seen from where the viewer is.

    Left and right have margins of their own, in space and in the image.
    """
    if AXES[name] == "side":
        return True
    distance = max(math.hypot(*first.centre), math.hypot(*second.centre))
    if AXES[name] == "depth":
        feet = [one.centre[2] - one.extent[2] / 2 for one in (first, second)]
        share = CLEAR_DEPTH if abs(feet[0] - feet[1]) <= SAME_FLOOR else CLEAR_DEPTH_APART
        return abs(first.centre[1] - second.centre[1]) >= share * distance
    if AXES[name] == "height":
        ends = [
            abs(first.centre[2] + half * first.extent[2] - second.centre[2] - half * second.extent[2])
            for half in (-0.5, 0.5)
        ]
        return min(ends) >= CLEAR_HEIGHT * distance
    low, high = sorted(one.extent[2] if name == "tallest" else max(one.size) for one in (first, second))
    return high >= CLEAR_SIZE[0] * low and high - low >= CLEAR_SIZE[1] * distance


def draw_quality(view: View, rng: np.random.Generator, form: str) -> Quality | None:
    """A quality of a form of questions, with other things that its words refer to; None if there are none."""
    if form in QUALITIES:
        return quality(QUALITIES[form][int(rng.integers(len(QUALITIES[form])))])
    if form == "support":
        return _on(view, rng)
    anchors = named(view, rng, 1 if form == "distance" else 2, PLAIN)
    if not anchors:
        return None
    ends = [view[anchor.id] for anchor in anchors]
    axis = (form, frozenset(anchor.id for anchor in anchors))
    if form == "distance":
        near = lambda view, one, other: nearer_to(view, ends[0], one, other)  # noqa: E731
        return Quality(axis, near, "near", "which-near", {"z": anchors[0]})
    inside = _having(lambda view, one: is_between(view, one, *ends))
    return Quality(axis, inside, "between", "which-between", dict(zip("yz", anchors, strict=True)), "other")


def _on(view: View, rng: np.random.Generator) -> Quality | None:
    grounds = [entity for entity in view.entities if entity.noun in (*SURFACES, *CONTAINERS)]
    if not grounds:
        return None
    ground = grounds[int(rng.integers(len(grounds)))]
    if not (anchor := plain(view, ground)):
        return None
    compare = _having(lambda view, one: relation(view, "on", one, ground))
    slots: dict[str, Word] = {"place": Place("on", ground.noun), "y": anchor}
    return Quality(("on", ground.id), compare, "related", "which-on", slots, "other")


def _having(has: Callable[[View, Entity], Truth]) -> Comparison:
    """Comparison by a property: whether the first thing has it and the second has not."""

    def compare(view: View, first: Entity, second: Entity) -> Truth:
        truths = has(view, first), has(view, second)
        return None if None in truths or truths[0] == truths[1] else truths[0]

    return compare
