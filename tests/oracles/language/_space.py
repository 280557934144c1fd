"""Places as the checker computes them: vectors and matrices instead of lengths along axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.world.language import view as limits
from pixelproof.world.language.view import Entity, View
from pixelproof.world.language.words import CONTAINERS, OWNERS, SURFACES

from ._fits import NO, PERHAPS, SURELY, below, lead, on_each_other, relation_fit

_TINY = 1e-9


def _offset(first: Entity, second: Entity) -> np.ndarray:
    return np.subtract(second.centre, first.centre)


def _gap(first: Entity, second: Entity) -> float:
    """Length of the shortest way between two boxes."""
    low, high = (
        np.array([np.array(e.centre) + half * np.array(e.extent) for e in (first, second)]) for half in (-0.5, 0.5)
    )
    return float(np.linalg.norm(np.clip(low.max(axis=0) - high.min(axis=0), 0, None)))


def _separate(view: View, *things: Entity) -> bool:
    """Whether all are different things, none of which is below another."""
    return len({thing.id for thing in things}) == len(things) and not any(
        on_each_other(view, one, other) for one in things for other in things if one is not other
    )


def clear_lead(view: View, best: Entity, other: Entity, most: str) -> int:
    """How certainly the first thing has more of a quality; perhaps, if a person could not tell from the viewpoint."""
    far = float(np.linalg.norm([best.centre, other.centre], axis=1).max())
    if most in ("leftmost", "rightmost"):
        return _both_ends(view, best, other, most)
    if most in ("nearest", "farthest"):
        step = abs(_offset(best, other)[2] + (best.extent[2] - other.extent[2]) / 2)
        level = step <= limits.SAME_FLOOR + _TINY
        clear = abs(_offset(best, other)[1]) / (limits.CLEAR_DEPTH if level else limits.CLEAR_DEPTH_APART)
    elif most in ("highest", "lowest"):
        ends = _offset(best, other)[2] + np.array([-0.5, 0.5]) * (other.extent[2] - best.extent[2])
        clear = float(np.abs(ends).min()) / limits.CLEAR_HEIGHT
    else:
        sizes = [one.extent[2] if most in ("tallest", "shortest") else max(one.size) for one in (best, other)]
        unlike = abs(np.log(sizes[0] / sizes[1])) >= np.log(limits.CLEAR_SIZE[0]) - _TINY
        clear = abs(sizes[0] - sizes[1]) / limits.CLEAR_SIZE[1] if unlike else 0.0
    return lead(view, best, [other], most) if clear >= far - 1e-6 else PERHAPS


def _both_ends(view: View, best: Entity, other: Entity, most: str) -> int:
    """Further to a side by both ends: by the outer one of each side."""
    opposite = {"leftmost": "rightmost", "rightmost": "leftmost"}[most]
    ahead, behind = lead(view, best, [other], most), lead(view, other, [best], opposite)
    return ahead if ahead == behind else PERHAPS


def said_fit(view: View, thing: Entity, relation: str, anchor: Entity) -> int:
    """How certainly a relation is one that people would state: above and below only within a cone."""
    fit = relation_fit(view, thing, relation, anchor)
    if fit == SURELY and relation in ("above", "below"):
        way = _offset(anchor, thing)
        slope = float(np.linalg.norm(way[:2])) / abs(float(way[2]))
        return SURELY if slope <= limits.OVERHEAD + _TINY else PERHAPS
    return fit


def between_fit(view: View, middle: Entity, first: Entity, second: Entity) -> int:
    """How certainly a thing is between two others, in space and in the image."""
    if not _separate(view, middle, first, second) or min(_gap(middle, first), _gap(middle, second)) <= 0:
        return PERHAPS
    fits = []
    for points in (
        np.array([first.centre, middle.centre, second.centre]),
        np.array([first.pixel, middle.pixel, second.pixel]),
    ):
        way = points[2] - points[0]
        length = float(np.linalg.norm(way))
        if length < limits.APART - _TINY:
            return PERHAPS
        along = float((points[1] - points[0]) @ way) / length
        aside = float(np.sqrt(max(0.0, np.sum((points[1] - points[0]) ** 2) - along**2))) / length
        inner = min(along, length - along) / length
        if inner >= limits.BETWEEN[0] - 1e-6 and aside <= limits.BETWEEN[1] + 1e-6:
            fits.append(SURELY)
        else:
            outside = inner <= limits.NOT_BETWEEN[0] + 1e-6 or aside >= limits.NOT_BETWEEN[1] - 1e-6
            fits.append(NO if outside else PERHAPS)
    return fits[0] if fits[0] == fits[1] else PERHAPS


def nearer_fit(view: View, place: Entity, one: Entity, other: Entity) -> int:
    """How certainly a thing is nearer to a place than another, by centres and by gaps."""
    if not _separate(view, place, one, other):
        return PERHAPS
    ways = np.array([[np.linalg.norm(_offset(place, thing)), _gap(place, thing)] for thing in (one, other)]).T
    ratio, least = limits.CLEAR_WAY
    wins = [(a * ratio <= b + _TINY and b - a >= least - _TINY) for a, b in ways]
    losses = [(b * ratio <= a + _TINY and a - b >= least - _TINY) for a, b in ways]
    return SURELY if all(wins) else (NO if all(losses) else PERHAPS)


def own_side(view: View, owner: Entity, thing: Entity) -> str:
    """Side of a thing on which another is, for somebody in its place who faces its way; empty if uncertain."""
    if owner.front is None or owner.noun not in OWNERS or not _separate(view, owner, thing):
        return ""
    sides = np.reshape(owner.reach, (2, 2)).sum(axis=1)
    if sides.max() < limits.OWN_FRAME - _TINY:
        return ""
    ahead = np.array([*owner.front, 0.0])
    left = np.cross([0.0, 0.0, 1.0], ahead)
    way = _offset(owner, thing)
    aside = float(way @ left)
    least = max(limits.MARGIN, owner.size[0] / 2, abs(float(way @ ahead)), abs(float(way[2])))
    return ("left" if aside > 0 else "right") if abs(aside) >= least - _TINY else ""


def distance_fits(view: View, first: Entity, second: Entity, centimetres: float) -> int:
    """How certainly a distance is about so many centimetres, wherever it is measured; perhaps, if that is no step."""
    if not _separate(view, first, second) or not np.isclose(limits.STEPS_CM, centimetres, rtol=1e-6).any():
        return PERHAPS
    lengths = np.array([np.linalg.norm(_offset(first, second)), _gap(first, second)]) * 100
    if np.any(lengths <= 0):
        return PERHAPS
    off = np.abs(np.log(lengths / centimetres))
    if np.all(off <= np.log(limits.ROUGHLY) + 1e-6):
        return SURELY
    return NO if np.all(off >= np.log(limits.DOUBLE / limits.ROUGHLY) - 1e-6) else PERHAPS


def load_fit(view: View, ground: Entity) -> int:
    """How certainly something is on a thing or in it."""
    if ground.noun not in SURFACES and ground.noun not in CONTAINERS:
        return PERHAPS
    there = [entity for entity in view.entities if below(view, entity)[:1] == [ground.id]]
    if any(entity.visible >= limits.SEEN for entity in there):
        return SURELY
    return PERHAPS if there else NO


IMAGINED = {"left": (-1, 0, 0), "right": (1, 0, 0), "closer": (0, -1, 0), "away": (0, 1, 0)}
"""Direction of an imagined move → unit vector of the viewer's frame."""


def imagined_move(view: View, thing: Entity, metres: float, way: str) -> Entity | None:
    """A thing after a move along the ground; None if its centre leaves the picture or the camera is unknown."""
    if view.picture is None or thing.fixed:
        return None
    matrix = np.array(view.picture)
    points = np.array([thing.centre, thing.centre + metres * np.array(IMAGINED[way])])
    images = points @ matrix.T
    if np.any(images[:, 2] <= 0):
        return None
    pixel = images[1, :2] / images[1, 2]
    if np.any(np.abs(pixel - 0.5) > 0.5 - limits.FRAME + _TINY):
        return None
    reach = np.array(thing.reach) * images[0, 2] / images[1, 2]
    return replace(thing, centre=tuple(points[1].tolist()), pixel=tuple(pixel.tolist()), reach=tuple(reach.tolist()))


def separation_cm(view: View, first: Entity, second: Entity) -> float | None:
    """Centimetres between the centres of two things; None if they touch or stand on each other."""
    if not _separate(view, first, second) or _gap(first, second) <= 0:
        return None
    return 100 * float(np.linalg.norm(_offset(first, second)))
