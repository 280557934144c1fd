"""What is known of a scene before its edit, in pictures; and what a thing of it would look like at any pose."""

from __future__ import annotations

import copy
import hashlib
import math
from collections import OrderedDict
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.store import digest
from pixelproof.world.edits import Ground, level_surfaces, load_of, pivot, transformed, turn_difference, without
from pixelproof.world.edits.stage import Drawn, Stage
from pixelproof.world.solid import Scene, rotation_matrix
from pixelproof.world.solid.render import Layers, render

from ._pictures import Pixels, Singles, as_singles, blurred, misfit, shrunk, unit_range, working_size

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
_MOST_LEVELS = 8
"""Level surfaces that are searched, besides that on which a thing stood; the largest ones."""
_LEVEL_STEP = 0.003
"""Heights that differ by less, in metres, are one level."""
_SLOWEST = 25.0
"""Most metres away from the viewer that count like one across."""
_OVERHANG = 0.02
"""Metres by which the centre of a thing may be beside the surface that it stands on."""
_DARKEST, _BRIGHTEST = 0.3, 1.3
"""How much darker or brighter a thing may be than in the light of its place before."""
_RENDERS = 16
"""Renders of a thing in memory, and as many of what is behind it."""
_BLOCK, _EDGE = 16, 4
"""Side in pixels of the blocks of which an isolated render consists, and what it adds at each side of a window."""
Mask = npt.NDArray[np.bool_]
Box = tuple[int, int, int, int]


class Pose(NamedTuple):
    """Where a thing stands: its pivot in the world, its turn from before, the logarithm of its scale from before."""

    x: float
    y: float
    z: float
    turn_deg: float = 0.0
    log_scale: float = 0.0
    hovers: bool = False
    """Whether its height is free, and not that of a level surface; then its distance and its scale are not."""

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
        """Bring the picture to the working size; nothing is rendered yet.

        Args:
            scene: The scene.
            picture: Its picture, in any size.
            named: Ids of the things that may change; around them and what stands on them, picture and draft are not
                compared.
        """
        self.scene, self.named = scene, tuple(named)
        self.size = working_size(picture.shape[1], picture.shape[0])
        self.picture = as_singles(picture, self.size)
        self.blur = 0.0
        """Standard deviation in pixels of the blur of all pictures, so that they are as soft as an answer."""
        self._models: dict[str, Model] = {}

    @cached_property
    def draft(self) -> Layers:
        """The scene rendered as a draft, in the working size."""
        return render(self.scene, *self.size, "draft", layers=("rgb", "depth", "ids"), steady=True)

    @cached_property
    def residual(self) -> Singles:
        """Picture minus draft: noise, reflections and indirect light that drafts lack; 0 around named things."""
        around = self.mask_of(self.named)
        if around.any():
            around = ndimage.binary_dilation(around, iterations=_MARGIN)
        difference = self.picture - unit_range(self.draft.rgb)
        return np.where(around[..., None], np.float32(0), difference)

    def blurred_copy(self, blur: float) -> Before:
        """Return a copy whose pictures are blurred; `blur` is the standard deviation in pixels."""
        if blur <= 0:
            return self
        soft = copy.copy(self)
        soft.blur, soft._models = blur, {}
        soft.residual, soft.picture = blurred(self.residual, blur), blurred(self.picture, blur)
        return soft

    def expected(self, rgb: Pixels, window: Box | None = None) -> Singles:
        """A draft, or a window of it, as the picture before is: with its noise, and as soft."""
        left, top, right, bottom = window or (0, 0, *self.size)
        return np.asarray(blurred(unit_range(rgb), self.blur) + self.residual[top:bottom, left:right])

    def mask_of(self, ids: Collection[str]) -> Mask:
        """Pixels that show some things, or what stands on them."""
        known = {thing.id for thing in self.scene.things}
        group = {member for id in known.intersection(ids) for member in (id, *load_of(self.scene, id))}
        return np.isin(self.draft.ids, [n for n, thing in enumerate(self.scene.things, 1) if thing.id in group])

    def model(self, id: str) -> Model:
        """The model of a thing with everything else as it was; kept for further answers."""
        if id not in self._models:
            self._models[id] = Model(self, id)
        return self._models[id]


