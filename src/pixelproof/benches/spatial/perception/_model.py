"""What is known of a scene before its edit, in pictures; and what a thing of it would look like at any pose."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import Drawn, Stage, load_of, pivot, transformed, turn_difference, without
from pixelproof.world.solid import Scene, rotation_matrix
from pixelproof.world.solid.render import Layers, render

from ._pictures import Pixels, Singles, as_singles, misfit, shrunk, unit_range, working_size

TOLERANCE = 0.08
_PERIODS = (45.0, 60.0, 72.0, 90.0, 120.0, 180.0)
_PROBES = (17.0, 36.0, 90.0)
_SAME = 0.03
"""Largest difference after a turn, in units of a thing's longest side, that is not noticed."""
_MARGIN = 7
"""Pixels around a thing where the difference of draft and picture is not used."""
_LEAST_SEEN = 1.0
"""Least change, in pixels, that a thing must make to be found."""
_LEVEL = 0.98
"""Least upward component of the normal of a level surface."""
_LEVEL_PIXELS = 40
"""Least size of a level surface, in pixels."""
_LEVEL_STEP = 0.003
"""Heights that differ by less, in metres, are one level."""
Mask = npt.NDArray[np.bool_]


class Pose(NamedTuple):
    """Where a thing stands: its pivot in the world, its turn from before, the logarithm of its scale from before."""

    x: float
    y: float
    z: float
    turn_deg: float = 0.0
    log_scale: float = 0.0

    @property
    def factor(self) -> float:
        """Scale from before."""
        return math.exp(self.log_scale)


class Fit(NamedTuple):
    """How well a drawn thing explains a picture."""

    gain: float
    """Misfit of the plate minus misfit of the plate with the thing, summed over pixels."""
    possible: float
    """The gain if the picture were exactly that; 0 where the thing is not seen."""
    overlap: float = 0.0
    """Changed pixels that the thing covers, minus unchanged ones."""

    @property
    def share(self) -> float:
        """Gain relative to what is possible: 1 for an exact picture of the thing, 0 or less where it is not."""
        return self.gain / max(self.possible, 1e-6)

    @property
    def score(self) -> float:
        """The gain, less where the share is small: a change that something else made does not attract the thing."""
        if self.possible < _LEAST_SEEN:
            return -math.inf
        return self.gain * min(self.share, 1.0) if self.gain > 0 else self.gain


class Before:
    """A scene before its edit and the picture of it."""

    def __init__(self, scene: Scene, picture: Pixels, named: Collection[str]) -> None:
        """Render the scene as a draft.

        Args:
            scene: The scene.
            picture: Its picture, in any size.
            named: Ids of the things that may change; around them and what stands on them, picture and draft are not
                compared.
        """
        self.scene = scene
        self.size = working_size(picture.shape[1], picture.shape[0])
        self.picture = as_singles(picture, self.size)
        self.draft = render(scene, *self.size, "draft", layers=("rgb", "depth", "ids"), steady=True)
        around = self.mask_of(named)
        if around.any():
            around = ndimage.binary_dilation(around, iterations=_MARGIN)
        unlike = self.picture - unit_range(self.draft.rgb)
        self.unlike: Singles = np.where(around[..., None], np.float32(0), unlike)
        """Picture minus draft: noise, reflections and indirect light that drafts lack; 0 around named things."""

    def mask_of(self, ids: Collection[str]) -> Mask:
        """Pixels that show some things, or what stands on them."""
        known = {thing.id for thing in self.scene.things}
        group = {one for id in known.intersection(ids) for one in (id, *load_of(self.scene, id))}
        return np.isin(self.draft.ids, [n for n, thing in enumerate(self.scene.things, 1) if thing.id in group])


@dataclass(frozen=True)
class Level:
    """An answer and the means to compare it with poses, in one size."""

    answer: Singles
    plate: Singles
    stage: Stage
    light: Singles
    """(3,) gain of the drawn thing's colours."""

    @cached_property
    def empty(self) -> Singles:
        """Misfit of the plate."""
        return misfit(self.answer - self.plate, TOLERANCE)

    def draw(self, pose: Pose) -> Drawn:
        """The thing at a pose."""
        return self.stage.draw((pose.x, pose.y, pose.z), pose.turn_deg, pose.factor)

    def composed(self, drawn: Drawn) -> Singles:
        """The plate with a drawn thing, in the box of the thing."""
        left, top, right, bottom = drawn.box
        alpha = drawn.alpha[..., None]
        colours = drawn.rgb.astype(np.float32) * (self.light / np.float32(255))
        plate = self.plate[top:bottom, left:right]
        return np.asarray(plate + alpha * (colours - plate))

    def pixels_per_metre(self, pose: Pose) -> float:
        """Scale of the picture at a pose, across the line of sight."""
        here = self.stage.project((pose.x, pose.y, pose.z))
        near = ((pose.x + 0.01, pose.y, pose.z), (pose.x, pose.y + 0.01, pose.z))
        return max(1.0, *(float(np.hypot(*(self.stage.project(point) - here))) / 0.01 for point in near))

    def fit(self, pose: Pose) -> Fit:
        """How well the thing at a pose explains the answer."""
        drawn = self.draw(pose)
        left, top, right, bottom = drawn.box
        if left >= right:
            return Fit(0.0, 0.0)
        composed, window = self.composed(drawn), (slice(top, bottom), slice(left, right))
        empty = self.empty[window]
        gain = empty - misfit(self.answer[window] - composed, TOLERANCE)
        possible = misfit(composed - self.plate[window], TOLERANCE)
        return Fit(float(gain.sum()), float(possible.sum()), float((drawn.alpha * (2 * empty - 1)).sum()))


