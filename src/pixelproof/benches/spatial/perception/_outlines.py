"""The scene that an answer shows, read from outlines alone: cheap, indifferent to colours, and less exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage, optimize

from pixelproof.world.edits import Edit, pivot, transformed, without
from pixelproof.world.edits.stage import Stage
from pixelproof.world.solid import Scene
from pixelproof.world.solid.render import render

from ._comparison import is_copy, matched, shares_of_things
from ._model import Before, Mask, Pose, prepare
from ._pictures import Pixels, Singles, as_singles, differing_pixels
from ._reading import Reading, named_things, read_view
from ._search import on_plane, spread_pixels

_SHRINK = 4
"""Outlines are compared in this part of the working size."""
_CHANGED = 0.15
"""Least share of different pixels of a thing that has changed."""
_WAS_THERE = 0.25
"""Weight of pixels that showed the thing before: there, what was uncovered differs as well."""
_COVERED = 0.4
"""Least share of the outline of a thing that must have changed where it is now."""
_PLACES, _EVALUATIONS, _LEAST_PIXELS = 80, 60, 10


class _Outline(NamedTuple):
    """A thing that may be anywhere, and the pixels that changed."""

    stage: Stage
    weights: Singles
    """Positive where a pixel changed, negative where it did not."""

    def score(self, pose: Pose) -> float:
        """Changed pixels that the outline covers, minus unchanged ones."""
        drawn = self.stage.draw(pose[:3], pose.turn_deg, pose.factor)
        left, top, right, bottom = drawn.box
        return float((drawn.alpha * self.weights[top:bottom, left:right]).sum()) if left < right else -1e6

    def area(self, pose: Pose) -> float:
        """Pixels of the outline."""
        return float(self.stage.draw(pose[:3], pose.turn_deg, pose.factor).alpha.sum())


def read_outlines(scene: Scene, picture: Pixels, answer: Pixels, steps: Sequence[Edit]) -> Reading:
    """Read the scene in an answer from the pixels that changed; takes and returns the same as `read_scene`.

    A named thing is where its outline covers changed pixels, on the level on which it stood. It is gone if it covers
    none. Turns are not read.
    """
    original = prepare(scene, picture, named_things(steps))
    given = as_singles(answer, original.size)
    match = matched(original, given)
    if is_copy(match):
        return Reading(scene)
    if any("camera" in step.action for step in steps):
        return read_view(original, given, steps)
    before = match.before
    new = tuple(replace(step.thing, support=None) for step in steps if step.thing is not None)
    current = replace(scene, things=(*scene.things, *new)) if new else scene
    different = differing_pixels(match.shown, before.picture, match.noise)
    covers = np.zeros(before.size[::-1], np.bool_)
    for id in before.named:
        current, cover = _relocated(before, current, id, different)
        covers |= cover
    shares = shares_of_things(np.where(covers, 0, before.draft.ids), scene, different)
    changed = tuple(id for id, share in shares.items() if id not in before.named and share > _CHANGED)
    return Reading(current, changed=changed)


def _relocated(before: Before, scene: Scene, id: str, different: Mask) -> tuple[Scene, Mask]:
    """The scene with a thing where its outline covers what changed, and the pixels that show it there."""
    mask, nowhere = before.mask_of([id]), np.zeros(before.size[::-1], np.bool_)
    small = mask[1::2, 1::2]
    if small.any() and different[small].mean() < _CHANGED:
        return scene, mask
    thing = scene.thing(id)
    width, height = (side // _SHRINK for side in before.size)
    bare = render(without(scene, id), width, height, "draft", layers=("depth",))
    outline = _Outline(Stage(scene, id, width, height, bare, 1), _weights(different, small))
    start = Pose(*pivot(thing).tolist())
    pixels = spread_pixels(np.maximum(outline.weights, 0), max(1.0, np.sqrt(mask.sum()) / _SHRINK))[:_PLACES]
    points = on_plane(scene.camera, pixels, width, height, start.z + thing.size[2] / 2)
    poses = [start, *(Pose(x, y, start.z) for x, y, _ in points[np.isfinite(points).all(axis=1)].tolist())]
    best = _optimum(outline, max(poses, key=outline.score))
    area = outline.area(best)
    if area < 1 or outline.score(best) < (2 * _COVERED - 1) * area or _is_empty(different, small, area):
        return without(scene, id), nowhere
    drawn = outline.stage.draw(best[:3], best.turn_deg, best.factor)
    left, top, right, bottom = (side * _SHRINK for side in drawn.box)
    cover = nowhere.copy()
    cover[top:bottom, left:right] = drawn.alpha.repeat(_SHRINK, axis=0).repeat(_SHRINK, axis=1) > 0
    return transformed(scene, id, best[:3], 0.0, best.factor), cover


def _weights(different: Mask, was_there: Mask) -> Singles:
    signs = np.where(different, np.float32(1), np.float32(-1)) * np.where(was_there, np.float32(_WAS_THERE), 1)
    height, width = (side // 2 * 2 for side in signs.shape)
    blocks = signs[:height, :width].reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
    return np.asarray(blocks, np.float32)


def _is_empty(different: Mask, was_there: Mask, area: float) -> bool:
    """Whether nothing changed beside the place where a thing was, but for the shadow that it cast."""
    beside = ndimage.binary_opening(different & ~ndimage.binary_dilation(was_there, iterations=3))
    groups, _ = ndimage.label(beside)
    largest = int(np.bincount(groups.ravel())[1:].max(initial=0))
    return largest < max(_LEAST_PIXELS, 0.15 * area * (_SHRINK / 2) ** 2)


def _optimum(outline: _Outline, pose: Pose) -> Pose:
    """The place and scale near a pose at which the outline covers most, by Nelder and Mead's method."""
    here = outline.stage.project(pose[:3])
    near = outline.stage.project((pose.x + 0.01, pose.y, pose.z))
    step = 0.02 / max(float(np.hypot(*(near - here))), 0.1)
    scales = np.array([step, step, 0.08])

    def at(values: npt.NDArray[np.float64]) -> Pose:
        x, y, log_scale = (values * scales).tolist()
        return pose._replace(x=pose.x + x, y=pose.y + y, log_scale=min(max(log_scale, -1.2), 1.2))

    def loss(values: npt.NDArray[np.float64]) -> float:
        return -outline.score(at(values))

    options: Any = {"initial_simplex": np.vstack([np.zeros(3), np.eye(3)]), "maxfev": _EVALUATIONS, "fatol": 0.05}
    result = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options=options)
    return at(result.x)
