"""The scene that an answer shows: which things are where, and where the camera is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import Edit, pivot
from pixelproof.world.solid import Scene, Thing, rotation_matrix
from pixelproof.world.solid.render import render

from ._camera import align, view_from
from ._model import Before, Pose, prepare
from ._pictures import Pixels, Singles, as_singles, differing_pixels, edge_correlation, fit_blur, noise_of, same_light
from ._things import Effort, Located, View, locate

_CHANGED = 0.15
"""Least share of different pixels of a thing that has changed."""
_SOFT = 0.8
"""Blur of an answer in pixels at which this share is twice as large."""
_UNCHANGED, _BESIDE = (0.005, 0.02), 2
"""Most different pixels in a thing that did not change, and in and beside it, relative to its pixels; twice as many in
a soft answer; and the width of what is beside it, in pixels of half of the working size."""
_REPAINTED = 0.5
"""Least share of different pixels of a named thing that has other colours."""
_FEW = 12
"""A thing with fewer visible pixels, in half of the working size, is not compared."""
_SPECKS = 4
"""Largest group of different pixels, in half of the working size, in a picture that counts as unchanged."""
_NUDGED, _NUDGED_DEG = 0.005, 0.2
"""Metres and degrees from which on the camera counts as moved."""
_UNLIKE = 0.5
"""Misfit of the best view from which on a picture does not show the scene."""
SAME_EDGES = 0.3
"""Correlation of edges from which on a picture that fits no view may show the scene in other colours and light."""
_UNSURE, _IN_DOUBT = 0.1, 0.6
"""Unexplained pixels, relative to those of the named things, that halve the confidence, and above which it is 0."""
_LOOKS_LIKE_ITSELF = 0.6
"""Share of the possible gain of all named things from which on unexplained pixels around them cause no abstention: the
things are there, and what an editor filled the holes with is not what is behind them."""
_LEAST_CONFIDENCE = 0.04
"""Confidence below which they do nevertheless."""
_AROUND = 6
"""Pixels around named things, in half of the working size, in which nothing may be left unexplained."""
_MOST_SEARCHED = 4
"""Most things that are not named and are searched for."""
_POOR = 0.3
"""Share of the possible gain below which one of several named things is left out when others are examined again."""
_COPY_SHARE, _COPY_MARGIN, _COPY_AREA, _COPY_DISTANCE = 0.5, 0.4, 0.3, 0.02
"""A copy of a thing: least share of the possible gain, or least margin of its render over one without it; least
unexplained area relative to the thing, and least distance in metres from the thing."""
_SUPPORT = ("place", "put", "swap", "insert")
"""Actions after which a thing may stand on something else."""


@dataclass(frozen=True)
class Reading:
    """A scene as it was read from an answer."""

    scene: Scene
    doubts: tuple[str, ...] = ()
    """Why the scene may be wrong; empty if nothing speaks against it."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Id of a thing that was searched for → gain of its pose relative to what is possible; 1 would be exact."""
    changed: tuple[str, ...] = ()
    """Ids of things that the instruction does not name and that look different."""
    repainted: tuple[str, ...] = ()
    """Ids of things that have other colours."""
    duplicated: tuple[str, ...] = ()
    """Ids of things that are there twice."""
    confidence: float = 1.0
    """How clearly the scene explains the answer, from 0 to 1."""
    unexplained: float = 0.0
    """Pixels in and around the named things that differ from a render of the scene, relative to their pixels."""


