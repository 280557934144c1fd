"""The scene that an answer shows: which things are where, and where the camera is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import Edit, pivot
from pixelproof.world.solid import Scene, Thing, rotation_matrix
from pixelproof.world.solid.render import Layers, render

from ._camera import align, view_from
from ._model import Before, prepare
from ._pictures import Pixels, Singles, as_singles, differing_pixels, fit_blur, noise_of, same_light
from ._things import Located, locate

_CHANGED = 0.15
"""Least share of different pixels of a thing that has changed."""
_SOFT = 0.8
"""Blur of an answer in pixels at which this share is twice as large."""
_REPAINTED = 0.5
"""Least share of different pixels of a named thing that has other colours."""
_FEW = 12
"""A thing with fewer visible pixels, in half of the working size, is not compared."""
_SPECKS = 4
"""Largest group of different pixels, in half of the working size, in a picture that counts as unchanged."""
_NUDGED, _NUDGED_DEG = 0.005, 0.2
"""Metres and degrees from which on the camera counts as moved."""
_UNLIKE = 0.5
"""Misfit of the best view from which on a picture does not show the scene."""
_MOST_SEARCHED = 4
"""Most things that are not named and are searched for."""
_SURE = 0.6
"""Share of the possible gain below which one of several named things is searched for again."""
_COPY_SHARE, _COPY_AREA, _COPY_DISTANCE = 0.5, 0.3, 0.02
"""A copy of a thing: least share of the possible gain, least unexplained area relative to the thing, and least distance
in metres from the thing."""
_SUPPORT = ("place", "put", "swap", "insert")
"""Actions after which a thing may stand on something else."""


@dataclass(frozen=True)
class Reading:
    """A scene as it was read from an answer."""

    scene: Scene
    doubts: tuple[str, ...] = ()
    """Why the scene may be wrong; empty if nothing speaks against it."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Id of a thing that was searched for → gain of its pose relative to what is possible; 1 would be exact."""
    changed: tuple[str, ...] = ()
    """Ids of things that the instruction does not name and that look different."""
    repainted: tuple[str, ...] = ()
    """Ids of things that have other colours."""
    duplicated: tuple[str, ...] = ()
    """Ids of things that are there twice."""
    confidence: float = 1.0
    """How clearly the scene explains the answer, from 0 to 1."""


def read_scene(scene: Scene, picture: Pixels, answer: Pixels, steps: Sequence[Edit]) -> Reading:
    """Read the scene in an answer, by comparing it with renders of what might be there.

    The scene before, its picture and the things that are named are known; what is asked of them is not used.

    Args:
        scene: The scene before.
        picture: The picture before.
        answer: The answer, with the same aspect ratio.
        steps: The edits that were asked for: which things they name, and whether they are edits of the camera.
    """
    before = prepare(scene, picture, named_things(steps))
    shown = same_light(as_singles(answer, before.size), before.picture)
    before = before.softened(fit_blur(shown, before.picture))
    noise = noise_of(shown, before.picture)
    if is_copy(before, shown, noise):
        return Reading(scene)
    if any("camera" in step.action for step in steps):
        return read_view(before, shown, steps)
    if _most_differ(before, shown, noise):
        aligned = align(before, shown)
        if aligned.misfit > _UNLIKE:
            return Reading(replace(scene, things=tuple(thing for thing in scene.things if thing.fixed)))
        if _has_moved(scene, aligned.camera.position, aligned.camera.rotation):
            moved = replace(scene, camera=aligned.camera)
            before = Before(moved, view_from(before, aligned.camera), before.named)
    return _reading_of_things(before, shown, noise, steps)


def named_things(steps: Sequence[Edit]) -> list[str]:
    """Ids of the things that edits change."""
    ids = (id for step in steps for id in (step.target, step.anchor if step.action == "swap" else "") if id)
    return list(dict.fromkeys(ids))


def is_copy(before: Before, shown: Singles, noise: float) -> bool:
    """Whether nothing but single pixels differs from the picture before."""
    groups, _ = ndimage.label(differing_pixels(shown, before.picture, noise))
    return int(np.bincount(groups.ravel())[1:].max(initial=0)) <= _SPECKS


def read_view(before: Before, shown: Singles, steps: Sequence[Edit]) -> Reading:
    """Read the camera of an answer to edits of the camera."""
    zoom = any(step.action == "zoom camera" for step in steps)
    aligned = align(before, shown, far=True, zoom=zoom)
    doubts = ("the picture fits no view of the scene",) if aligned.misfit > _UNLIKE else ()
    return Reading(replace(before.scene, camera=aligned.camera), doubts, confidence=1 - aligned.misfit)


def _has_moved(scene: Scene, position: Sequence[float], rotation: tuple[float, float, float, float]) -> bool:
    turn = rotation_matrix(scene.camera.rotation).T @ rotation_matrix(rotation)
    angle = math.degrees(math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1) / 2))))
    return math.dist(position, scene.camera.position) > _NUDGED or angle > _NUDGED_DEG


