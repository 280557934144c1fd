"""An answer beside the picture of a scene: which pixels and things differ, and what it shows besides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import pivot
from pixelproof.world.solid import Scene, Thing
from pixelproof.world.solid.render import render

from ._model import Before, Mask
from ._pictures import Singles, blurred, differing_pixels, fit_blur, noise_of, same_light
from ._things import Located, View, locate, locate_nearby

CHANGED = 0.15
"""Least share of different pixels of a thing that has changed."""
SOFT = 0.8
"""Blur of an answer in pixels at which this share is twice as large."""
FEW = 12
"""A thing with fewer visible pixels, in half of the working size, is not compared."""
_SPECKS = 4
"""Largest group of different pixels, in half of the working size, in a picture that counts as unchanged."""
_UNCHANGED, _BESIDE = (0.005, 0.02), 2
"""Most different pixels in a thing that did not change, and in and beside it, relative to its pixels; twice as many in
a soft answer; and the width of what is beside it, in pixels of half of the working size."""
_AROUND = 6
"""Pixels around named things, in half of the working size, in which nothing may be left unexplained."""
_SHIFTED, _EXPLAINED = 0.35, 0.18
"""Least displacement of a thing in pixels of the working size, relative to the median of all things, and least share
of its difference that the displacement explains, for a thing that may have moved a little."""
_FRAME, _BORDER, _SMOOTH = 8, 2, 1.0
"""Pixels around a thing that are read, pixels around it that are compared, and the blur of both pictures there."""
_SHIFT_TOLERANCE, _SHIFT_ROUNDS = 0.06, 5


class Match(NamedTuple):
    """An answer and the picture before, made comparable."""

    before: Before
    """The scene before; its pictures are as soft as the answer."""
    shown: Singles
    """The answer in the light of the picture before."""
    noise: float
    """Typical difference where nothing changed."""


def matched(before: Before, answer: Singles) -> Match:
    """Bring the light of an answer to that of the picture before, and the sharpness of that to the answer's."""
    shown = same_light(answer, before.picture)
    soft = before.blurred_copy(fit_blur(shown, before.picture))
    return Match(soft, shown, noise_of(shown, soft.picture))


def is_copy(match: Match) -> bool:
    """Whether nothing but single pixels differs from the picture before."""
    groups, _ = ndimage.label(differing_pixels(match.shown, match.before.picture, match.noise))
    return int(np.bincount(groups.ravel())[1:].max(initial=0)) <= _SPECKS


def shares_of_things(ids: npt.NDArray[np.uint16], scene: Scene, different: Mask) -> dict[str, float]:
    """Movable thing → share of its visible pixels that are different."""
    owner, shares = ids[1::2, 1::2], {}
    for number, thing in enumerate(scene.things, 1):
        mask = owner == number
        if not thing.fixed and mask.sum() >= FEW:
            shares[thing.id] = float(different[mask].mean())
    return shares


class Compared(NamedTuple):
    """An answer and a picture of a scene."""

    view: View
    """The picture of the scene."""
    different: Mask
    """Pixels that differ, in half of the working size."""
    shares: dict[str, float]
    """Movable thing → share of its pixels that differ."""
    changed: list[str]
    """Ids of things that are not named and differ, those that differ most first."""
    unexplained: float
    """Different pixels in and around the named things, relative to their pixels."""

    @property
    def is_explained(self) -> bool:
        """Whether the picture shows everything that is in the answer, but for single pixels."""
        return not self.changed and not self.unexplained and not self.leftover

    @property
    def leftover(self) -> int:
        """Different pixels that are not single ones, in half of the working size."""
        return int(ndimage.binary_opening(self.different).sum())


def compare(match: Match, scene: Scene, view: View | None = None) -> Compared:
    """Compare an answer with a picture of a scene; it is rendered unless given."""
    before, shown, noise = match
    if view is None:
        is_known = scene is before.scene
        layers = before.draft if is_known else render(scene, *before.size, "draft", layers=("rgb", "ids"), steady=True)
        view = View(before.expected(layers.rgb), layers.ids)
    different = differing_pixels(shown, view.picture, noise)
    shares = shares_of_things(view.ids, scene, ndimage.binary_opening(different) if before.blur > 0 else different)
    least = CHANGED * (1 + min(before.blur / SOFT, 1.0))
    others = sorted(shares.keys() - set(before.named), key=lambda id: -shares[id])
    changed = [id for id in others if shares[id] > least]
    return Compared(view, different, shares, changed, _unexplained(before, scene, view.ids, different))


def _unexplained(before: Before, scene: Scene, ids: npt.NDArray[np.uint16], different: Mask) -> float:
    """Different pixels in and around the named things, where they were and where they are, relative to their pixels."""
    numbers = [n for n, thing in enumerate(scene.things, 1) if thing.id in before.named]
    old, new = before.mask_of(before.named)[1::2, 1::2], np.isin(ids[1::2, 1::2], numbers)
    around = ndimage.binary_dilation(old | new, iterations=_AROUND)
    return float(ndimage.binary_opening(different & around).sum() / max(old.sum(), new.sum(), FEW))


