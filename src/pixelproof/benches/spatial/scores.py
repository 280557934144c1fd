"""Scores of an edit, from the scene before, the scene that was asked for, and the scene as it was perceived.

*Instruction compliance* (IC) is 1 where the edit was carried out in the right way, by at least about half; *spatial
accuracy* (SA) falls linearly from 1 for the exact edit to 0 for an error as large as the edit. Both are 0 where nothing
changed, and neither depends on what happened to other things.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.world.edits import Edit, Outcome, pivot, rests_on
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

CAMERA_DRIFT_ZOOM = math.log(1.5)
"""A change of the focal length by this logarithm is as bad as no edit, where no zoom is asked for."""
_NO_CHANGE = 1e-4
"""Metres, degrees or logarithm below which a part of the camera did not change: equal rotations differ by 1e-6° in
rounding."""
KEPT_DEG, KEPT_SCALE = 30.0, 0.25
"""Degrees and share up to which an edited thing keeps its rotation and its size, where the edit asks for neither."""
LEAST_TURN, LEAST_SCALE = 2.0, 0.02
"""Degrees and share from which a turn or a scaling is part of several edits."""


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
    return score_edits((outcome.edit,), outcome.before, outcome.after, perceived)


def score_edits(edits: Sequence[Edit], before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Compliance and accuracy of one edit, or of several that are carried out one after the other.

    Several edits are scored by what they change together, however an answer gets there: place, rotation, scale and
    presence of each thing, and the camera. All of them must comply, and the accuracy is their mean.

    Args:
        edits: The edits.
        before: The scene before the first.
        after: The scene that is asked for, after the last.
        perceived: The scene in the answer; things that are gone are missing.
    """
    if len(edits) == 1:
        return _SCORES[edits[0].action](edits[0], before, after, perceived)
    scores = list(_parts(before, after, perceived, {edit.target for edit in edits} | {edit.anchor for edit in edits}))
    if not scores:
        raise ValueError("The edits change nothing.")
    return EditScore(min(one.compliance for one in scores), sum(one.accuracy for one in scores) / len(scores))


def _parts(before: Scene, after: Scene, perceived: Scene, named: set[str]) -> Iterator[EditScore]:
    """The score of everything that differs between two scenes, of the things that are named and of the camera."""
    for id in sorted(named):
        start, end = _find(before, id), _find(after, id)
        if start is None or end is None:
            if start is not end:
                yield _appears(id, after, perceived) if start is None else _vanishes(id, after, perceived)
            continue
        if np.linalg.norm(pivot(end) - pivot(start)) > LEAST_MOVE / 2:
            yield _relocated(id, before, after, perceived)
        turned = turn_error(rotation_matrix(start.rotation), rotation_matrix(end.rotation), start.symmetry)
        if turned > LEAST_TURN:
            yield _turned(id, before, after, perceived)
        if abs(math.log(end.scale / start.scale)) > math.log(1 + LEAST_SCALE):
            yield _scaled(id, before, after, perceived)
    if after.camera != before.camera:
        yield _camera(before, after, perceived)


def keeps_the_rest(before: Scene, after: Scene, perceived: Scene) -> bool:
    """Whether the edited things, and what stands on them, keep what the edit does not ask for: presence, turn and size.

    What stands on an edited thing must also be where it was on it. Compliance and accuracy of a move do not depend on
    the rotation and the size of the thing, nor on what stands on it.

    Args:
        before: The scene before the edit.
        after: The scene that is asked for.
        perceived: The scene in the answer.
    """
    edited = {start.id: (start, end) for start, end in _edited(before, after)}
    for id, (start, end) in edited.items():
        carrier = start.support if start.support == end.support else None
        is_turned_with_it = carrier in edited and _asks_for_turn(*edited[carrier])
        if not _is_kept(start, end, _find(perceived, id), is_turned_with_it):
            return False
        if carrier and not _is_carried(id, carrier, before, after, perceived):
            return False
    return True


def _asks_for_turn(start: Thing, end: Thing) -> bool:
    return turn_error(rotation_matrix(start.rotation), rotation_matrix(end.rotation), start.symmetry) > LEAST_TURN


def _is_carried(id: str, carrier: str, before: Scene, after: Scene, perceived: Scene) -> bool:
    """Whether a thing is where it was on its carrier, if the edit keeps it there; whatever its carrier did."""
    ways = [_way_on(scene, id, carrier) for scene in (before, after, perceived)]
    if ways[0] is None or ways[1] is None:
        return True
    if float(np.linalg.norm(ways[1] - ways[0])) > LEAST_MOVE / 2:
        return True  # the edit itself moves it there
    base = before.thing(carrier)
    if ways[2] is None:
        return False
    turns = [np.eye(3)] if base.symmetry == "SO3" else list(symmetry_rotations(base.symmetry))
    return any(float(np.linalg.norm(turn @ ways[2] - ways[0])) * base.scale <= LEAST_MOVE for turn in turns)