_prepared: OrderedDict[tuple[str, bytes, tuple[str, ...]], Before] = OrderedDict()
_KEPT = 4
"""Scenes in memory: further answers to the same item are read faster."""


def prepare(scene: Scene, picture: Pixels, named: Collection[str]) -> Before:
    """A scene before its edit and its picture; the last few are kept."""
    key = digest(scene), hashlib.blake2b(picture.tobytes(), digest_size=16).digest(), tuple(named)
    before = _prepared.pop(key, None)
    before = Before(scene, picture, named) if before is None else before
    _prepared[key] = before
    while len(_prepared) > _KEPT:
        _prepared.popitem(last=False)
    return before


@dataclass(frozen=True)
class Resolution:
    """An answer at one resolution, and the means to compare it with poses."""

    answer: Singles
    plate: Singles
    stage: Stage
    across: tuple[float, float]
    """Horizontal direction in the world that is the viewer's right."""
    recolour: bool = False
    """Whether the colours of the thing are fitted to the answer at each pose, for things that were repainted."""
    _fits: dict[Pose, Fit] = field(default_factory=dict, init=False, compare=False, repr=False)

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
        colours = unit_range(drawn.rgb)
        adapt = _recoloured if self.recolour else _shaded
        colours = adapt(colours, self.answer[top:bottom, left:right], drawn.alpha)
        plate = self.plate[top:bottom, left:right]
        return np.asarray(plate + alpha * (colours - plate))

    def pixels_per_metre(self, pose: Pose) -> tuple[float, float]:
        """Pixels by which the outline of the thing moves for each metre: to the viewer's right, and away.

        Seen from the side, a thing hardly moves in the picture when it moves away: it becomes smaller.
        """
        right = np.array([*self.across, 0.0])
        away = np.array([-right[1], right[0], 0.0])
        width, depth, height = self.stage.thing.size
        here, side = np.array(pose[:3]), right * (max(width, depth) * pose.factor / 2)
        outline = (here, here + (0.0, 0.0, height * pose.factor), here + side, here - side)
        moves = [
            max(float(np.hypot(*(self.stage.project(p + 0.01 * way) - self.stage.project(p)))) for p in outline)
            for way in (right, away)
        ]
        return max(1.0, moves[0] / 0.01), max(1.0, moves[0] / 0.01 / _SLOWEST, moves[1] / 0.01)

    def fit(self, pose: Pose) -> Fit:
        """How well the thing at a pose explains the answer; measured once."""
        if pose not in self._fits:
            self._fits[pose] = self._fit(pose)
        return self._fits[pose]

    def _fit(self, pose: Pose) -> Fit:
        drawn = self.draw(pose)
        left, top, right, bottom = drawn.box
        if left >= right:
            return Fit(0.0, 0.0)
        composed, window = self.composed(drawn), (slice(top, bottom), slice(left, right))
        empty = self.empty[window]
        gain = empty - misfit(self.answer[window] - composed, TOLERANCE)
        possible = misfit(composed - self.plate[window], TOLERANCE)
        return Fit(float(gain.sum()), float(possible.sum()), float((drawn.alpha * (2 * empty - 1)).sum()))


def _shaded(colours: Singles, answer: Singles, alpha: Singles) -> Singles:
    """Colours of a thing as bright as an answer is there: it may be in a shadow."""
    inside = alpha > 0.9
    if np.count_nonzero(inside) < 4:
        return colours
    own, shown = (_median(picture[inside].sum(axis=1)) for picture in (colours, answer))
    return colours * np.float32(min(max(shown / max(own, 0.05), _DARKEST), _BRIGHTEST))


def _median(values: Singles) -> float:
    """As `np.median`, in a fraction of the time for few numbers."""
    middle = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, middle)[middle])
    low, high = np.partition(values, (middle - 1, middle))[middle - 1 : middle + 1].tolist()
    return float(low + high) / 2


