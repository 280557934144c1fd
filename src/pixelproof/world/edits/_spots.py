"""Where things can stand or lie: free places on level surfaces, and places in containers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from pixelproof.world.solid import Scene, Thing, rotation_matrix
from pixelproof.world.solid._poses import Floats, vector
from pixelproof.world.solid._settle import corners, settle
from pixelproof.world.solid._surfaces import hollow_of, surfaces_of
from pixelproof.world.solid.layouts._placing import Ground, grounds, is_inside, nearer, outline

from ._transforms import foot, load_of, pivot, shifted

_GAP = 0.001
"""Height above the inner floor from which a thing is let down, in metres."""
_MOST_TILT = 8.0
"""Largest tilt of a thing when it comes to rest, in degrees: it stands or lies in the container as it did outside."""
_MOST_TURN = 12.0
"""Largest rotation of a thing when it comes to rest, about any axis, in degrees."""
_MOST_SLIDE = 0.02
"""Largest distance that a thing slides when it comes to rest, in metres."""
_OUT = 0.7
"""Largest share of the height of a thing that may be above the rim of the container."""


def is_container(thing: Thing) -> bool:
    """Whether things that are put into a thing come to rest in its hollow, which has no level surface."""
    return hollow_of(thing) is not None and not surfaces_of(thing)


def dropped(scene: Scene, thing: Thing, container: Thing) -> Thing | None:
    """A thing at rest in an upright container, almost in its rotation; None if it does not fit, turns or slides.

    Args:
        scene: The scene.
        thing: The thing; it carries nothing.
        container: A thing with a hollow.
    """
    hollow = hollow_of(container)
    turn = rotation_matrix(container.rotation)
    if hollow is None or turn[2, 2] < 0.999:
        return None
    floor = turn @ np.multiply(container.scale, hollow.centre) + container.position
    if min(np.ptp(_outline(thing), axis=0)) > container.scale * max(hollow.width, hollow.depth):
        return None
    held = replace(shifted(thing, floor + (0.0, 0.0, _GAP) - pivot(thing)), support=container.id)
    around = [other for other in scene.things if other.id != thing.id]
    rested = settle((*around, held))
    if rested is None:
        return None
    there = rested[-1]
    turned = rotation_matrix(there.rotation) @ rotation_matrix(held.rotation).T
    tilt = float(np.degrees(np.arccos(np.clip(turned[2, 2], -1, 1))))
    turn_deg = float(np.degrees(np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1))))
    slide = float(np.linalg.norm((pivot(there) - pivot(held))[:2]))
    rim = float(max(piece[:, 2].max() for piece in corners(container)))
    top = float(max(piece[:, 2].max() for piece in corners(there)))
    if there.support != container.id or tilt > _MOST_TILT or turn_deg > _MOST_TURN or slide > _MOST_SLIDE:
        return None
    return there if top - rim <= _OUT * (top - foot(there)) else None


def _outline(thing: Thing) -> Floats:
    return np.concatenate(corners(thing))[:, :2]


def level_surfaces(scene: Scene) -> list[Ground]:
    """All level surfaces of the things of a scene, and the floors of upright containers, in the world."""
    surfaces = [ground for thing in scene.things for ground in grounds(thing)]
    for thing in scene.things:
        hollow, turn = hollow_of(thing), rotation_matrix(thing.rotation)
        if is_container(thing) and hollow is not None and turn[2, 2] > 0.999:
            centre = vector(turn @ np.multiply(thing.scale, hollow.centre) + thing.position)
            along = turn[:2, 0] / np.linalg.norm(turn[:2, 0])
            surfaces.append(Ground(thing.id, centre, along, thing.scale * hollow.width, thing.scale * hollow.depth))
    return surfaces


def rests_on(scene: Scene, id: str, other: str) -> bool:
    """Whether the foot of a thing is on a level surface of another, or in its hollow if that is a container.

    The `support` that the scene states does not count.

    Args:
        scene: The scene; it must have both things.
        id: Id of the thing.
        other: Id of what it may stand on.
    """
    thing, below = scene.thing(id), scene.thing(other)
    place, low = pivot(thing)[None, :2], foot(thing)
    if any(abs(ground.centre[2] - low) <= _LEVEL and ground.inset(place) >= 0 for ground in grounds(below)):
        return True
    rim = float(max(piece[:, 2].max() for piece in corners(below)))
    within = foot(below) - 0.001 <= low < rim
    return is_container(below) and within and is_inside(place[0], outline(below))


_EDGE = 0.01
"""Least distance of a thing that is put down from the edge of the surface, in metres."""
_APART = 0.005
"""Least distance of it from other things, in metres."""
_BESIDE = 0.02
"""Distance from the edge at which a thing is put at an end, in metres."""
_LEVEL = 0.02
"""Largest distance of a thing's lowest point from the surface that it stands on, in metres."""
_ALIGNED = 0.85
"""Least cosine between a direction of the viewer and the axis of a surface whose end it names."""
_FRAME = 0.05
"""Margin of the picture that the point where a thing is put keeps, as a share of the side."""
_AT_END = 0.6
"""Least share of the way from the middle of a surface to its end at which a thing is at that end."""
_MIDDLE = 0.2
"""Half the extent of the middle of a surface, as a share of half its width and depth."""
_SPOTS = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "back": (0, 1)}
_ASIDE = 0.3
"""Least cosine between the way from the middle of a surface to its corner and each of the directions that name it."""
_IN_CORNER = 0.5
"""The same for a corner, along both sides."""
_GRID = 9


