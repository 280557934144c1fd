"""How well things match words: 0 no, 1 perhaps, 2 certainly. A conjunction matches as well as its weakest part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pixelproof.world.language import view as limits
from pixelproof.world.language.view import Entity, View
from pixelproof.world.language.words import ALIKE_COLOURS, ALIKE_MATERIALS, OBJECT, PATTERNS, alike

NO, PERHAPS, SURELY = 0, 1, 2
_TINY = 1e-9


@dataclass(frozen=True)
class Meaning:
    """The meaning of a noun phrase."""

    noun: str
    colour: str = ""
    material: str = ""
    most: str = ""
    relation: str = ""
    anchor: Meaning | None = None


def class_fit(entity: Entity, said: Meaning) -> int:
    """How well a thing matches a noun, a colour and a material."""
    fit = SURELY
    if said.noun == OBJECT:
        fit = NO if entity.fixed else SURELY
    elif entity.noun != said.noun:
        fit = PERHAPS if alike(said.noun, entity.noun) else NO
    if said.colour and said.colour != entity.colour:
        fit = min(fit, PERHAPS if entity.colour == "" or (said.colour, entity.colour) in ALIKE_COLOURS else NO)
    if said.material and said.material != entity.material:
        open_question = (
            entity.material == ""
            or (said.material, entity.material) in ALIKE_MATERIALS
            or len({said.material in PATTERNS, entity.material in PATTERNS}) == 2
        )
        fit = min(fit, PERHAPS if open_question else NO)
    if entity.visible < limits.SEEN:
        fit = min(fit, PERHAPS if entity.visible > 0 else NO)
    return fit


def number_of(view: View, said: Meaning) -> int | None:
    """Number of things that match a class; None if one perhaps does."""
    fits = [class_fit(entity, said) for entity in view.entities]
    return None if PERHAPS in fits else fits.count(SURELY)


_WAYS = {
    "left": (-1, 0, 0),
    "right": (1, 0, 0),
    "front": (0, -1, 0),
    "behind": (0, 1, 0),
    "above": (0, 0, 1),
    "below": (0, 0, -1),
}


def relation_fit(view: View, entity: Entity, relation: str, anchor: Entity) -> int:
    """How certainly a thing is in a relation to another."""
    if entity is anchor:
        return NO
    if relation == "on":
        return SURELY if entity.support == anchor.id else (PERHAPS if anchor.id in below(view, entity) else NO)
    if entity.fixed or anchor.fixed or on_each_other(view, entity, anchor):
        return PERHAPS
    way = np.array(_WAYS[relation])
    offset = np.subtract(entity.centre, anchor.centre)
    along, across = float(offset @ way), float(np.abs(offset * (way == 0)).max())
    reach = float(max(np.abs(way) @ entity.extent, np.abs(way) @ anchor.extent)) / 2
    shown = (entity.pixel[0] - anchor.pixel[0]) * way[0] if way[0] else None
    if along <= -limits.MARGIN + _TINY and (shown is None or shown <= -limits.PICTURE + _TINY):
        return NO
    clear = along >= max(limits.MARGIN, across, reach) - _TINY
    return SURELY if clear and (shown is None or shown >= limits.PICTURE - _TINY) else PERHAPS


def below(view: View, entity: Entity) -> list[str]:
    """Ids of the things below a thing in its stack."""
    chain: list[str] = []
    by_id = {other.id: other for other in view.entities}
    while entity.support:
        chain.append(entity.support)
        entity = by_id[entity.support]
    return chain


def _logs(entity: Entity) -> tuple[float, float]:
    return float(np.log(max(entity.size))), float(np.log(np.prod(entity.size)))


def lead(view: View, entity: Entity, others: list[Entity], most: str) -> int:
    """How certainly a thing has more of a quality than each of some others; `NO` if one certainly has more."""
    return min((_more(view, entity, other, most) for other in others), default=SURELY)


def on_each_other(view: View, one: Entity, other: Entity) -> bool:
    """Whether one of two things is below the other in a stack."""
    return one.id in below(view, other) or other.id in below(view, one)


def _covered(entity: Entity, axis: int) -> np.ndarray:
    """Start, centre and end of a thing along an axis of the viewer."""
    return np.array(entity.centre[axis]) + np.array([-0.5, 0.0, 0.5]) * entity.extent[axis]


def _shown(entity: Entity) -> np.ndarray:
    """The same for the horizontal image coordinate."""
    before, after, *_ = entity.reach
    return entity.pixel[0] + np.array([-before, 0.0, after])


def _more(view: View, one: Entity, other: Entity, most: str) -> int:
    """Whether the first thing has more: every measure must differ by its margin, in the same direction.

    For two things of one stack, further to a side and nearer are always uncertain.
    """
    if most in ("leftmost", "rightmost", "nearest", "farthest") and on_each_other(view, one, other):
        return PERHAPS
    flip = -1.0 if most in ("rightmost", "farthest", "smallest", "shortest", "lowest") else 1.0
    tall = np.log(one.extent[2] / other.extent[2]) / np.log(limits.TALLER[0])
    taller = [tall, (one.extent[2] - other.extent[2]) / limits.TALLER[1]]
    outer = slice(1, 3) if flip < 0 else slice(0, 2)  # the middle, and the end at which more is sought
    if most in ("leftmost", "rightmost"):
        gaps = [
            *(_covered(other, 0) - _covered(one, 0))[outer] / limits.MARGIN,
            *(_shown(other) - _shown(one))[outer] / limits.PICTURE,
        ]
    elif most in ("nearest", "farthest"):
        gaps = [
            float(np.linalg.norm(other.centre) - np.linalg.norm(one.centre)) / limits.MARGIN,
            *(_covered(other, 1) - _covered(one, 1))[outer] / limits.MARGIN,
        ]
    elif most in ("largest", "smallest"):
        gaps = list(np.subtract(_logs(one), _logs(other)) / np.log(limits.LARGER))
    elif most == "tallest":
        gaps = taller
    elif most == "shortest":
        long = np.log(max(one.size) / max(other.size)) / np.log(limits.TALLER[0])
        gaps = [*taller, long, (max(one.size) - max(other.size)) / limits.TALLER[1]]
    else:
        gaps = list((_covered(one, 2) - _covered(other, 2))[::2] / limits.MARGIN)
    signed = flip * np.array(gaps)
    if np.all(signed >= 1 - 1e-6):
        return SURELY
    return NO if np.all(signed <= -1 + 1e-6) else PERHAPS


def resolve(view: View, said: Meaning) -> tuple[Entity | None, str]:
    """The thing that a definite phrase refers to; or None and the reason, if it is not certainly unique."""
    anchor = None
    if said.anchor:
        anchor, why = resolve(view, said.anchor)
        if anchor is None:
            return None, why
    fits = [class_fit(entity, said) for entity in view.entities]
    if anchor is not None:
        fits = [
            min(fit, relation_fit(view, entity, said.relation, anchor))
            for fit, entity in zip(fits, view.entities, strict=True)
        ]
    if said.most:
        if PERHAPS in fits or fits.count(SURELY) < 2:
            return None, f"what the {said.most} {said.noun} is compared with is open"
        rivals = [entity for fit, entity in zip(fits, view.entities, strict=True) if fit == SURELY]
        fits = [
            lead(view, entity, [other for other in rivals if other is not entity], said.most)
            if entity in rivals
            else NO
            for entity in view.entities
        ]
        fits = [fit if fit == SURELY else NO for fit in fits]
    sure = [entity for fit, entity in zip(fits, view.entities, strict=True) if fit == SURELY]
    perhaps = fits.count(PERHAPS)
    if len(sure) != 1 or perhaps:
        return None, f"{len(sure)} things surely and {perhaps} perhaps are {said.colour} {said.noun}".replace("  ", " ")
    return sure[0], ""