def read_scene(scene: Scene, picture: Pixels, answer: Pixels, steps: Sequence[Edit]) -> Reading:
    """Read the scene in an answer, by comparing it with renders of what might be there.

    The scene before, its picture and the things that are named are known; what is asked of them is not used.

    Args:
        scene: The scene before.
        picture: The picture before.
        answer: The answer, with the same aspect ratio.
        steps: The edits that were asked for: which things they name, and whether they are edits of the camera.
    """
    original = prepare(scene, picture, named_things(steps))
    given = as_singles(answer, original.size)
    match = matched(original, given)
    if is_copy(match):
        return Reading(scene)
    if any("camera" in step.action for step in steps):
        return read_view(original, given, steps)
    if _most_differ(match):
        aligned = align(original, given)
        if aligned.misfit > _UNLIKE:
            is_redrawn = edge_correlation(given, original.picture) > SAME_EDGES
            doubts = ("the whole picture was drawn anew",) if is_redrawn else ()
            empty = replace(scene, things=tuple(thing for thing in scene.things if thing.fixed))
            return Reading(empty, doubts, confidence=0.0 if is_redrawn else 1.0)
        if _has_moved(scene, aligned.camera.position, aligned.camera.rotation):
            moved = replace(scene, camera=aligned.camera)
            match = matched(Before(moved, view_from(original, aligned.camera), original.named), given)
    return _reading_of_things(match, steps)


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
    soft = before.softened(fit_blur(shown, before.picture))
    return Match(soft, shown, noise_of(shown, soft.picture))


def named_things(steps: Sequence[Edit]) -> list[str]:
    """Ids of the things that edits change."""
    ids = (id for step in steps for id in (step.target, step.anchor if step.action == "swap" else "") if id)
    return list(dict.fromkeys(ids))


def is_copy(match: Match) -> bool:
    """Whether nothing but single pixels differs from the picture before."""
    groups, _ = ndimage.label(differing_pixels(match.shown, match.before.picture, match.noise))
    return int(np.bincount(groups.ravel())[1:].max(initial=0)) <= _SPECKS


def read_view(before: Before, answer: Singles, steps: Sequence[Edit]) -> Reading:
    """Read the camera of an answer, in its own light, to edits of the camera."""
    zoom = any(step.action == "zoom camera" for step in steps)
    aligned = align(before, answer, far=True, zoom=zoom)
    doubts = ("the picture fits no view of the scene",) if aligned.misfit > _UNLIKE else ()
    return Reading(replace(before.scene, camera=aligned.camera), doubts, confidence=1 - aligned.misfit)


def _has_moved(scene: Scene, position: Sequence[float], rotation: tuple[float, float, float, float]) -> bool:
    turn = rotation_matrix(scene.camera.rotation).T @ rotation_matrix(rotation)
    angle = math.degrees(math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1) / 2))))
    return math.dist(position, scene.camera.position) > _NUDGED or angle > _NUDGED_DEG


def _most_differ(match: Match) -> bool:
    """Whether most of what is not named differs from the picture before, as after a move of the camera."""
    before, different = match.before, differing_pixels(match.shown, match.before.picture, match.noise)
    shares = shares_of_things(before.draft.ids, before.scene, different)
    others = [share for id, share in shares.items() if id not in before.named]
    if len(others) > 1:
        return float(np.median(others)) > _CHANGED
    rest = ~before.mask_of(before.named)[1::2, 1::2]
    return bool(different[rest].mean() > _CHANGED)


