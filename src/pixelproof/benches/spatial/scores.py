"""Scores of an edit, from the scene before, the scene that was asked for, and the scene as it was perceived.

*Instruction compliance* (IC) is 1 where the edit was carried out in the right way, by at least about half; *spatial
accuracy* (SA) falls linearly from 1 for the exact edit to 0 for an error as large as the edit. Both are 0 where nothing
changed, and neither depends on what happened to other things.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.world.edits import Edit, Outcome, pivot
from pixelproof.world.solid import Scene, Thing, rotation_matrix, symmetry_rotations

Vector = npt.NDArray[np.float64]
LEAST_MOVE = 0.02
"""Distances are measured against the distance that is asked for, or this many metres if it is less."""
MOST_ERROR = 0.5
"""Largest relative error of an edit that complies."""
MOST_ANGLE = 30.0
"""Largest angle in degrees between the direction of a move and the one that is asked for."""
LEAST_TURN_LIMIT = 15.0
"""A turn complies within a third of its angle, or within this many degrees, but at most half of it."""
CAMERA_DRIFT_DEG = 20.0
"""A rotation of the camera by this angle is as bad as no edit, where a move is asked for."""
CAMERA_DRIFT = 0.2
"""A displacement of the camera by this many metres is as bad as no edit, where a rotation is asked for."""


@dataclass(frozen=True)
class EditScore:
    """How well an edit was carried out."""

    compliance: float
    """1 where the edit was carried out in the right way; else 0."""
    accuracy: float
    """1 minus the error relative to the edit, at least 0."""


NOTHING = EditScore(0.0, 0.0)


def score_edit(outcome: Outcome, perceived: Scene) -> EditScore:
    """Compliance and accuracy of an edit.

    Args:
        outcome: The whole edit, carried out: the scene before and the scene that is asked for.
        perceived: The scene in the answer; things that are gone are missing.

    Raises:
        ValueError: The edit cannot be carried out, or only a share of it was.
    """
    if outcome.after is None or outcome.share != 1:
        raise ValueError("score_edit compares with the whole edit, carried out.")
    return _SCORES[outcome.edit.action](outcome.edit, outcome.before, outcome.after, perceived)


def _find(scene: Scene, id: str) -> Thing | None:
    return next((thing for thing in scene.things if thing.id == id), None)


def _relocated(id: str, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Score of one thing's way from its place before to the place that is asked for."""
    thing = _find(perceived, id)
    if thing is None:
        return NOTHING
    start, end, there = (pivot(one) for one in (before.thing(id), after.thing(id), thing))
    error = float(np.linalg.norm(there - end)) / max(float(np.linalg.norm(end - start)), LEAST_MOVE)
    complies = error <= MOST_ERROR and angle_between(there - start, end - start) <= MOST_ANGLE
    return EditScore(float(complies), max(0.0, 1 - error))


def angle_between(a: Vector, b: Vector) -> float:
    """Angle between two vectors in degrees; 180 if one of them is zero.

    >>> angle_between(np.array([1.0, 0.0, 0.0]), np.array([0.0, 2.0, 0.0]))
    90.0
    """
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return math.degrees(math.acos(float(np.clip(a @ b / lengths, -1, 1)))) if lengths > 1e-12 else 180.0


def _score_move(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    return _relocated(edit.target, before, after, perceived)


def _score_place(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """As a move; and the thing must lie on the side of the anchor that is asked for, wherever the anchor is now."""
    score = _relocated(edit.target, before, after, perceived)
    thing, anchor = _find(perceived, edit.target), _find(perceived, edit.anchor)
    if thing is None or anchor is None:
        return EditScore(0.0, score.accuracy)
    asked = pivot(after.thing(edit.target)) - pivot(after.thing(edit.anchor))
    aside = angle_between((pivot(thing) - pivot(anchor))[:2], asked[:2]) <= MOST_ANGLE
    return EditScore(float(score.compliance and aside), score.accuracy)


def _score_swap(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Both things must comply; the accuracy is that of the worse one."""
    scores = [_relocated(id, before, after, perceived) for id in (edit.target, edit.anchor)]
    return EditScore(min(one.compliance for one in scores), min(one.accuracy for one in scores))


def _stays(id: str, before: Scene, thing: Thing) -> bool:
    """Whether a thing that is only turned or scaled is where it was."""
    start = before.thing(id)
    return float(np.linalg.norm(pivot(thing) - pivot(start))) <= max(LEAST_MOVE, max(start.size[:2]) / 2)


def _score_turn(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    thing = _find(perceived, edit.target)
    if thing is None:
        return NOTHING
    error = turn_error(
        rotation_matrix(after.thing(edit.target).rotation), rotation_matrix(thing.rotation), thing.symmetry
    )
    limit = min(max(LEAST_TURN_LIMIT, edit.amount / 3), MOST_ERROR * edit.amount)
    complies = error <= limit and _stays(edit.target, before, thing)
    return EditScore(float(complies), max(0.0, 1 - error / edit.amount))


def turn_error(a: Vector, b: Vector, symmetry: str) -> float:
    """Smallest angle in degrees between two rotations of a thing, over the rotations that leave it unchanged."""
    if symmetry == "SO3":
        return 0.0
    turns = a.T @ b @ symmetry_rotations(symmetry)
    cosines = (np.trace(turns, axis1=1, axis2=2) - 1) / 2
    return math.degrees(math.acos(float(np.clip(cosines.max(), -1, 1))))


def _score_scale(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    thing = _find(perceived, edit.target)
    if thing is None:
        return NOTHING
    start, end = before.thing(edit.target).scale, after.thing(edit.target).scale
    error = abs(math.log(thing.scale / end)) / abs(math.log(end / start))
    return EditScore(float(error <= MOST_ERROR and _stays(edit.target, before, thing)), max(0.0, 1 - error))


def _score_removal(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """The thing must be gone, and every other thing must be there."""
    gone = _find(perceived, edit.target) is None
    others = all(_find(perceived, thing.id) is not None for thing in after.things)
    return EditScore(float(gone and others), float(gone))


def _score_camera(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Relative error of the displacement or the rotation that is asked for, plus the drift of the other."""
    cameras = [scene.camera for scene in (before, after, perceived)]
    start, end, there = (np.asarray(camera.position) for camera in cameras)
    turned = [rotation_matrix(camera.rotation) for camera in cameras]
    shift, angle = float(np.linalg.norm(there - end)), turn_error(turned[1], turned[2], "C1")
    if edit.action == "move camera":
        error = shift / float(np.linalg.norm(end - start)) + angle / CAMERA_DRIFT_DEG
    else:
        error = angle / edit.amount + shift / CAMERA_DRIFT
    return EditScore(float(error <= MOST_ERROR), max(0.0, 1 - error))


_SCORES: Mapping[str, Callable[[Edit, Scene, Scene, Scene], EditScore]] = {
    "move": _score_move,
    "place": _score_place,
    "put": _score_move,
    "swap": _score_swap,
    "turn": _score_turn,
    "scale": _score_scale,
    "remove": _score_removal,
    "move camera": _score_camera,
    "turn camera": _score_camera,
}
