"""Exact poses: Gauss–Newton steps on the difference of the answer and a render with shadows.

Drawn without shadows, a turned thing that moved a little often fits better than the right turn. So a turn or scale of a
thing that stays where it is keeps the pivot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ._model import Box, Model, Pose, Resolution
from ._pictures import Singles, differing_pixels, misfit, shrunk

_ROUNDS = ((0.3, 1.2), (0.12, 0.9), (0.06, 0.6))
"""Of each round: tolerance of differences, and step of finite differences in pixels."""
_LARGE = 2800
"""Pixels of a thing from which on half of the size is enough."""
_SOFT = 0.6
"""Blur of an answer in pixels from which on half of the size is enough."""
_FRAME = 6
_SMALL = 40
"""Least pixels, in half of the size, that what is left over is compared with."""
_STEPS = 5
_REPEATS, _SETTLED = 2, 0.1
"""How often the last round is repeated unless it moves the thing by less, in pixels."""
_CONVERGED = 0.03
"""Change in units of the steps."""
_MOST = 3.0
_AXES = ("across", "away", "turn_deg", "log_scale")
SAME_SIZE, SAME_PLACE = frozenset({"log_scale"}), frozenset({"across", "away"})
"""Axes that `refine` may keep."""
_HOVERING_AXES = ("across", "z", "turn_deg")


class _Window(NamedTuple):
    """A part of a picture at one resolution: the answer, a render at a pose, and what the stage draws at that pose."""

    resolution: Resolution
    box: Box
    answer: Singles
    rendered: Singles
    drawn: Singles

    def residual(self, pose: Pose) -> Singles:
        """Answer minus expectation: the render, with the drawn thing moved from its pose to another."""
        return np.asarray(self.answer - (self.rendered + framed(self.resolution, pose, self.box) - self.drawn))


def refine(
    model: Model, answer: Singles, pose: Pose, rounds: slice = slice(None), keep: frozenset[str] = frozenset()
) -> Pose:
    """Move a pose to where a render with shadows fits best; between renders, only the drawn thing is moved.

    The same pose is refined once for each answer.

    Args:
        model: The thing and everything else.
        answer: The answer.
        pose: Near the right pose.
        rounds: Which of the rounds; all unless given.
        keep: Axes that stay as they are, of `across`, `away`, `turn_deg` and `log_scale`.
    """
    half = model.resolution(answer, 2, 2)
    key = pose, rounds.start, rounds.stop, keep
    if key not in model.refined:
        model.refined[key] = _refined(model, half, answer, pose, rounds, keep)
    return model.refined[key]


def _refined(model: Model, half: Resolution, answer: Singles, pose: Pose, rounds: slice, keep: frozenset[str]) -> Pose:
    coarse = model.mask.sum() > _LARGE or model.before.blur > _SOFT
    last = half if coarse else model.resolution(answer, 1, 2)
    fixed = keep | {"turn_deg"} if model.period == 0 else keep
    axes = [axis for axis in (_HOVERING_AXES if pose.hovers else _AXES) if axis not in fixed]
    chosen = list(zip((half, last, last), _ROUNDS, strict=True))[rounds]
    if rounds.stop is None:
        chosen += [chosen[-1]] * _REPEATS
    previous = pose
    for number, (resolution, (tolerance, pixels)) in enumerate(chosen):
        window = _window(model, resolution, pose)
        if window is None:
            return pose
        previous, pose = pose, _settle(window, pose, axes, tolerance, pixels)
        shift = math.dist(pose[:3], previous[:3]) * resolution.pixels_per_metre(pose)[0]
        if number >= len(chosen) - 1 - _REPEATS and rounds.stop is None and shift < _SETTLED:
            break
    return pose


def rendered_misfits(model: Model, answer: Singles, poses: Sequence[Pose]) -> tuple[list[float], float]:
    """Misfit of renders at several poses, over all pixels near any of them; and of the render without the thing.

    Each is rendered in its own surroundings: elsewhere, the scene is that without the thing.
    """
    resolution = model.resolution(answer, 2, 2)
    boxes = [surroundings(resolution, pose) for pose in poses]
    left, top = (min(box[axis] for box in boxes) for axis in (0, 1))
    right, bottom = (max(box[axis] for box in boxes) for axis in (2, 3))
    part = slice(top, bottom), slice(left, right)
    empty = misfit(resolution.answer[part] - resolution.plate[part], _ROUNDS[-1][0])
    absent, losses = float(empty.sum()), []
    for pose, (x0, y0, x1, y1) in zip(poses, boxes, strict=True):
        rendered = shrunk(model.rendered(pose, full_size((x0, y0, x1, y1))), 2)
        own = float(misfit(resolution.answer[y0:y1, x0:x1] - rendered, _ROUNDS[-1][0]).sum())
        losses.append(absent - float(empty[y0 - top : y1 - top, x0 - left : x1 - left].sum()) + own)
    return losses, absent


def residual_share(model: Model, answer: Singles, pose: Pose) -> float:
    """Pixels in and around a thing that differ from a render of it at a pose, relative to its pixels."""
    resolution = model.resolution(answer, 2, 2)
    area = float(resolution.draw(pose).alpha.sum())
    if area < 1:
        return math.inf
    window = left, top, right, bottom = full_size(surroundings(resolution, pose))
    different = differing_pixels(answer[top:bottom, left:right], model.rendered(pose, window))
    return float(ndimage.binary_opening(different).sum() / max(area, _SMALL))


def surroundings(resolution: Resolution, pose: Pose) -> Box:
    """The part of the picture that shows a thing at a pose, and most of its shadow."""
    height, width = resolution.plate.shape[:2]
    left, top, right, bottom = resolution.draw(pose).box
    margin = _FRAME + max(right - left, bottom - top) // 3
    left, top = max(0, left - margin), max(0, top - margin)
    return left, top, min(width, right + margin), min(height, bottom + margin)


def full_size(box: Box) -> Box:
    """Scale a box from half of the size to the full size."""
    left, top, right, bottom = box
    return 2 * left, 2 * top, 2 * right, 2 * bottom


def _settle(window: _Window, pose: Pose, axes: list[str], tolerance: float, pixels: float) -> Pose:
    """Gauss–Newton steps until the pose does not change; the Jacobian is that of the first pose."""
    units = _units(window.resolution, pose, pixels)
    jacobian = np.stack([_slope(window, pose, axis, units[axis]) for axis in axes], axis=1)
    for _ in range(_STEPS):
        residual = window.residual(pose)
        squares = (residual**2).mean(axis=2)
        weights = np.repeat((tolerance**2 / (squares + tolerance**2)) ** 2, 3).astype(np.float64)
        weighted = (jacobian * weights[:, None]).T
        normal = weighted @ jacobian
        damping = 1e-3 * np.trace(normal) / len(normal) + 1e-9
        change = np.linalg.solve(normal + damping * np.eye(len(normal)), weighted @ residual.reshape(-1))
        change = np.clip(change, -_MOST, _MOST)
        for axis, amount in zip(axes, change.tolist(), strict=True):
            pose = _stepped(window.resolution, pose, axis, amount * units[axis])
        if np.abs(change).max() < _CONVERGED:
            break
    return pose


def _slope(window: _Window, pose: Pose, axis: str, unit: float) -> npt.NDArray[np.float64]:
    """Change of the drawn pixels for a step along an axis."""
    ahead, back = (
        framed(window.resolution, _stepped(window.resolution, pose, axis, sign * unit), window.box) for sign in (1, -1)
    )
    return np.asarray((ahead - back) / 2, np.float64).reshape(-1)


def _units(resolution: Resolution, pose: Pose, pixels: float) -> dict[str, float]:
    """Steps of the axes that move an outline by some pixels."""
    left, top, right, bottom = resolution.draw(pose).box
    across = max(right - left, bottom - top, 4)
    sideways, away = resolution.pixels_per_metre(pose)
    return {
        "across": pixels / sideways,
        "away": pixels / away,
        "z": pixels / sideways,
        "turn_deg": float(np.degrees(2 * pixels / across)),
        "log_scale": 2 * pixels / across,
    }


def _stepped(resolution: Resolution, pose: Pose, axis: str, amount: float) -> Pose:
    if axis in ("across", "away"):
        x, y = resolution.across if axis == "across" else (-resolution.across[1], resolution.across[0])
        return pose._replace(x=pose.x + amount * x, y=pose.y + amount * y)
    return pose._replace(**{axis: getattr(pose, axis) + amount})


def _window(model: Model, resolution: Resolution, pose: Pose) -> _Window | None:
    """The part of the picture around a pose; None if the thing is not in the picture."""
    height, width = resolution.plate.shape[:2]
    left, top, right, bottom = resolution.draw(pose).box
    if right - left < 2 or bottom - top < 2:
        return None
    left, top = max(0, left - _FRAME), max(0, top - _FRAME)
    right, bottom = min(width, right + _FRAME), min(height, bottom + _FRAME)
    shrink = model.size[0] // width
    rendered = shrunk(model.rendered(pose, (left * shrink, top * shrink, right * shrink, bottom * shrink)), shrink)
    box = (left, top, right, bottom)
    return _Window(resolution, box, resolution.answer[top:bottom, left:right], rendered, framed(resolution, pose, box))


def framed(resolution: Resolution, pose: Pose, box: Box) -> Singles:
    """The plate with the thing at a pose, in a window."""
    left, top, right, bottom = box
    picture = resolution.plate[top:bottom, left:right].copy()
    drawn = resolution.draw(pose)
    x0, y0, x1, y1 = drawn.box
    u0, v0, u1, v1 = max(x0, left), max(y0, top), min(x1, right), min(y1, bottom)
    if u0 < u1 and v0 < v1:
        composed = resolution.composed(drawn)
        picture[v0 - top : v1 - top, u0 - left : u1 - left] = composed[v0 - y0 : v1 - y0, u0 - x0 : u1 - x0]
    return picture


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