def shifted_things(match: Match, scene: Scene, view: View) -> list[str]:
    """Ids of things that are not named and seem to be displaced by a fraction of a pixel or more, the most first.

    Large things of one colour that moved by a few pixels differ along their outlines alone, in a small share of their
    pixels. What all things have in common, such as the offset of a resized picture, is no displacement of one of them.
    """
    shifts = {}
    for number, thing in enumerate(scene.things, 1):
        mask = view.ids == number
        if not thing.fixed and thing.id not in match.before.named and mask.sum() >= 4 * FEW:
            shifts[thing.id] = displacement(match.shown, view.picture, mask)
    common = np.median([shift for shift, _ in shifts.values()], axis=0) if len(shifts) > 2 else np.zeros(2)
    lengths = {id: float(np.hypot(*(shift - common))) for id, (shift, share) in shifts.items() if share > _EXPLAINED}
    return sorted((id for id, length in lengths.items() if length > _SHIFTED), key=lambda id: -lengths[id])


def displacement(shown: Singles, expected: Singles, mask: Mask) -> tuple[npt.NDArray[np.float64], float]:
    """Pixels to the right and down by which a part of an expected picture is displaced in an answer.

    One step of optical flow (Lucas and Kanade), reweighted so that pixels that it does not explain count little.

    Args:
        shown: The answer.
        expected: The expected picture in the same size.
        mask: The part, which is not empty.

    Returns:
        The displacement, and the share of the squared difference that it explains.

    >>> x = np.linspace(0, 8, 64, dtype=np.float32)
    >>> row = lambda offset: np.sin(x[None, :, None] + np.zeros((64, 1, 3), np.float32) - offset)
    >>> shift, share = displacement(row(0.0635), row(0), np.pad(np.ones((32, 32), bool), 16))
    >>> (shift.round(2) + 0.0).tolist(), share > 0.99
    ([0.5, 0.0], True)
    """
    row, column = np.nonzero(mask)
    part = tuple(slice(max(0, axis.min() - _FRAME), axis.max() + _FRAME + 1) for axis in (row, column))
    inside = ndimage.binary_dilation(mask[part], iterations=_BORDER)
    answer, before = (blurred(picture[part], _SMOOTH) for picture in (shown, expected))
    down, right = np.asarray(np.gradient((answer + before) / 2, axis=(0, 1)))
    change = np.asarray((answer - before)[inside], np.float64).reshape(-1)
    slopes = np.stack([-axis[inside].reshape(-1) for axis in (right, down)], axis=1)
    design = np.column_stack([slopes, np.ones(len(change))])  # with a constant: the light may differ
    weights, fitted, left = np.ones(len(change)), np.zeros(3), change
    for _ in range(_SHIFT_ROUNDS):
        weighted = (design * weights[:, None]).T
        normal = weighted @ design
        damping = 1e-6 * (normal[0, 0] + normal[1, 1]) + 1e-12
        fitted = np.linalg.solve(normal + damping * np.eye(3), weighted @ change)
        left = change - design @ fitted
        weights = np.asarray((1 + (left / _SHIFT_TOLERANCE) ** 2) ** -2.0)
    total = float((weights * (change - np.average(change, weights=weights)) ** 2).sum())
    return fitted[:2], 1 - float((weights * left**2).sum()) / total if total > 0 else 0.0


def is_unchanged(match: Match, id: str) -> bool:
    """Whether the pixels of a thing are as in the picture before, or almost, and then those beside it, too."""
    own = match.before.mask_of([id])[1::2, 1::2]
    if own.sum() < FEW:
        return False
    around = ndimage.binary_dilation(own, iterations=_BESIDE)
    different = differing_pixels(match.shown, match.before.picture, match.noise)
    soft = 1 + min(match.before.blur / SOFT, 1.0)
    exactly, almost = (limit * soft * own.sum() for limit in _UNCHANGED)
    return bool((different & own).sum() <= exactly or (different & around).sum() <= almost)


_MOST_SEARCHED = 4
"""Most things that are not named and are searched for."""
_UNMOVED, _MOVED = 0.005, 0.01
"""Metres up to which a thing that differs is where it was, and from which on one that is merely displaced a little in
the picture has moved."""
_COPY_SHARE, _COPY_MARGIN, _COPY_AREA, _COPY_DISTANCE = 0.5, 0.4, 0.3, 0.02
"""A copy of a thing: least share of the possible gain, or least margin of its render over one without it; least
unexplained area relative to the thing, and least distance in metres from the thing."""
_COPY_EXPLAINS, _COPY_LEAST_MARGIN = 0.5, 0.15
"""Or, with a smaller margin, least share of the unexplained pixels that a render with the copy explains."""
_SAME_SCALE = 0.1


