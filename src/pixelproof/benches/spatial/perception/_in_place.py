"""Turns and scales of a thing that stays where it is, by renders with shadows.

Drawn without shadows, a turned thing that moved a little often fits better than the right turn: the pivot is kept here.
"""

from __future__ import annotations

from ._model import Model, Pose
from ._pictures import Singles
from ._refine import rendered_misfits

_TURN_STEP_DEG = 15.0
_TURNS, _APART_DEG = 2, 30.0
"""How many turns are returned, and the least angle between them."""
_LOG_SCALES = (-0.65, -0.45, -0.27, -0.12, 0.12, 0.27, 0.45, 0.65)
_RENDERED_TURNS, _RENDERED_SCALES = 12, 4
"""How many of them are rendered: those that fit best without shadows."""
_FIRST_STEP_DEG, _LAST_STEP_DEG = 8.0, 2.0
_MOST_STEPS = 6


def scaled_in_place(model: Model, answer: Singles) -> Pose:
    """The best scale of a thing at the place where it stood."""
    scales = [model.start._replace(log_scale=log_scale) for log_scale in _LOG_SCALES]
    return _rendered(model, answer, scales, _RENDERED_SCALES)[0][1]


def turned_in_place(model: Model, answer: Singles) -> list[Pose]:
    """The best turns of a thing at the place where it stood; none of a round thing."""
    count = max(1, round(model.period / _TURN_STEP_DEG))
    turns = [model.start._replace(turn_deg=index * _TURN_STEP_DEG) for index in range(1, count)]
    chosen: list[Pose] = []
    for _, pose in _rendered(model, answer, turns, _RENDERED_TURNS):
        if len(chosen) < _TURNS and all(_angle(pose, other) >= _APART_DEG for other in chosen):
            chosen.append(pose)
    return chosen


def _rendered(model: Model, answer: Singles, poses: list[Pose], most: int) -> list[tuple[float, Pose]]:
    """Gains of poses and the poses, the best first; of those that fit best without shadows."""
    resolution = model.resolution(answer, 2, 1)
    likely = sorted(poses, key=lambda pose: -resolution.fit(pose).score)[:most]
    return sorted(zip(_gains(model, answer, likely), likely, strict=True), reverse=True) if likely else []


def _gains(model: Model, answer: Singles, poses: list[Pose]) -> list[float]:
    """How much better renders with the thing at poses explain the answer than one without it."""
    losses, absent = rendered_misfits(model, answer, poses)
    return [absent - loss for loss in losses]


def _angle(one: Pose, other: Pose) -> float:
    return abs((one.turn_deg - other.turn_deg + 180.0) % 360.0 - 180.0)


def settled_turn(model: Model, answer: Singles, pose: Pose) -> Pose:
    """A pose with the turn near its own whose render fits best; Gauss–Newton steps often stop before it."""
    (gain,), step = _gains(model, answer, [pose]), _FIRST_STEP_DEG
    for _ in range(_MOST_STEPS):
        options = [pose._replace(turn_deg=pose.turn_deg + turn) for turn in (-step, step)]
        most, best = max(zip(_gains(model, answer, options), options, strict=True))
        if most > gain:
            gain, pose = most, best
        elif step > _LAST_STEP_DEG:
            step /= 2
        else:
            break
    return pose
