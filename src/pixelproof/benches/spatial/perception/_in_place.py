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
_FIRST_STEP_DEG, _LAST_STEP_DEG = 8.0, 2.0
_MOST_STEPS = 6


def turned_or_scaled(model: Model, answer: Singles) -> list[Pose]:
    """The best turns, and the best scale, of a thing at the place where it stood."""
    count = max(1, round(model.period / _TURN_STEP_DEG))
    turns = [model.start._replace(turn_deg=index * _TURN_STEP_DEG) for index in range(1, count)]
    scales = [model.start._replace(log_scale=log_scale) for log_scale in _LOG_SCALES]
    losses, _ = rendered_misfits(model, answer, [*turns, *scales])
    chosen: list[Pose] = []
    for _, pose in sorted(zip(losses, turns, strict=False)):
        if len(chosen) < _TURNS and all(_angle(pose, other) >= _APART_DEG for other in chosen):
            chosen.append(pose)
    return [*chosen, min(zip(losses[len(turns) :], scales, strict=True))[1]]


def _angle(one: Pose, other: Pose) -> float:
    return abs((one.turn_deg - other.turn_deg + 180.0) % 360.0 - 180.0)


def settled_turn(model: Model, answer: Singles, pose: Pose) -> Pose:
    """A pose with the turn near its own whose render fits best; Gauss–Newton steps often stop before it."""
    (loss,), _ = rendered_misfits(model, answer, [pose])
    step, steps = _FIRST_STEP_DEG, 0
    while step >= _LAST_STEP_DEG and steps < _MOST_STEPS:
        options = [pose._replace(turn_deg=pose.turn_deg + turn) for turn in (-step, step)]
        losses, _ = rendered_misfits(model, answer, options)
        least, best = min(zip(losses, options, strict=True))
        if least < loss:
            loss, pose = least, best
        else:
            step /= 2
        steps += 1
    return pose