def level_below(scene: Scene, thing: Thing) -> float:
    """Height of the surface on which a thing stands; that of its own lowest point if its support has none there."""
    low = foot(thing)
    if thing.support is None:
        return low
    heights = [ground.centre[2] for ground in grounds(scene.thing(thing.support))]
    near = min(heights, key=lambda height: abs(height - low), default=low)
    return near if abs(near - low) <= _LEVEL else low


def support_at(scene: Scene, thing: Thing) -> str | None:
    """Id of the thing on whose level surface the lowest point of a thing is; its support if there is none."""
    x, y, low = pivot(thing)
    for other in scene.things:
        for ground in grounds(other) if other.id != thing.id else ():
            if abs(ground.centre[2] - low) <= _LEVEL and ground.inset(np.array([[x, y]])) >= 0:
                return other.id
    return thing.support


def spots(scene: Scene, thing: Thing, anchor: Thing, way: str) -> Iterator[Thing]:
    """The thing at free places on an anchor, best first.

    Args:
        scene: The scene.
        thing: The thing to be put down; it keeps its rotation.
        anchor: The thing on which it is put.
        way: A spot of the anchor: middle, left, right, front or back as seen by the viewer, or a corner such as front
            left; empty: anywhere.
    """
    off = foot(thing) - level_below(scene, thing)  # settled things sink in by hundredths of a millimetre
    around = outline(thing) - pivot(thing)[:2]
    height = float(np.ptp(np.concatenate(corners(thing))[:, 2]))
    group = {thing.id, *load_of(scene, thing.id)}
    for ground in sorted(grounds(anchor), key=lambda ground: -ground.width * ground.depth):
        if height > ground.clearance:
            continue
        others = [outline(one) for one in scene.things if one.id not in group and _stands_on(one, ground)]
        for place in _places(scene, ground, around, way):
            footprint = around + place
            if ground.inset(footprint) < _EDGE or not _in_picture(scene, (*place, ground.centre[2])):
                continue
            if not _is_beyond_middle(scene, anchor, place, way):
                continue
            if not any(nearer(footprint, other, _APART) for other in others):
                there = np.array([*place, ground.centre[2] + off])
                yield replace(shifted(thing, there - pivot(thing)), support=anchor.id)


def _is_beyond_middle(scene: Scene, anchor: Thing, place: Floats, way: str) -> bool:
    """Whether a place is on the sides of the middle of an anchor that a spot names: a cutting board has a handle."""
    offset = scene.camera.level_axes()[:2, :2] @ (place - anchor.centre[:2])
    return all(offset @ _SPOTS[part] >= _BESIDE for part in way.split() if part in _SPOTS)


def is_at(scene: Scene, thing: Thing, anchor: Thing, way: str) -> bool:
    """Whether a thing is already at a spot of an anchor, so that people would not ask to put it there."""
    if thing.support != anchor.id or not way:
        return thing.support == anchor.id
    for ground in grounds(anchor):
        if abs(ground.centre[2] - foot(thing)) > _LEVEL:
            continue
        axes = np.array([ground.x, (-ground.x[1], ground.x[0])])
        offset = pivot(thing)[:2] - ground.centre[:2]
        share = axes @ offset / (np.array([ground.width, ground.depth]) / 2)
        if way == "middle":
            return bool(np.abs(share).max() <= _MIDDLE or np.hypot(*offset) <= max(thing.size) / 2)
        ends = [_end(scene, axes, part) for part in way.split()]
        return all(sign * share[axis] >= (_AT_END if len(ends) == 1 else _IN_CORNER) for axis, sign in ends)
    return False