class Others(NamedTuple):
    """What changed besides the named things."""

    scene: Scene
    """The scene with all things where they are, without copies."""
    compared: Compared
    """The answer beside a picture of the scene, with copies."""
    located: dict[str, Located]
    """Things that were searched for."""
    changed: list[str]
    """Ids of things that are not named and look different, or are elsewhere."""
    duplicated: list[str]
    """Ids of named things that are there twice."""

    def elsewhere(self, before: Scene) -> list[str]:
        """Ids of the changed things that are not where they were."""
        return [id for id in self.changed if not _is_as_before(before, self.scene, id)]


def examine_others(
    match: Match, scene: Scene, compared: Compared, named: Sequence[str], support: bool, hovering: bool
) -> Others:
    """Explain what differs from a scene in which the named things are where they are.

    Copies come first: one that stands before another thing makes that look different.

    Args:
        match: The answer and the picture before.
        scene: The scene with all named things where they are.
        compared: The answer beside a picture of it.
        named: Named things of which there may be a second copy.
        support: Whether copies may stand on something else than the original.
        hovering: Whether they may be in mid-air.
    """
    copies = [copy for id in named if (copy := _copy_of(match, scene, compared, id, support, hovering)) is not None]
    for copy in copies:
        if not copy.compared.changed:
            return Others(copy.scene, copy.compared, {}, [], [copy.id])
    others = _locate_others(match, scene, compared)
    if others.elsewhere(match.before.scene):
        return others
    for copy in copies:
        others = others._replace(scene=copy.scene, duplicated=[*others.duplicated, copy.id])
    return others


def has(scene: Scene, id: str) -> bool:
    """Whether a scene has a thing."""
    return any(thing.id == id for thing in scene.things)


def is_same(scene: Scene, thing: Thing) -> bool:
    """Whether a scene has exactly this thing."""
    return any(other is thing or other == thing for other in scene.things)


def _locate_others(match: Match, scene: Scene, compared: Compared) -> Others:
    """Search for things that look different; those that are merely displaced count if they turn out to have moved."""
    before, shown, _ = match
    changed, located = compared.changed, {}
    slightly = [id for id in shifted_things(match, scene, compared.view) if id not in changed]
    for id in (*changed, *slightly)[:_MOST_SEARCHED]:
        if not has(scene, id):
            continue
        if id in changed:
            other = locate(before, shown, scene, id, support=True, effort="brief")
        else:
            nearby = locate_nearby(before, shown, scene, id)
            if nearby is None or _distance(nearby.scene.thing(id), before.scene.thing(id)) < _MOVED:
                continue
            changed, other = [*changed, id], nearby
        located[id], scene = other, other.scene
    return Others(scene, compare(match, scene) if changed else compared, located, changed, [])


def _is_as_before(start: Scene, scene: Scene, id: str) -> bool:
    """Whether a thing is where it was: it is covered by something, or has other colours, but did not move."""
    return has(scene, id) and _distance(scene.thing(id), start.thing(id)) < _UNMOVED


class _Copy(NamedTuple):
    """A second copy of a named thing."""

    id: str
    scene: Scene
    """The scene without the copy; of the two, the one at the place before is the original."""
    compared: Compared
    """The answer beside a picture of the scene with the copy."""


def _copy_of(match: Match, scene: Scene, compared: Compared, id: str, support: bool, hovering: bool) -> _Copy | None:
    """A second copy of a thing that explains what differs from a scene; None if there is none."""
    before, shown, _ = match
    if not has(before.scene, id) or not has(scene, id) or before.scene.thing(id).fixed:
        return None
    thing, area = before.scene.thing(id), int(before.mask_of([id]).sum()) // 4
    if compared.leftover < _COPY_AREA * max(area, FEW):
        return None
    copy = replace(thing, id=f"{id} (copy)", support=None)
    twice = replace(scene, things=(*scene.things, copy))
    located = locate(before, shown, twice, copy.id, support=support, hovering=hovering, duplicate_of=id, effort="brief")
    other = next((thing for thing in located.scene.things if thing.id == copy.id), None)
    if other is None or located.repainted or located.doubts:
        return None
    if _distance(other, scene.thing(id)) < _COPY_DISTANCE:
        return None
    again = compare(match, located.scene)
    again = again._replace(changed=[name for name in again.changed if name != copy.id])
    if located.share < _COPY_SHARE and located.margin < _COPY_MARGIN:
        explained = 1 - again.leftover / compared.leftover
        if explained < _COPY_EXPLAINS or located.margin < _COPY_LEAST_MARGIN:
            return None
    if _distance(other, thing) < _COPY_DISTANCE and abs(other.scale / thing.scale - 1) < _SAME_SCALE:
        scene = scene.with_thing(thing)
    return _Copy(id, scene, again)


def _distance(one: Thing, other: Thing) -> float:
    return math.dist(pivot(one), pivot(other))