def _way_on(scene: Scene, id: str, carrier: str) -> Vector | None:
    """The way from the pivot of a carrier to that of its load, in the frame of the carrier; None if one is missing."""
    load, base = _find(scene, id), _find(scene, carrier)
    if load is None or base is None:
        return None
    return np.asarray(rotation_matrix(base.rotation).T @ (pivot(load) - pivot(base)) / base.scale)


def _edited(before: Scene, after: Scene) -> Iterator[tuple[Thing, Thing]]:
    """Things of both scenes that differ between them."""
    now = {thing.id: thing for thing in after.things}
    return ((one, now[one.id]) for one in before.things if one.id in now and one != now[one.id])


def _is_kept(start: Thing, end: Thing, there: Thing | None, may_turn: bool) -> bool:
    """Whether a thing keeps rotation and size as far as the edit does; what stands on a turned thing turns with it."""
    if there is None:
        return False
    last, found = (rotation_matrix(one.rotation) for one in (end, there))
    is_turned = may_turn or _asks_for_turn(start, end)
    is_scaled = abs(math.log(end.scale / start.scale)) > math.log(1 + LEAST_SCALE)
    turn = 0.0 if is_turned else turn_error(last, found, start.symmetry)
    growth = 0.0 if is_scaled else abs(math.log(there.scale / end.scale))
    return turn <= KEPT_DEG and growth <= math.log(1 + KEPT_SCALE)


def _find(scene: Scene, id: str) -> Thing | None:
    return next((thing for thing in scene.things if thing.id == id), None)