class Model:
    """One thing of a scene that may be anywhere, and everything else as it is."""

    def __init__(self, before: Before, id: str, scene: Scene | None = None, hidden: Collection[str] = ()) -> None:
        """Render everything else.

        Args:
            before: The scene before.
            id: The thing.
            scene: The scene as far as it is known, with the thing as it was before; the scene before unless given.
            hidden: Ids of further things whose places are not known: they are left out.
        """
        self.before, self.id, self.scene, self.size = before, id, scene or before.scene, before.size
        rest = self.scene
        for one in (id, *hidden):
            rest = without(rest, one) if any(thing.id == one for thing in rest.things) else rest
        self.bare = render(rest, *self.size, "draft", layers=("rgb", "depth", "normals"), steady=True)
        self.mask = before.mask_of([id])
        self.plate: Singles = unit_range(self.bare.rgb) + before.unlike
        self.start = Pose(*pivot(self.scene.thing(id)).tolist())
        self.height = float(self.scene.thing(id).size[2])

    @cached_property
    def period(self) -> float:
        """Degrees after which a turned thing looks the same: at most 360, 0 if it is round."""
        thing = self.scene.thing(self.id)
        if load_of(self.scene, self.id):
            return 360.0
        if max(turn_difference(thing, degrees) for degrees in _PROBES) < _SAME:
            return 0.0
        return next((period for period in _PERIODS if turn_difference(thing, period) < _SAME), 360.0)

    @cached_property
    def levels(self) -> list[float]:
        """Heights of the level surfaces that are seen, in metres; first that on which the thing stood."""
        turn = rotation_matrix(self.scene.camera.rotation)
        upward = self.bare.normals @ turn[2].astype(np.float32)
        row, column = np.nonzero((upward > _LEVEL) & np.isfinite(self.bare.depth))
        pixels = np.column_stack([column + 0.5, row + 0.5])
        heights = np.sort(self.scene.camera.unproject(pixels, *self.size, self.bare.depth[row, column])[:, 2])
        groups = np.split(heights, np.nonzero(np.diff(heights) > _LEVEL_STEP / 4)[0] + 1)
        found = [float(np.median(group)) for group in groups if len(group) >= _LEVEL_PIXELS and np.ptp(group) < 0.02]
        return [self.start.z, *(z for z in found if abs(z - self.start.z) > _LEVEL_STEP)]

    @cached_property
    def light(self) -> Singles:
        """Gain of the stage's colours, fitted on the picture before; 1 if the thing is not in it."""
        if not self.mask.any():
            return np.ones(3, np.float32)
        level = self._level(self.before.picture, 2, 2, np.ones(3, np.float32))
        drawn = level.draw(self.start)
        left, top, right, bottom = drawn.box
        inside = drawn.alpha > (0.95 if (drawn.alpha > 0.95).sum() >= 12 else 0.3)
        if not inside.any():
            return np.ones(3, np.float32)
        seen, colours = level.answer[top:bottom, left:right][inside], drawn.rgb[inside] / np.float32(255)
        ratio = np.median(seen, axis=0) / np.maximum(np.median(colours, axis=0), 0.02)
        return np.asarray(np.clip(ratio, 0.4, 2.5), np.float32)

    def level(self, answer: Singles, shrink: int, samples: int) -> Level:
        """An answer in its size divided by a factor."""
        return self._level(answer, shrink, samples, self.light)

    def _level(self, answer: Singles, shrink: int, samples: int, light: Singles) -> Level:
        plate = shrunk(self.plate, shrink)
        depth = self.bare.depth[shrink // 2 :: shrink, shrink // 2 :: shrink]
        rgb = np.clip(np.rint(plate * 255), 0, 255).astype(np.uint8)
        layers: Layers = replace(self.bare, rgb=rgb, depth=depth)
        stage = Stage(self.scene, self.id, rgb.shape[1], rgb.shape[0], layers, samples)
        return Level(shrunk(answer, shrink), plate, stage, light)

    def posed(self, pose: Pose) -> Scene:
        """The scene with the thing, and what stands on it, at a pose."""
        return transformed(self.scene, self.id, (pose.x, pose.y, pose.z), pose.turn_deg, pose.factor)

    def rendered(self, pose: Pose, window: tuple[int, int, int, int] | None = None) -> Singles:
        """What the answer would look like, with shadows: a draft, and the difference of picture and draft before."""
        drawn = render(self.posed(pose), *self.size, "draft", layers=("rgb",), steady=True, window=window).rgb
        left, top, right, bottom = window or (0, 0, *self.size)
        return np.asarray(unit_range(drawn) + self.before.unlike[top:bottom, left:right])