def _end(scene: Scene, axes: Floats, way: str) -> tuple[int, float]:
    """Axis of a surface whose end a viewer calls by a way, and the sign of that end; 0 if the surface is askew."""
    right, away = _SPOTS[way]
    viewer = scene.camera.level_axes()
    towards = axes @ (right * viewer[0, :2] + away * viewer[1, :2])
    axis = int(np.argmax(np.abs(towards)))
    return axis, float(np.sign(towards[axis])) if abs(towards[axis]) >= _ALIGNED else 0.0


def _stands_on(thing: Thing, ground: Ground) -> bool:
    """Whether a thing reaches the level of a ground, and is not its owner."""
    if thing.id == ground.owner:
        return False
    heights = np.concatenate(corners(thing))[:, 2]
    level = ground.centre[2]
    return bool(heights.max() > level + 0.002 and heights.min() < level + min(ground.clearance, 2.0))


def _in_picture(scene: Scene, point: tuple[float, ...]) -> bool:
    x, y, depth = scene.camera.project([point], 1, 1)[0]
    return bool(depth > 0 and _FRAME <= min(x, y) and max(x, y) <= 1 - _FRAME)


def _places(scene: Scene, ground: Ground, around: Floats, way: str) -> Iterator[Floats]:
    """Points (x, y) of a ground that a spot may mean, best first; `around` is the outline of the thing from there."""
    axes = np.array([ground.x, (-ground.x[1], ground.x[0])])
    half = np.array([ground.width, ground.depth]) / 2
    local = around @ axes.T
    low, high = -half - local.min(axis=0) + _EDGE, half - local.max(axis=0) - _EDGE
    if np.any(low > high):
        return
    if way in _SPOTS:
        yield from _ends(scene, ground, axes, (low, high), way)
        return
    if " " in way:
        yield from _corner(scene, ground, axes, (low, high), way)
        return
    if way == "middle":
        low, high = np.maximum(low, -_MIDDLE * half), np.minimum(high, _MIDDLE * half)
    steps = np.linspace(0, 1, _GRID)
    grid = np.stack(np.meshgrid(*(low[axis] + steps * (high[axis] - low[axis]) for axis in (0, 1))), -1).reshape(-1, 2)
    grid = np.vstack([np.clip([0.0, 0.0], low, high), grid])
    order = np.argsort(np.hypot(*grid.T), kind="stable")
    yield from np.asarray(ground.centre[:2]) + grid[order] @ axes


def _ends(scene: Scene, ground: Ground, axes: Floats, ends: tuple[Floats, Floats], way: str) -> Iterator[Floats]:
    """Points along the end of a ground that a viewer calls by a way; none if the ground is askew."""
    axis, sign = _end(scene, axes, way)
    if not sign:
        return
    low, high = ends
    end = (high[axis] if sign > 0 else low[axis]) - sign * min(_BESIDE - _EDGE, (high[axis] - low[axis]) / 2)
    middle = (low[1 - axis] + high[1 - axis]) / 2
    reach = (high[1 - axis] - low[1 - axis]) / 2
    for share in sorted(np.linspace(-0.8, 0.8, _GRID), key=abs):
        place = np.empty(2)
        place[axis], place[1 - axis] = end, middle + share * reach
        yield np.asarray(ground.centre[:2]) + place @ axes


def _corner(scene: Scene, ground: Ground, axes: Floats, ends: tuple[Floats, Floats], way: str) -> Iterator[Floats]:
    """Points in the corner of a ground that a viewer calls by a way; none if the ground is askew."""
    sides = dict(_end(scene, axes, part) for part in way.split())
    if len(sides) < 2 or not all(sides.values()):
        return
    low, high = ends
    signs = np.array([sides[0], sides[1]])
    corner = np.where(signs > 0, high, low) - signs * np.minimum(_BESIDE - _EDGE, (high - low) / 2)
    if np.any(signs * corner < _ASIDE * np.array([ground.width, ground.depth]) / 2):
        return
    viewer = scene.camera.level_axes()[:2, :2] @ (corner @ axes)
    wanted = np.sum([_SPOTS[part] for part in way.split()], axis=0)
    if np.any(viewer * wanted < _ASIDE * np.linalg.norm(corner)):  # the thing is too large, or the ground too askew
        return
    reach = 0.12 * (high - low)
    for right, away in sorted(product((0.0, 0.5, 1.0), repeat=2), key=sum):
        yield np.asarray(ground.centre[:2]) + (corner - signs * reach * (right, away)) @ axes