def _relocated(id: str, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Score of one thing's way from its place before to the place that is asked for."""
    thing = _find(perceived, id)
    if thing is None:
        return NOTHING
    return score_relocation(*(pivot(one) for one in (before.thing(id), after.thing(id), thing)))


def score_relocation(start: Vector, end: Vector, there: Vector) -> EditScore:
    """Score of a way from one point to another, given where it ended.

    >>> score_relocation(np.zeros(3), np.array([0.2, 0.0, 0.0]), np.array([0.15, 0.0, 0.0]))
    EditScore(compliance=1.0, accuracy=0.75)
    """
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


def _score_put(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """As a move; and the thing must stand on, or lie in, the anchor. If no spot is named, any place there is exact."""
    score = _relocated(edit.target, before, after, perceived)
    if _find(perceived, edit.target) is None or _find(perceived, edit.anchor) is None:
        return EditScore(0.0, score.accuracy)
    there = rests_on(perceived, edit.target, edit.anchor)
    if not edit.way and there:
        return EditScore(1.0, 1.0)
    return EditScore(float(there and score.compliance), score.accuracy)


def _score_place(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """As a move; and the thing must lie on the side of the anchor that is asked for, wherever the anchor is now."""
    score = _relocated(edit.target, before, after, perceived)
    return EditScore(float(score.compliance and _is_aside(edit, after, perceived)), score.accuracy)


def _is_aside(edit: Edit, after: Scene, perceived: Scene) -> bool:
    """Whether a thing lies on the side of its anchor that is asked for."""
    thing, anchor = _find(perceived, edit.target), _find(perceived, edit.anchor)
    if thing is None or anchor is None:
        return False
    asked = pivot(after.thing(edit.target)) - pivot(after.thing(edit.anchor))
    return angle_between((pivot(thing) - pivot(anchor))[:2], asked[:2]) <= MOST_ANGLE


def _score_insert(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """The thing must be there, on the side of the anchor that is asked for."""
    score = _appears(edit.target, after, perceived)
    return EditScore(float(score.compliance and _is_aside(edit, after, perceived)), score.accuracy)


def _appears(id: str, after: Scene, perceived: Scene) -> EditScore:
    """Score of a thing that is new, by its distance from its place relative to its longest side."""
    thing, end = _find(perceived, id), after.thing(id)
    if thing is None:
        return NOTHING
    error = float(np.linalg.norm(pivot(thing) - pivot(end))) / max(LEAST_MOVE, *end.size)
    return EditScore(float(error <= MOST_ERROR), max(0.0, 1 - error))


def _score_swap(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Both things must comply; the accuracy is that of the worse one."""
    scores = [_relocated(id, before, after, perceived) for id in (edit.target, edit.anchor)]
    return EditScore(min(one.compliance for one in scores), min(one.accuracy for one in scores))


def _score_turn(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    score = _turned(edit.target, before, after, perceived)
    return EditScore(float(score.compliance and _stays(edit.target, before, perceived)), score.accuracy)


def _stays(id: str, before: Scene, perceived: Scene) -> bool:
    """Whether a thing that is only turned or scaled is where it was."""
    start, thing = before.thing(id), _find(perceived, id)
    return thing is not None and bool(
        np.linalg.norm(pivot(thing) - pivot(start)) <= max(LEAST_MOVE, max(start.size[:2]) / 2)
    )


def _turned(id: str, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Score of a turn, modulo the symmetry of the thing: the thing as it was has the accuracy 0."""
    thing = _find(perceived, id)
    if thing is None:
        return NOTHING
    start, end, there = (rotation_matrix(one.rotation) for one in (before.thing(id), after.thing(id), thing))
    return score_rotation(start, end, there, thing.symmetry)


def score_rotation(start: Vector, end: Vector, there: Vector, symmetry: str = "C1") -> EditScore:
    """Score of a turn from one rotation matrix to another, given where it ended.

    Raises:
        ValueError: Both are the same, but for the symmetry.
    """
    asked, error = turn_error(start, end, symmetry), turn_error(end, there, symmetry)
    if asked <= 0:
        raise ValueError("The thing looks the same after this turn.")
    limit = min(max(LEAST_TURN_LIMIT, asked / 3), MOST_ERROR * asked)
    return EditScore(float(error <= limit), max(0.0, 1 - error / asked))


def turn_error(a: Vector, b: Vector, symmetry: str) -> float:
    """Smallest angle in degrees between two rotations of a thing, over the rotations that leave it unchanged."""
    if symmetry == "SO3":
        return 0.0
    turns = a.T @ b @ symmetry_rotations(symmetry)
    cosines = (np.trace(turns, axis1=1, axis2=2) - 1) / 2
    return math.degrees(math.acos(float(np.clip(cosines.max(), -1, 1))))


def _score_scale(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    score = _scaled(edit.target, before, after, perceived)
    return EditScore(float(score.compliance and _stays(edit.target, before, perceived)), score.accuracy)


def _scaled(id: str, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    thing = _find(perceived, id)
    if thing is None:
        return NOTHING
    return score_factor(before.thing(id).scale, after.thing(id).scale, thing.scale)


def score_factor(start: float, end: float, there: float) -> EditScore:
    """Score of a change of scale from one value to another, given where it ended; logarithms are compared.

    >>> round(score_factor(1.0, 2.0, 2.0**0.75).accuracy, 3), score_factor(1.0, 2.0, 1.0)
    (0.75, EditScore(compliance=0.0, accuracy=0.0))
    """
    error = abs(math.log(there / end)) / abs(math.log(end / start))
    return EditScore(float(error <= MOST_ERROR), max(0.0, 1 - error))


def _score_removal(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    return _vanishes(edit.target, after, perceived)


def _vanishes(id: str, after: Scene, perceived: Scene) -> EditScore:
    """The thing must be gone, and every other thing must be there; the accuracy is their share."""
    if _find(perceived, id) is not None:
        return NOTHING
    others = [thing for thing in after.things if not thing.fixed]
    kept = sum(_find(perceived, thing.id) is not None for thing in others)
    return EditScore(float(kept == len(others)), kept / len(others) if others else 1.0)


def _score_camera(edit: Edit, before: Scene, after: Scene, perceived: Scene) -> EditScore:
    return _camera(before, after, perceived)


def _camera(before: Scene, after: Scene, perceived: Scene) -> EditScore:
    """Errors of displacement, rotation and zoom: relative to what is asked for, or to a drift as bad as no edit."""
    errors, done = zip(*_camera_errors(before, after, perceived), strict=True)
    error = sum(errors) / max(1, sum(done))
    return EditScore(float(max(errors) <= MOST_ERROR and error <= MOST_ERROR), max(0.0, 1 - error))


def _camera_errors(before: Scene, after: Scene, perceived: Scene) -> Iterator[tuple[float, bool]]:
    """Relative error of each part of a camera's change, and whether that part is asked for."""
    cameras = [scene.camera for scene in (before, after, perceived)]
    start, end, there = (np.asarray(camera.position) for camera in cameras)
    turned = [rotation_matrix(camera.rotation) for camera in cameras]
    zooms = [math.log(camera.focal) for camera in cameras]
    for asked, left, drift in (
        (float(np.linalg.norm(end - start)), float(np.linalg.norm(there - end)), CAMERA_DRIFT),
        (turn_error(turned[0], turned[1], "C1"), turn_error(turned[1], turned[2], "C1"), CAMERA_DRIFT_DEG),
        (abs(zooms[1] - zooms[0]), abs(zooms[2] - zooms[1]), CAMERA_DRIFT_ZOOM),
    ):
        yield left / (asked if asked > _NO_CHANGE else drift), asked > _NO_CHANGE


_SCORES: Mapping[str, Callable[[Edit, Scene, Scene, Scene], EditScore]] = {
    "move": _score_move,
    "place": _score_place,
    "put": _score_put,
    "insert": _score_insert,
    "swap": _score_swap,
    "turn": _score_turn,
    "scale": _score_scale,
    "remove": _score_removal,
    "move camera": _score_camera,
    "turn camera": _score_camera,
    "zoom camera": _score_camera,
}