def _recoloured(colours: Singles, answer: Singles, alpha: Singles) -> Singles:
    """Colours of a thing with the gain and offset of each channel that fit an answer best."""
    inside = alpha > 0.9
    if inside.sum() < 4:
        return colours
    own, shown = colours[inside], answer[inside]
    means = own.mean(axis=0), np.median(shown, axis=0)
    spread = ((own - means[0]) ** 2).mean(axis=0)
    gain = ((own - means[0]) * (shown - means[1])).mean(axis=0) / np.maximum(spread, 1e-4)
    return np.asarray((colours - means[0]) * np.clip(gain, 0.0, 2.0) + means[1], np.float32)


class RenderedBlock(NamedTuple):
    """A rendered block of a picture with a thing at a pose."""

    picture: Singles
    ids: npt.NDArray[np.uint16]
    """Number in the scene of the thing that each pixel shows."""


_K = TypeVar("_K")
_V = TypeVar("_V")


def _keep(kept: OrderedDict[_K, _V], key: _K, value: _V) -> None:
    """Add an entry, and forget the oldest of too many."""
    kept[key] = value
    if len(kept) > _RENDERS:
        kept.popitem(last=False)


def _block(window: Box, size: tuple[int, int]) -> Box:
    """The smallest block of pixels around a window, of those that isolated renders compute."""
    left, top, right, bottom = window
    left, top = (max(0, (low - _EDGE) // _BLOCK * _BLOCK + _EDGE) for low in (left, top))
    right, bottom = (-(-(high + _EDGE) // _BLOCK) * _BLOCK - _EDGE for high in (right, bottom))
    return left, top, min(right, size[0]), min(bottom, size[1])


class Model:
    """One thing of a scene that may be anywhere, and everything else as it is."""

    def __init__(
        self, before: Before, id: str, scene: Scene | None = None, hidden: Collection[str] = (), duplicate_of: str = ""
    ) -> None:
        """Render everything else.

        Args:
            before: The scene before.
            id: The thing.
            scene: The scene as far as it is known, with the thing as it was before; the scene before unless given.
            hidden: Ids of further things whose places are not known: they are left out.
            duplicate_of: Id of the original if this is a duplicate.
        """
        self._original = duplicate_of or id
        self.before, self.id, self.scene, self.size = before, id, scene or before.scene, before.size
        self._known = self.scene
        own = {id, *load_of(self.scene, id)}
        absent = {member for other in hidden for member in (other, *load_of(self.scene, other))} - own
        if absent:
            kept = tuple(thing for thing in self.scene.things if thing.id not in absent)
            self._known = replace(self.scene, things=kept)
        self.rest = without(self._known, id)
        """The scene without the thing, and without what is hidden."""
        self.bare = render(self.rest, *self.size, "draft", layers=("rgb", "depth", "normals", "ids"), steady=True)
        self.mask = before.mask_of([self._original])
        """Pixels that showed the thing before, or the one that it is a copy of."""
        self.plate: Singles = before.expected(self.bare.rgb)
        self.start = Pose(*pivot(self.scene.thing(id)).tolist())
        self.height = float(self.scene.thing(id).size[2])
        self.offsets: dict[int, npt.NDArray[np.float64]] = {}
        """What the search measures once for each turn."""
        self._resolutions: dict[tuple[int, int], Resolution] = {}
        self._answer: Singles | None = None
        self.refined: dict[Hashable, Pose] = {}
        """Poses that were refined on the last answer, by what they were refined from."""
        self._renders: OrderedDict[tuple[Pose, Box], RenderedBlock] = OrderedDict()
        self._rests: OrderedDict[Box, Singles] = OrderedDict()

    @cached_property
    def period(self) -> float:
        """Degrees after which a turned thing looks the same: at most 360, 0 if it is round."""
        thing = self.scene.thing(self.id)
        if thing.text or load_of(self.scene, self.id):
            return 360.0
        if max(turn_difference(thing, degrees) for degrees in _PROBES) < _SAME:
            return 0.0
        return next((period for period in _PERIODS if turn_difference(thing, period) < _SAME), 360.0)

    @cached_property
    def across(self) -> tuple[float, float]:
        """Horizontal direction in the world that is the viewer's right."""
        x, y, _ = self.scene.camera.level_axes()[0].tolist()
        return x, y

    @cached_property
    def levels(self) -> list[float]:
        """Heights of level surfaces, in metres: that on which the thing stood, those that are seen, all others."""
        turn = rotation_matrix(self.scene.camera.rotation)
        upward = self.bare.normals @ turn[2].astype(np.float32)
        row, column = np.nonzero((upward > _LEVEL) & np.isfinite(self.bare.depth))
        pixels = np.column_stack([column + 0.5, row + 0.5])
        seen = np.sort(self.scene.camera.unproject(pixels, *self.size, self.bare.depth[row, column])[:, 2])
        groups = np.split(seen, np.nonzero(np.diff(seen) > _LEVEL_STEP / 4)[0] + 1)
        flat = [group for group in groups if len(group) >= _LEVEL_PIXELS and np.ptp(group) < 0.02]
        heights = [float(np.median(group)) for group in sorted(flat, key=len, reverse=True)][:_MOST_LEVELS]
        levels = [self.start.z]
        for z in (*heights, *(float(surface.centre[2]) for surface in self.surfaces)):
            if all(abs(z - other) > _LEVEL_STEP for other in levels):
                levels.append(z)
        return levels

    @cached_property
    def surfaces(self) -> list[Ground]:
        """Level surfaces of all other things, also those that are not seen."""
        return level_surfaces(self.rest)

    def is_above_surface(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Whether points are on a level surface of another thing, or less than `_OVERHANG` beside it."""
        on = np.zeros(len(points), np.bool_)
        for surface in self.surfaces:
            near = np.flatnonzero(np.abs(points[:, 2] - surface.centre[2]) < _LEVEL_STEP)
            for index in near:
                on[index] |= surface.inset(points[None, index, :2]) > -_OVERHANG
        return on

    @cached_property
    def _reference(self) -> Model:
        """The model with everything else as before: only there, a scene and the picture before belong together."""
        known = any(thing.id == self._original for thing in self.before.scene.things)
        return self.before.model(self._original) if known and self._known is not self.before.scene else self

    @cached_property
    def _gain(self) -> Singles:
        """Gain of the stage's light, fitted on the picture before."""
        if self._reference is not self:
            return self._reference._gain
        stage = self._make_resolution(self.before.picture, 2, 1).stage
        picture = np.clip(np.rint(shrunk(self.before.picture, 2) * 255), 0, 255).astype(np.uint8)
        return stage.fit_gain(picture, self.start[:3]) if self.mask.any() else stage.gain

    def resolution(self, answer: Singles, shrink: int, samples: int) -> Resolution:
        """The answer at its size divided by a factor; cached until another answer comes."""
        if answer is not self._answer:
            self._answer = answer
            self.refined.clear()
            self._renders.clear()
            self._resolutions = {
                key: replace(old, answer=shrunk(answer, key[0])) for key, old in self._resolutions.items()
            }
        key = shrink, samples
        if key not in self._resolutions:
            self._resolutions[key] = self._make_resolution(answer, shrink, samples)
            self._resolutions[key].stage.gain = self._gain
        return self._resolutions[key]

    def _make_resolution(self, answer: Singles, shrink: int, samples: int) -> Resolution:
        plate = shrunk(self.plate, shrink)
        depth = self.bare.depth[shrink // 2 :: shrink, shrink // 2 :: shrink]
        rgb = np.clip(np.rint(plate * 255), 0, 255).astype(np.uint8)
        layers: Layers = replace(self.bare, rgb=rgb, depth=depth)
        stage = Stage(self.scene, self.id, rgb.shape[1], rgb.shape[0], layers, samples)
        return Resolution(shrunk(answer, shrink), plate, stage, self.across)

    def posed(self, pose: Pose) -> Scene:
        """The scene with the thing, and what stands on it, at a pose."""
        return self._placed(self.scene, pose)

    def _placed(self, scene: Scene, pose: Pose) -> Scene:
        return transformed(scene, self.id, (pose.x, pose.y, pose.z), pose.turn_deg, pose.factor)

    def rendered(self, pose: Pose, window: Box) -> Singles:
        """What a window of the answer would look like, with shadows.

        Where the thing is, a draft; elsewhere, the plate and what the thing changes in drafts of the window alone.
        """
        part, rendered = self._render_block(pose, window)
        return rendered.picture[part]

    def whole(self, pose: Pose, window: Box) -> tuple[Singles, npt.NDArray[np.uint16]]:
        """What the answer would look like, and the number in the posed scene of the thing that each pixel shows.

        Outside of a window around the thing, its shadows are missing.
        """
        part, rendered = self._render_block(pose, window)
        left, top, right, bottom = window
        number = {thing.id: n for n, thing in enumerate(self._placed(self._known, pose).things, 1)}
        numbers = np.array([0, *(number[thing.id] for thing in self.rest.things)], np.uint16)
        picture, ids = self.plate.copy(), numbers[self.bare.ids]
        picture[top:bottom, left:right], ids[top:bottom, left:right] = rendered.picture[part], rendered.ids[part]
        return picture, ids

    def _render_block(self, pose: Pose, window: Box) -> tuple[tuple[slice, slice], RenderedBlock]:
        """The slices of a rendered block that show a window, and the block; renders are cached.

        Renders are of whole blocks, which the renderer makes anyway: the next steps of a pose are often in the same.
        """
        left, top, right, bottom = block = _block(window, self.size)
        x, y = block[0], block[1]
        place = slice(window[1] - y, window[3] - y), slice(window[0] - x, window[2] - x)
        if (pose, block) not in self._renders:
            scene = self._placed(self._known, pose)
            group = {self.id, *load_of(scene, self.id)}
            numbers = [n for n, thing in enumerate(scene.things, 1) if thing.id in group]
            layers, part = self._draft(scene, block, ("rgb", "ids")), (slice(top, bottom), slice(left, right))
            plate = unit_range(self.bare.rgb[part]) + self.before.residual[part]
            change = unit_range(layers.rgb) - self._rest_draft(block)
            own = np.isin(layers.ids, numbers)[..., None]
            shown = np.where(own, unit_range(layers.rgb) * self._draft_gain, plate + change)
            picture = blurred(np.asarray(shown, np.float32), self.before.blur)
            _keep(self._renders, (pose, block), RenderedBlock(picture, layers.ids))
        return place, self._renders[pose, block]

    def _rest_draft(self, block: Box) -> Singles:
        """A draft of a block without the thing; the last ones are kept, because several poses share a block."""
        if block not in self._rests:
            _keep(self._rests, block, unit_range(self._draft(self.rest, block, ("rgb",)).rgb))
        return self._rests[block]

    def _draft(self, scene: Scene, window: Box, layers: tuple[str, ...]) -> Layers:
        return render(scene, *self.size, "draft", layers=layers, steady=True, window=window, isolated=True)

    @cached_property
    def _draft_gain(self) -> Singles:
        """Gain of each channel of a draft of a window alone, on the thing, fitted on the picture before."""
        if self._reference is not self:
            return self._reference._draft_gain
        row, column = np.nonzero(self.mask)
        if len(row) < _LEVEL_PIXELS:
            return np.ones(3, np.float32)
        window = (int(column.min()), int(row.min()), int(column.max()) + 1, int(row.max()) + 1)
        inside = self.mask[window[1] : window[3], window[0] : window[2]]
        shown = self.before.picture[window[1] : window[3], window[0] : window[2]][inside]
        drawn = unit_range(self._draft(self._known, window, ("rgb",)).rgb)[inside]
        ratio = shown.sum(axis=0) / np.maximum(drawn.sum(axis=0), 1e-3)
        return np.asarray(np.clip(ratio, 0.7, 1.4), np.float32)