def shares_of_things(ids: npt.NDArray[np.uint16], scene: Scene, different: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Movable thing → share of its visible pixels that are different."""
    owner, shares = ids[1::2, 1::2], {}
    for number, thing in enumerate(scene.things, 1):
        mask = owner == number
        if not thing.fixed and mask.sum() >= _FEW:
            shares[thing.id] = float(different[mask].mean())
    return shares


def _reading_of_things(match: Match, steps: Sequence[Edit]) -> Reading:
    before, shown, _ = match
    scene, located = _locate_named(match, steps)
    named = dict(located)
    pasted = [id for id, thing in named.items() if thing.pasted]  # neither their perspective nor their light is right
    view = next(iter(named.values())).view if len(named) == 1 else None
    compared = _compare(match, scene, view)
    if view is not None and not compared.is_explained:
        compared = _compare(match, scene)
    shares, changed = compared.shares, compared.changed
    painted = [id for id in before.named if shares.get(id, 0.0) > _REPAINTED and id not in pasted]
    for id in sorted(changed, key=lambda name: -shares[name])[:_MOST_SEARCHED]:
        if _has(scene, id):
            located[id] = locate(before, shown, scene, id, support=True, effort="brief")
            scene = located[id].scene
    if changed:
        compared = _compare(match, scene)
    duplicated = []
    for id in (id for id in before.named if id not in pasted and id not in painted):
        if all(_is_as_before(before.scene, scene, other) for other in changed) and _has(before.scene, id):
            scene, is_twice = _examine_copy(before, shown, scene, id, compared.different, steps)
            duplicated += [id] if is_twice else []
    unexplained = compared.unexplained
    sure = min((thing.confidence for thing in named.values()), default=1.0)
    doubts = [doubt for thing in named.values() for doubt in thing.doubts]
    repainted = dict.fromkeys([*(id for id, thing in located.items() if thing.repainted), *painted])
    confidence = sure / (1 + unexplained / _UNSURE)
    is_like_itself = all(thing.pose is not None and thing.share >= _LOOKS_LIKE_ITSELF for thing in named.values())
    is_in_doubt = unexplained > _IN_DOUBT and not (is_like_itself and confidence >= _LEAST_CONFIDENCE)
    if is_in_doubt and not duplicated and not repainted and not doubts:
        doubts = [f"what is seen around {', '.join(before.named)} is not explained"]
    return Reading(
        scene,
        tuple(doubts),
        {id: thing.share for id, thing in located.items()},
        tuple(changed),
        tuple(repainted),
        tuple(duplicated),
        confidence,
        unexplained,
    )


class _Compared(NamedTuple):
    """An answer and a picture of a scene."""

    different: npt.NDArray[np.bool_]
    """Pixels that differ, in half of the working size."""
    shares: dict[str, float]
    """Movable thing → share of its pixels that differ."""
    changed: list[str]
    """Ids of things that are not named and differ."""
    unexplained: float
    """Different pixels in and around the named things, relative to their pixels."""

    @property
    def is_explained(self) -> bool:
        """Whether the picture shows everything that is in the answer, but for single pixels."""
        return not self.changed and not self.unexplained and not ndimage.binary_opening(self.different).any()


def _compare(match: Match, scene: Scene, view: View | None = None) -> _Compared:
    """Compare an answer with a picture of a scene; it is rendered unless given."""
    before, shown, noise = match
    if view is None:
        is_known = scene is before.scene
        layers = before.draft if is_known else render(scene, *before.size, "draft", layers=("rgb", "ids"), steady=True)
        view = View(before.expected(layers.rgb), layers.ids)
    different = differing_pixels(shown, view.picture, noise)
    shares = shares_of_things(view.ids, scene, ndimage.binary_opening(different) if before.blur > 0 else different)
    least = _CHANGED * (1 + min(before.blur / _SOFT, 1.0))
    changed = [id for id, share in shares.items() if id not in before.named and share > least]
    return _Compared(different, shares, changed, _unexplained(before, scene, view.ids, different))


def _unexplained(before: Before, scene: Scene, ids: npt.NDArray[np.uint16], different: npt.NDArray[np.bool_]) -> float:
    """Different pixels in and around the named things, where they were and where they are, relative to their pixels."""
    numbers = [n for n, thing in enumerate(scene.things, 1) if thing.id in before.named]
    old, new = before.mask_of(before.named)[1::2, 1::2], np.isin(ids[1::2, 1::2], numbers)
    around = ndimage.binary_dilation(old | new, iterations=_AROUND)
    return float(ndimage.binary_opening(different & around).sum() / max(old.sum(), new.sum(), _FEW))


def _locate_named(match: Match, steps: Sequence[Edit]) -> tuple[Scene, dict[str, Located]]:
    """The scene with all named things where they are, and where each of them is.

    Of several things, each is first searched for without those whose places are not known yet, the largest first; then
    its pose is examined again with the others in place, the surest first.
    """
    before, shown, _ = match
    support, hovering = _may_change_support(steps), _may_hover(steps)
    new = tuple(replace(step.thing, support=None) for step in steps if step.thing is not None)
    scene = replace(before.scene, things=(*before.scene.things, *new)) if new else before.scene
    places = {thing.id: Pose(*pivot(thing).tolist()) for thing in before.scene.things}
    named = sorted(before.named, key=lambda id: -int(before.mask_of([id]).sum()))
    still = [id for id in named if _is_unchanged(match, id)]
    located = {id: Located(scene, 1.0, margin=1.0, pose=places[id]) for id in still}
    searched = [id for id in named if id not in still]
    for id in searched:
        unknown = [other for other in named if other not in located or located[other].share < _POOR]
        hidden = [other for other in unknown if other != id]
        hints = [places[other] for other in named if other != id and other in places]
        if not _has(scene, id):  # it went with what it stood on
            scene = _as_before(scene, before.scene, id, new)
        effort: Effort = "brief" if len(searched) > 1 else "full"
        located[id] = locate(before, shown, scene, id, hidden, support, hovering, hints, effort=effort)
        scene = located[id].scene
    named = sorted(searched, key=lambda id: -located[id].share)
    for place, id in enumerate(named) if len(named) > 1 else ():
        hidden = [other for other in named[place + 1 :] if located[other].share < _POOR]
        old, start = located[id], _as_before(scene, before.scene, id, new)
        poses = () if old.pose is None else (old.pose,)
        again = locate(before, shown, start, id, hidden, support, hovering, poses, effort="hints")
        located[id], scene = again, again.scene
    return scene, located


def _may_change_support(steps: Sequence[Edit]) -> bool:
    return any(step.action in _SUPPORT for step in steps) or len(steps) > 1


def _may_hover(steps: Sequence[Edit]) -> bool:
    return any(step.way in ("up", "down") for step in steps)


def _is_unchanged(match: Match, id: str) -> bool:
    """Whether the pixels of a thing are as in the picture before, or almost, and then those beside it, too."""
    own = match.before.mask_of([id])[1::2, 1::2]
    if own.sum() < _FEW:
        return False
    around = ndimage.binary_dilation(own, iterations=_BESIDE)
    different = differing_pixels(match.shown, match.before.picture, match.noise)
    soft = 1 + min(match.before.blur / _SOFT, 1.0)
    exactly, almost = (limit * soft * own.sum() for limit in _UNCHANGED)
    return bool((different & own).sum() <= exactly or (different & around).sum() <= almost)


def _has(scene: Scene, id: str) -> bool:
    return any(thing.id == id for thing in scene.things)


def _is_as_before(start: Scene, scene: Scene, id: str) -> bool:
    """Whether a thing is where it was: it is covered by something, or has other colours, but did not move."""
    return _has(scene, id) and _distance(scene.thing(id), start.thing(id)) < _NUDGED


def _as_before(scene: Scene, start: Scene, id: str, new: Sequence[Thing]) -> Scene:
    """A scene with a thing as it was before."""
    thing = next(thing for thing in (*start.things, *new) if thing.id == id)
    if _has(scene, id):
        return scene.with_thing(replace(thing, support=None))
    return replace(scene, things=(*scene.things, replace(thing, support=None)))


def _examine_copy(
    before: Before, shown: Singles, scene: Scene, id: str, different: npt.NDArray[np.bool_], steps: Sequence[Edit]
) -> tuple[Scene, bool]:
    """The scene, and whether a thing is there twice; the one at the place before is not the copy."""
    area = int(before.mask_of([id]).sum()) // 4
    thing = before.scene.thing(id)
    if ndimage.binary_opening(different).sum() < _COPY_AREA * max(area, _FEW) or thing.fixed:
        return scene, False
    if not _has(scene, id):
        return scene, False
    copy = replace(thing, id=f"{id} (copy)", support=None)
    twice = replace(scene, things=(*scene.things, copy))
    support, hovering = _may_change_support(steps), _may_hover(steps)
    located = locate(before, shown, twice, copy.id, support=support, hovering=hovering, like=id, effort="brief")
    other = next((thing for thing in located.scene.things if thing.id == copy.id), None)
    if other is None or located.repainted or located.doubts:
        return scene, False
    if located.share < _COPY_SHARE and located.margin < _COPY_MARGIN:
        return scene, False
    if _distance(other, scene.thing(id)) < _COPY_DISTANCE:
        return scene, False
    if _distance(other, thing) < _COPY_DISTANCE and abs(other.scale / thing.scale - 1) < 0.1:
        scene = scene.with_thing(thing)
    return scene, True


def _distance(one: Thing, other: Thing) -> float:
    return math.dist(pivot(one), pivot(other))
