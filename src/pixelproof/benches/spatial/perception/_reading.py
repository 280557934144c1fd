"""The scene that an answer shows: which things are where, and where the camera is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import Edit, without
from pixelproof.world.solid import Scene, rotation_matrix
from pixelproof.world.solid.render import render

from ._camera import align
from ._model import Before, Fit, Model, Pose
from ._pictures import Pixels, Singles, as_singles, misfit, same_light, shrunk, unit_range
from ._refine import refine, rendered_misfits
from ._search import find

_BLUR, _TOLERANCE = 0.8, 0.05
"""Blur in pixels and tolerance of differences, in half of the working size, where things are compared."""
_CHANGED = 0.15
"""Least share of different pixels of a thing that has changed."""
_FEW = 12
"""A thing with fewer visible pixels, in half of the working size, is not compared."""
_NUDGED, _NUDGED_DEG = 0.005, 0.2
"""Metres and degrees from which on the camera counts as moved."""
_SAME_PLACE, _SAME_SCALE = 0.006, 0.04
"""A thing that was found nearer to its pose before, in metres and in the logarithm of its scale, did not move."""
_SAME_TURN = 4.0
_PRESENT = 0.85
"""A thing is there if the misfit of a render with it is below this share of that without it."""
_UNEXPLAINED = 0.3
"""Pixels that no thing explains, relative to those of a thing that is gone, from which on this is in doubt."""
_CANDIDATE, _CANDIDATES = 0.75, 3
"""Least score of a pose that is examined further, relative to the best; and most of them."""
_RIVAL, _RIVAL_DISTANCE = 0.95, 0.03
"""A second pose is a rival if the misfit of the best is above this share of its own, from a distance in metres."""
_STILL, _STILL_ELSEWHERE = 1.03, 1.5
"""A thing has not moved if the misfit of its pose before is below this multiple of the least; the second, if the least
is that of another place."""
_LEAST_PIXELS = 40
_SUPPORT = ("place", "put", "swap", "insert")
"""Actions after which a thing may stand on something else."""


@dataclass(frozen=True)
class Reading:
    """A scene as it was read from an answer."""

    scene: Scene
    doubts: tuple[str, ...] = ()
    """Why the scene may be wrong; empty if nothing speaks against it."""
    found: Mapping[str, float] = field(default_factory=dict)
    """Id of a thing that was searched for → gain of its pose relative to what is possible; 1 would be exact."""
    changed: tuple[str, ...] = ()
    """Ids of things that the instruction does not name and that look different."""


def read_scene(scene: Scene, picture: Pixels, answer: Pixels, steps: Sequence[Edit]) -> Reading:
    """Read the scene in an answer, by comparing it with renders of what might be there.

    The scene before, its picture and the things that are named are known; what is asked of them is not used.

    Args:
        scene: The scene before.
        picture: The picture before.
        answer: The answer, with the same aspect ratio.
        steps: The edits that were asked for: which things they name, and whether they are edits of the camera.
    """
    named = list(dict.fromkeys(_names(steps)))
    before = Before(scene, picture, named)
    shown = same_light(as_singles(answer, before.size), before.picture)
    camera_steps = [step for step in steps if "camera" in step.action]
    if camera_steps:
        zoom = any(step.action == "zoom camera" for step in camera_steps)
        return _reading_of_view(before, shown, zoom)
    if _all_differ(before, shown, named):
        aligned = align(before, shown)
        if _moved(before, aligned.camera.position, aligned.camera.rotation):
            return Reading(replace(scene, camera=aligned.camera))
    return _reading_of_things(before, shown, named, steps)


def _names(steps: Sequence[Edit]) -> list[str]:
    return [id for step in steps for id in (step.target, step.anchor if step.action == "swap" else "") if id]


def _reading_of_view(before: Before, shown: Singles, zoom: bool) -> Reading:
    aligned = align(before, shown, far=True, zoom=zoom)
    doubts = ("the picture fits no view of the scene",) if aligned.misfit > 0.5 else ()
    return Reading(replace(before.scene, camera=aligned.camera), doubts)


def _moved(before: Before, position: Sequence[float], rotation: tuple[float, float, float, float]) -> bool:
    camera = before.scene.camera
    turn = rotation_matrix(camera.rotation).T @ rotation_matrix(rotation)
    angle = math.degrees(math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1) / 2))))
    return math.dist(position, camera.position) > _NUDGED or angle > _NUDGED_DEG


def _all_differ(before: Before, shown: Singles, named: Sequence[str]) -> bool:
    """Whether most things that are not named differ from the picture before, as after a move of the camera."""
    shares = _shares(before.draft.ids, before.scene, before.picture, shown)
    others = [share for id, share in shares.items() if id not in named]
    return len(others) > 1 and float(np.median(others)) > _CHANGED


def _shares(ids: npt.NDArray[np.uint16], scene: Scene, expected: Singles, shown: Singles) -> dict[str, float]:
    """Movable thing → share of its visible pixels that differ from what is expected."""
    half = [ndimage.gaussian_filter(shrunk(picture, 2), (_BLUR, _BLUR, 0)) for picture in (expected, shown)]
    differs = misfit(half[1] - half[0], _TOLERANCE) > 0.5
    owner = ids[1::2, 1::2]
    shares = {}
    for number, thing in enumerate(scene.things, 1):
        mask = owner == number
        if not thing.fixed and mask.sum() >= _FEW:
            shares[thing.id] = float(differs[mask].mean())
    return shares


def _reading_of_things(before: Before, shown: Singles, named: Sequence[str], steps: Sequence[Edit]) -> Reading:
    support = any(step.action in _SUPPORT for step in steps) or len(steps) > 1
    new = tuple(replace(step.thing, support=None) for step in steps if step.thing is not None)
    scene = replace(before.scene, things=(*before.scene.things, *new))
    found, doubts = dict[str, float](), list[str]()
    for id in named:
        hidden = [other for other in named if other != id and other not in found]
        scene, found[id], doubt = _relocate(before, shown, scene, id, hidden, support)
        doubts += doubt
    changed = []
    for id, share in _differing(before, shown, scene).items():
        if id in named or share <= _CHANGED:
            continue
        changed.append(id)
        if any(thing.id == id for thing in scene.things):
            scene, found[id], _ = _relocate(before, shown, scene, id, (), True)
    return Reading(scene, tuple(doubts), found, tuple(changed))


def _differing(before: Before, shown: Singles, scene: Scene) -> dict[str, float]:
    """Thing → share of its pixels that differ from a render of a scene."""
    layers = render(scene, *before.size, "draft", layers=("rgb", "ids"), steady=True)
    return _shares(layers.ids, scene, unit_range(layers.rgb) + before.unlike, shown)


def _relocate(
    before: Before, shown: Singles, scene: Scene, id: str, hidden: Sequence[str], support: bool
) -> tuple[Scene, float, list[str]]:
    """Find a thing: the scene with it where it is, or without it; its share; and doubts."""
    model = Model(before, id, scene, hidden)
    is_new = all(thing.id != id for thing in before.scene.things)
    found = find(model, shown, support)
    doubts = [] if is_new or model.mask.sum() >= _LEAST_PIXELS else [f"{id} has few pixels"]
    exact, is_ambiguous = _exact(model, shown, found, is_new)
    if exact is None:
        unexplained = int((model.level(shown, 2, 1).empty > 0.5).sum())
        if unexplained > _UNEXPLAINED * max(int(model.mask.sum()) // 4, _FEW):
            doubts.append(f"{id} was not found, and something else appeared")
        return without(scene, id), found[0][0].share, doubts
    doubts += [f"{id} fits in two places"] if is_ambiguous else []
    share = model.level(shown, 2, 2).fit(exact).share
    if not is_new and _is_unmoved(model, exact):
        return scene, share, doubts
    return model.posed(exact), share, doubts


def _exact(model: Model, shown: Singles, found: Sequence[tuple[Fit, Pose]], is_new: bool) -> tuple[Pose | None, bool]:
    """The pose whose render with shadows fits best, and whether one elsewhere fits about as well.

    The pose before has precedence: if it fits about as well, nothing moved, or another thing of the kind did. None if
    no pose fits better than the scene without the thing.
    """
    refined = [refine(model, shown, pose) for pose in _candidates(found)]
    poses = refined if is_new else [*refined, model.start]
    losses, absent = rendered_misfits(model, shown, poses)
    loss, best = min(zip(losses, poses, strict=True))
    if loss > _PRESENT * absent:
        return None, False
    if not is_new:
        reach = 0.4 * max(model.scene.thing(model.id).size[:2])
        tolerance = _STILL if math.dist(best[:3], model.start[:3]) < reach else _STILL_ELSEWHERE
        if losses[-1] < tolerance * loss:
            return model.start, False
    rivals = (pose for other, pose in zip(losses, refined, strict=False) if _RIVAL * other < loss)
    return best, any(math.dist(pose[:3], best[:3]) > _RIVAL_DISTANCE for pose in rivals)


def _candidates(found: Sequence[tuple[Fit, Pose]]) -> list[Pose]:
    """The best pose, and others that are about as good and not nearly the same."""
    chosen: list[Pose] = []
    for fit, pose in found:
        if chosen and fit.score < _CANDIDATE * found[0][0].score:
            break
        if all(_differ(pose, other) for other in chosen):
            chosen.append(pose)
    return chosen[:_CANDIDATES]


def _differ(pose: Pose, other: Pose) -> bool:
    turn = abs(pose.turn_deg - other.turn_deg + 180.0) % 360.0 - 180.0
    return math.dist(pose[:3], other[:3]) > 0.01 or abs(turn) > 12 or abs(pose.log_scale - other.log_scale) > 0.1


def _is_unmoved(model: Model, pose: Pose) -> bool:
    turn = pose.turn_deg % (model.period or 360.0)
    turned = 0.0 if model.period == 0 else min(turn, (model.period or 360.0) - turn)
    near = math.dist(pose[:3], model.start[:3]) < _SAME_PLACE
    return near and turned < _SAME_TURN and abs(pose.log_scale) < _SAME_SCALE
