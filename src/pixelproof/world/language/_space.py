"""Three-valued truth about places: between, near, on, and the left and right of things that have a front."""

from __future__ import annotations

import math

from ._truth import Truth, relation
from .view import (
    APART,
    BETWEEN,
    CLEAR_WAY,
    MARGIN,
    NOT_BETWEEN,
    OVERHEAD,
    OWN_FRAME,
    ROUGHLY,
    SEEN,
    STEPS_CM,
    Entity,
    View,
)
from .words import CONTAINERS, OWNERS, SURFACES

Point = tuple[float, ...]


def distances(first: Entity, second: Entity) -> tuple[float, float]:
    """Distance between the centres of two things and the gap between their boxes, in metres."""
    ways = [abs(a - b) for a, b in zip(first.centre, second.centre, strict=True)]
    gaps = [max(0.0, way - (a + b) / 2) for way, a, b in zip(ways, first.extent, second.extent, strict=True)]
    return math.hypot(*ways), math.hypot(*gaps)


def step_cm(view: View, first: Entity, second: Entity) -> int | None:
    """The step of the distance of two things, in centimetres; None if centres and gap have no step in common."""
    if first.id == second.id or view.stacked(first.id, second.id):
        return None
    centres, gap = (100 * metres for metres in distances(first, second))
    if gap <= 0:
        return None
    best = min(STEPS_CM, key=lambda step: abs(math.log(step / math.sqrt(centres * gap))))
    return best if centres <= ROUGHLY * best and gap >= best / ROUGHLY else None


def nearer_to(view: View, place: Entity, first: Entity, second: Entity) -> Truth:
    """Whether the first thing is nearer to a place than the second, by centres and by gaps."""
    ids = {place.id, first.id, second.id}
    if len(ids) < 3 or any(view.stacked(one, other) for one in ids for other in ids if one < other):
        return None
    truths: set[Truth] = set()
    for one, other in zip(distances(place, first), distances(place, second), strict=True):
        near, far = sorted((one, other))
        truths.add(one < other if far >= CLEAR_WAY[0] * near and far - near >= CLEAR_WAY[1] else None)
    return truths.pop() if len(truths) == 1 else None


def _along(middle: Point, first: Point, second: Point) -> tuple[float, float]:
    """Share of the way from the first to the second point, and offset from it as a share of its length."""
    way = [b - a for a, b in zip(first, second, strict=True)]
    here = [b - a for a, b in zip(first, middle, strict=True)]
    length = math.hypot(*way)
    share = sum(a * b for a, b in zip(way, here, strict=True)) / length**2
    return share, math.hypot(*(b - share * a for a, b in zip(way, here, strict=True))) / length


def is_between(view: View, middle: Entity, first: Entity, second: Entity) -> Truth:
    """Whether a thing is between two others, in space and in the image."""
    ids = {middle.id, first.id, second.id}
    if len(ids) < 3 or any(view.stacked(one, other) for one in ids for other in ids if one < other):
        return None
    if min(math.dist(first.centre, second.centre), _image(first, second)) < APART:
        return None
    if 0.0 in (distances(middle, first)[1], distances(middle, second)[1]):
        return None
    truths: set[Truth] = set()
    for share, offset in (
        _along(middle.centre, first.centre, second.centre),
        _along(middle.pixel, first.pixel, second.pixel),
    ):
        inner = min(share, 1 - share)
        if inner >= BETWEEN[0] and offset <= BETWEEN[1]:
            truths.add(True)
        else:
            truths.add(False if inner <= NOT_BETWEEN[0] or offset >= NOT_BETWEEN[1] else None)
    return truths.pop() if len(truths) == 1 else None


def _image(first: Entity, second: Entity) -> float:
    return math.dist(first.pixel, second.pixel)


def own_left(view: View, owner: Entity, thing: Entity) -> Truth:
    """Whether a thing is on the left of another, for somebody who is in the other's place and faces its way."""
    if owner.front is None or owner.noun not in OWNERS or owner.id == thing.id or view.stacked(owner.id, thing.id):
        return None
    if max(owner.reach[0] + owner.reach[1], owner.reach[2] + owner.reach[3]) < OWN_FRAME:
        return None
    x, y = owner.front
    way = [b - a for a, b in zip(owner.centre, thing.centre, strict=True)]
    forward, left = way[0] * x + way[1] * y, way[1] * x - way[0] * y
    clear = max(MARGIN, owner.size[0] / 2, abs(forward), abs(way[2]))
    return left > 0 if abs(left) >= clear else None


def carries(view: View, ground: Entity) -> Truth:
    """Whether something stands on a thing, or is in it; None if what does is hardly visible."""
    if ground.noun not in (*SURFACES, *CONTAINERS):
        return None
    shares = [entity.visible for entity in view.entities if entity.support == ground.id]
    if not shares:
        return False
    return True if max(shares) >= SEEN else None


def related(view: View, name: str, first: Entity, second: Entity) -> Truth:
    """A relation to a thing, where people would say so.

    In front of and behind things with a front have two readings, and what is above another is not far to its side.
    """
    if name in ("front", "behind") and second.front:
        return None
    truth = relation(view, name, first, second)
    if truth and name in ("above", "below"):
        *level, up = (abs(a - b) for a, b in zip(first.centre, second.centre, strict=True))
        return True if math.hypot(*level) <= OVERHEAD * up else None
    return truth
