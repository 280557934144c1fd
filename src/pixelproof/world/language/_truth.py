"""Three-valued truth about a view: True, False, or None for uncertain.

Every relation has a margin on both sides. Within it the answer is None, and no sentence depends on it. The same holds
for words: whether a navy mug is a blue mug is uncertain, and so is whether a barely visible thing counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from .view import LARGER, MARGIN, PICTURE, SEEN, TALLER, Entity, View
from .words import ALIKE_COLOURS, ALIKE_MATERIALS, BARE_METAL, OBJECT, PATTERNS, alike

Truth = bool | None


def both(truths: Iterable[Truth]) -> Truth:
    """Three-valued conjunction: False if one is False, else None if one is None.

    >>> both([True, None]), both([None, False]), both([])
    (None, False, True)
    """
    found = list(truths)
    return False if False in found else (None if None in found else True)


def _differ(first: float, second: float, margin: float) -> Truth:
    """Whether the first value is smaller by a margin; False if it is larger by the margin, else None."""
    return True if second - first >= margin else (False if first - second >= margin else None)


def _agree(*truths: Truth) -> Truth:
    return truths[0] if len(set(truths)) == 1 else None


@dataclass(frozen=True)
class Phrase:
    """A class of things: a noun with or without a colour and a material."""

    noun: str
    colour: str = ""
    material: str = ""


def is_a(entity: Entity, phrase: Phrase) -> Truth:
    """Whether a phrase describes a thing."""
    truth = both((_noun(entity, phrase.noun), _colour(entity, phrase.colour), _material(entity, phrase.material)))
    if entity.visible <= 0:
        return False
    return None if truth and entity.visible < SEEN else truth


def _noun(entity: Entity, noun: str) -> Truth:
    if noun == OBJECT:
        return not entity.fixed
    return True if entity.noun == noun else (None if alike(entity.noun, noun) else False)


def _colour(entity: Entity, colour: str) -> Truth:
    if not colour or entity.colour == colour:
        return True
    return None if not entity.colour or (entity.colour, colour) in ALIKE_COLOURS else False


def _material(entity: Entity, material: str) -> Truth:
    if not material or entity.material == material:
        return True
    patterned = (entity.material in PATTERNS) != (material in PATTERNS)
    return None if not entity.material or patterned or (entity.material, material) in ALIKE_MATERIALS else False


def asked_colour(entity: Entity) -> str:
    """The colour that a person would name; empty if there is none, or if it is that of bare metal."""
    return "" if entity.material == "metal" and entity.colour in BARE_METAL else entity.colour


@lru_cache(maxsize=512)  # views are large: a thousand of them would fill the memory
def truths_of(view: View, phrase: Phrase) -> tuple[Truth, ...]:
    """Whether a phrase describes each entity of a view, in their order."""
    return tuple(is_a(entity, phrase) for entity in view.entities)


def count(view: View, phrase: Phrase) -> int | None:
    """Number of things of a class; None if uncertain."""
    truths = truths_of(view, phrase)
    return None if None in truths else truths.count(True)


def relation(view: View, name: str, first: Entity, second: Entity) -> Truth:
    """Whether the first thing stands in a relation, a key of `RELATIONS`, to the second."""
    if first.id == second.id:
        return False
    if name == "on":
        if first.support == second.id:
            return True
        return None if second.id in view.supports(first.id) else False
    if first.fixed or second.fixed or view.stacked(first.id, second.id):
        return None
    if name in ("right", "behind", "below"):
        return relation(view, {"right": "left", "behind": "front", "below": "above"}[name], second, first)
    return _beside(name, first, second)


def _beside(name: str, first: Entity, second: Entity) -> Truth:
    """Whether a thing is left of, in front of or above another: outside its box, mainly in that direction."""
    ways = [b - a for a, b in zip(first.centre, second.centre, strict=True)]
    axis = {"left": 0, "front": 1, "above": 2}[name]
    way = -ways[2] if name == "above" else ways[axis]
    truth = _differ(0.0, way, MARGIN)
    if name == "left":
        truth = _agree(truth, _differ(first.pixel[0], second.pixel[0], PICTURE))
    clear = max(first.extent[axis], second.extent[axis]) / 2
    if truth and (way < clear or way < max(abs(other) for other in ways)):
        return None
    return truth


def nearer(view: View, first: Entity, second: Entity, end: int = -1) -> Truth:
    """Whether the first thing is nearer to the camera: in 3-D distance, and along the ground by its centre and one end.

    The end is the near one (-1) or the far one (1).
    """
    if view.stacked(first.id, second.id):
        return None
    space = _differ(math.hypot(*first.centre), math.hypot(*second.centre), MARGIN)
    return _agree(space, *(_differ(_end(first, 1, at), _end(second, 1, at), MARGIN) for at in (0, end)))


def more_left(view: View, first: Entity, second: Entity, ends: tuple[int, ...] = (-1, 1)) -> Truth:
    """Whether the first thing is further left by its centre and its ends, in space and in the image.

    `leftmost` uses only the left end (-1). Questions use both ends; otherwise large things would win on either side,
    and the noun alone would reveal the answer.
    """
    if view.stacked(first.id, second.id):
        return None
    space = [_differ(_end(first, 0, at), _end(second, 0, at), MARGIN) for at in (0, *ends)]
    return _agree(*space, *(_differ(_shown(first, at), _shown(second, at), PICTURE) for at in (0, *ends)))


def _end(entity: Entity, axis: int, at: int) -> float:
    """Coordinate along an axis of the start (-1), centre (0) or end (1) of a thing."""
    return entity.centre[axis] + at * entity.extent[axis] / 2


def _shown(entity: Entity, at: int) -> float:
    """The same for the horizontal image coordinate."""
    return entity.pixel[0] + (-entity.reach[0], 0.0, entity.reach[1])[at + 1]


def higher(view: View, first: Entity, second: Entity) -> Truth:
    """Whether the first thing is higher by both its foot and its top."""
    return _agree(*(_differ(_end(second, 2, at), _end(first, 2, at), MARGIN) for at in (-1, 1)))


def taller(view: View, first: Entity, second: Entity) -> Truth:
    """Whether the first thing has the larger height, foot to top."""
    return _ratio(first.extent[2], second.extent[2], TALLER[0], TALLER[1])


def larger(view: View, first: Entity, second: Entity) -> Truth:
    """Whether the first thing is larger by both its longest side and the volume of its box."""
    length = _ratio(max(first.size), max(second.size), LARGER[0])
    return _agree(length, _ratio(math.prod(first.size), math.prod(second.size), LARGER[1]))


def _ratio(first: float, second: float, ratio: float, least: float = 0.0) -> Truth:
    low, high = sorted((first, second))
    return first > second if high >= ratio * low and high - low >= least else None


def _shorter(view: View, first: Entity, second: Entity) -> Truth:
    """Whether a thing is shorter by both height and longest side: a long thing that lies is not short."""
    return _agree(taller(view, second, first), _ratio(max(second.size), max(first.size), TALLER[0], TALLER[1]))


Comparison = Callable[[View, Entity, Entity], Truth]
BEATS: dict[str, Comparison] = {
    "leftmost": lambda view, first, second: more_left(view, first, second, (-1,)),
    "rightmost": lambda view, first, second: more_left(view, second, first, (1,)),
    "nearest": nearer,
    "farthest": lambda view, first, second: nearer(view, second, first, 1),
    "largest": larger,
    "smallest": lambda view, first, second: larger(view, second, first),
    "tallest": taller,
    "shortest": _shorter,
    "highest": higher,
    "lowest": lambda view, first, second: higher(view, second, first),
}
"""Superlative → comparison: whether the first of two things has more of it."""


@lru_cache(maxsize=512)  # views are large: a thousand of them would fill the memory
def most(view: View, superlative: str, phrase: Phrase) -> Entity | None:
    """The thing of a class that exceeds all others in a superlative; None if uncertain or if there is only one."""
    truths = truths_of(view, phrase)
    if None in truths:
        return None
    things = [entity for entity, truth in zip(view.entities, truths, strict=True) if truth]
    beats = BEATS[superlative]
    winners = [one for one in things if all(beats(view, one, other) for other in things if other is not one)]
    return winners[0] if len(things) > 1 and winners else None


def distance(first: Entity, second: Entity) -> float:
    """Distance between the centres of two things, in metres."""
    return math.dist(first.centre, second.centre)
