"""What an answer shows besides the named things: second copies of them, and other things that changed or moved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pixelproof.world.edits import pivot
from pixelproof.world.solid import Scene, Thing

from ._comparison import FEW, Compared, Match, compare, shifted_things
from ._things import Located, locate, locate_nearby

_MOST_SEARCHED = 4
"""Most things that are not named and are searched for."""
_UNMOVED, _MOVED = 0.005, 0.01
"""Metres up to which a thing that differs is where it was, and from which on one that is merely displaced a little in
the picture has moved."""
_COPY_SHARE, _COPY_MARGIN, _COPY_AREA, _COPY_DISTANCE = 0.5, 0.4, 0.3, 0.02
"""A copy of a thing: least share of the possible gain, or least margin of its render over one without it; least
unexplained area relative to the thing, and least distance in metres from the thing."""
_COPY_EXPLAINS, _COPY_LEAST_MARGIN = 0.5, 0.15
"""Or, with a smaller margin, least share of the unexplained pixels that a render with the copy explains."""
_SAME_SCALE = 0.1


class Others(NamedTuple):
    """What changed besides the named things."""

    scene: Scene
    """The scene with all things where they are, without copies."""
    compared: Compared
    """The answer beside a picture of the scene, with copies."""
    located: dict[str, Located]
    """Things that were searched for."""
    changed: list[str]
    """Ids of things that are not named and look different, or are elsewhere."""
    duplicated: list[str]
    """Ids of named things that are there twice."""

    def elsewhere(self, before: Scene) -> list[str]:
        """Ids of the changed things that are not where they were."""
        return [id for id in self.changed if not _is_as_before(before, self.scene, id)]


def examine_others(
    match: Match, scene: Scene, compared: Compared, named: Sequence[str], support: bool, hovering: bool
) -> Others:
    """Explain what differs from a scene in which the named things are where they are.

    Copies come first: one that stands before another thing makes that look different.

    Args:
        match: The answer and the picture before.
        scene: The scene with all named things where they are.
        compared: The answer beside a picture of it.
        named: Named things of which there may be a second copy.
        support: Whether copies may stand on something else than the original.
        hovering: Whether they may be in mid-air.
    """
    copies = [copy for id in named if (copy := _copy_of(match, scene, compared, id, support, hovering)) is not None]
    for copy in copies:
        if not copy.compared.changed:
            return Others(copy.scene, copy.compared, {}, [], [copy.id])
    others = _locate_others(match, scene, compared)
    if others.elsewhere(match.before.scene):
        return others
    for copy in copies:
        others = others._replace(scene=copy.scene, duplicated=[*others.duplicated, copy.id])
    return others


def has(scene: Scene, id: str) -> bool:
    """Whether a scene has a thing."""
    return any(thing.id == id for thing in scene.things)


def is_same(scene: Scene, thing: Thing) -> bool:
    """Whether a scene has exactly this thing."""
    return any(other is thing or other == thing for other in scene.things)


def _locate_others(match: Match, scene: Scene, compared: Compared) -> Others:
    """Search for things that look different; those that are merely displaced count if they turn out to have moved."""
    before, shown, _ = match
    changed, located = compared.changed, {}
    slightly = [id for id in shifted_things(match, scene, compared.view) if id not in changed]
    for id in (*changed, *slightly)[:_MOST_SEARCHED]:
        if not has(scene, id):
            continue
        if id in changed:
            other = locate(before, shown, scene, id, support=True, effort="brief")
        else:
            nearby = locate_nearby(before, shown, scene, id)
            if nearby is None or _distance(nearby.scene.thing(id), before.scene.thing(id)) < _MOVED:
                continue
            changed, other = [*changed, id], nearby
        located[id], scene = other, other.scene
    return Others(scene, compare(match, scene) if changed else compared, located, changed, [])


def _is_as_before(start: Scene, scene: Scene, id: str) -> bool:
    """Whether a thing is where it was: it is covered by something, or has other colours, but did not move."""
    return has(scene, id) and _distance(scene.thing(id), start.thing(id)) < _UNMOVED


class _Copy(NamedTuple):
    """A second copy of a named thing."""

    id: str
    scene: Scene
    """The scene without the copy; of the two, the one at the place before is the original."""
    compared: Compared
    """The answer beside a picture of the scene with the copy."""


def _copy_of(match: Match, scene: Scene, compared: Compared, id: str, support: bool, hovering: bool) -> _Copy | None:
    """A second copy of a thing that explains what differs from a scene; None if there is none."""
    before, shown, _ = match
    if not has(before.scene, id) or not has(scene, id) or before.scene.thing(id).fixed:
        return None
    thing, area = before.scene.thing(id), int(before.mask_of([id]).sum()) // 4
    if compared.leftover < _COPY_AREA * max(area, FEW):
        return None
    copy = replace(thing, id=f"{id} (copy)", support=None)
    twice = replace(scene, things=(*scene.things, copy))
    located = locate(before, shown, twice, copy.id, support=support, hovering=hovering, duplicate_of=id, effort="brief")
    other = next((thing for thing in located.scene.things if thing.id == copy.id), None)
    if other is None or located.repainted or located.doubts:
        return None
    if _distance(other, scene.thing(id)) < _COPY_DISTANCE:
        return None
    again = compare(match, located.scene)
    again = again._replace(changed=[name for name in again.changed if name != copy.id])
    if located.share < _COPY_SHARE and located.margin < _COPY_MARGIN:
        explained = 1 - again.leftover / compared.leftover
        if explained < _COPY_EXPLAINS or located.margin < _COPY_LEAST_MARGIN:
            return None
    if _distance(other, thing) < _COPY_DISTANCE and abs(other.scale / thing.scale - 1) < _SAME_SCALE:
        scene = scene.with_thing(thing)
    return _Copy(id, scene, again)


def _distance(one: Thing, other: Thing) -> float:
    return math.dist(pivot(one), pivot(other))