def _most_differ(before: Before, shown: Singles, noise: float) -> bool:
    """Whether most of what is not named differs from the picture before, as after a move of the camera."""
    different = differing_pixels(shown, before.picture, noise)
    shares = shares_of_things(before.draft.ids, before.scene, different)
    others = [share for id, share in shares.items() if id not in before.named]
    if len(others) > 1:
        return float(np.median(others)) > _CHANGED
    rest = ~before.mask_of(before.named)[1::2, 1::2]
    return bool(different[rest].mean() > _CHANGED)


def shares_of_things(ids: npt.NDArray[np.uint16], scene: Scene, different: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Movable thing → share of its visible pixels that are different."""
    owner, shares = ids[1::2, 1::2], {}
    for number, thing in enumerate(scene.things, 1):
        mask = owner == number
        if not thing.fixed and mask.sum() >= _FEW:
            shares[thing.id] = float(different[mask].mean())
    return shares


def _reading_of_things(before: Before, shown: Singles, noise: float, steps: Sequence[Edit]) -> Reading:
    support = any(step.action in _SUPPORT for step in steps) or len(steps) > 1
    hovering = any(step.way in ("up", "down") for step in steps)
    new = tuple(replace(step.thing, support=None) for step in steps if step.thing is not None)
    scene = replace(before.scene, things=(*before.scene.things, *new)) if new else before.scene
    located: dict[str, Located] = {}
    for id in before.named:
        hidden = [other for other in before.named if other != id and other not in located]
        if all(thing.id != id for thing in scene.things):  # it went with what it stood on
            scene = _as_before(scene, before.scene, id, new)
        located[id] = locate(before, shown, scene, id, hidden, support, hovering)
        scene = located[id].scene
    for id in before.named if len(before.named) > 1 else ():
        if located[id].share < _SURE:  # the others were not where they are when it was searched for
            again = locate(before, shown, _as_before(scene, before.scene, id, new), id, (), support, hovering)
            if again.share > located[id].share:
                located[id], scene = again, again.scene
    named = dict(located)
    layers, different = _compared(before, shown, noise, scene)
    shares = shares_of_things(layers.ids, scene, different)
    least = _CHANGED * (1 + min(before.blur / _SOFT, 1.0))
    changed = [id for id, share in shares.items() if id not in before.named and share > least]
    painted = [id for id in before.named if shares.get(id, 0.0) > _REPAINTED]
    for id in sorted(changed, key=lambda name: -shares[name])[:_MOST_SEARCHED]:
        if any(thing.id == id for thing in scene.things):
            located[id] = locate(before, shown, scene, id, support=True)
            scene = located[id].scene
    duplicated = []
    for id in before.named:
        if not changed and any(thing.id == id for thing in before.scene.things):
            scene, is_twice = _examine_copy(before, shown, scene, id, different)
            duplicated += [id] if is_twice else []
    return Reading(
        scene,
        tuple(doubt for thing in named.values() for doubt in thing.doubts),
        {id: thing.share for id, thing in located.items()},
        tuple(changed),
        tuple(dict.fromkeys([*(id for id, thing in located.items() if thing.repainted), *painted])),
        tuple(duplicated),
        min((thing.confidence for thing in named.values()), default=1.0),
    )


def _as_before(scene: Scene, start: Scene, id: str, new: Sequence[Thing]) -> Scene:
    """A scene with a thing as it was before."""
    thing = next(thing for thing in (*start.things, *new) if thing.id == id)
    if any(other.id == id for other in scene.things):
        return scene.with_thing(replace(thing, support=None))
    return replace(scene, things=(*scene.things, replace(thing, support=None)))


def _compared(before: Before, shown: Singles, noise: float, scene: Scene) -> tuple[Layers, npt.NDArray[np.bool_]]:
    """A render of a scene, and the pixels of an answer that differ from it."""
    layers = render(scene, *before.size, "draft", layers=("rgb", "ids"), steady=True)
    return layers, differing_pixels(shown, before.expected(layers.rgb), noise)


def _examine_copy(
    before: Before, shown: Singles, scene: Scene, id: str, different: npt.NDArray[np.bool_]
) -> tuple[Scene, bool]:
    """The scene, and whether a thing is there twice; the one at the place before is not the copy."""
    area = int(before.mask_of([id]).sum()) // 4
    thing = before.scene.thing(id)
    if ndimage.binary_opening(different).sum() < _COPY_AREA * max(area, _FEW) or thing.fixed:
        return scene, False
    if all(other.id != id for other in scene.things):
        return scene, False
    copy = replace(thing, id=f"{id} (copy)", support=None)
    twice = replace(scene, things=(*scene.things, copy))
    located = locate(before, shown, twice, copy.id)
    other = next((thing for thing in located.scene.things if thing.id == copy.id), None)
    if other is None or located.repainted or located.share < _COPY_SHARE or located.doubts:
        return scene, False
    if _distance(other, scene.thing(id)) < _COPY_DISTANCE:
        return scene, False
    if _distance(other, thing) < _COPY_DISTANCE and abs(other.scale / thing.scale - 1) < 0.1:
        scene = scene.with_thing(thing)
    return scene, True


def _distance(one: Thing, other: Thing) -> float:
    return math.dist(pivot(one), pivot(other))
