"""Where one thing of a scene is in an answer: its pose, that it is gone, or that this is in doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.edits import without
from pixelproof.world.solid import Scene

from ._model import TOLERANCE, Before, Fit, Mask, Model, Pose, Resolution
from ._pictures import Singles, inner_edge_correlation, misfit, shrunk
from ._refine import (
    SAME_PLACE,
    SAME_SIZE,
    full_size,
    refine,
    rendered_misfits,
    residual_share,
    scaled_in_place,
    settled_turn,
    surroundings,
    turned_in_place,
)
from ._search import (
    Candidate,
    by_size,
    covering_poses,
    explore_turns,
    first_guess,
    is_grazing,
    is_supported,
    on_same_ray,
    search,
)
from ._sprites import find_pasted

_SAME_PLACE, _SAME_SCALE = 0.006, 0.04
"""A thing that is nearer to its pose before, in metres and in the logarithm of its scale, did not move."""
_SAME_TURN = 4.0
_PRESENT, _CLEARLY_PRESENT, _LOOKS_LIKE_IT = 0.95, 0.55, 0.25
"""A thing is there if the misfit of a render with it is below the first share of that without it, and either below the
second or its gain is at least the third share of what is possible."""
_UNEXPLAINED = 0.2
"""Pixels that no thing explains, relative to those of a thing that is gone, from which on this is in doubt."""
_CANDIDATE, _CANDIDATES, _LEVELS = 0.75, 3, 2
"""Least score of a pose that is examined further, relative to the best; most of them; and on how many levels the best
in the size before is examined as well."""
_SILHOUETTE = 0.3
"""Share of a silhouette that another covers from which on both cannot be there."""
_RIVAL, _RIVAL_DISTANCE = 0.93, 0.03
"""A second pose is a rival if a render of it gains this share of what the best gains, from a distance in metres."""
_STILL, _STILL_ELSEWHERE = 1.03, 0.6
"""A thing has not moved if the misfit of its pose before is below this multiple of the least; or, if the best pose is
elsewhere, if its share of the possible gain at the pose before is this multiple of that at the best pose: then it is
there twice, or another thing of the kind moved."""
_SAME_SIZE, _OTHER_SIZE, _AS_GOOD = 0.012, 0.15, 1.1
"""Logarithms of the scale below which a thing has its size, and above which it has another; between them, it has its
size if the misfit of that is below a multiple of the other."""
_PERHAPS_IN_PLACE = 0.06
"""Metres from its place up to which a thing in another size may not have moved."""
_PLAIN, _UNSCALED = 1.04, 1.1
"""A pose without a turn or another size, and one without another size, counts if its misfit is below these multiples of
the least."""
_START_SHARE = 0.1
"""Least share of the possible gain at the pose before, in half of the size, that makes a render of it worthwhile."""
_REPAINTED, _EXPLAINED = 0.7, 0.6
"""Least share of the possible gain of a thing in other colours, and least share of what changed that it explains."""
_BORDER, _BESIDE, _COVERED, _PARTLY_COVERED, _SAME_EDGES = 3, 0.1, 0.6, 0.4, 0.3
"""A thing was repainted if beyond a border in pixels less than the first share of its pixels changed, and at least the
second share of them does not show what is behind it; or at least the third share, if the edges inside of it correlate
with those before."""
_LEFT_OVER, _MUCH_LEFT_OVER = 0.08, 0.15
"""Pixels that differ from the render of a pose, relative to those of the thing, above which other turns are examined,
and above which everything is searched thoroughly."""
_ALL_EXPLAINED = 0.02
"""Such pixels up to which nothing else is examined."""
_CLEARLY_NEARBY = 0.8
"""Multiple of the misfit of the pose before below which that of a pose nearby counts."""
_PASTED_SHARE = 0.6
"""Least share of the possible gain of the old pixels of a thing, pasted elsewhere, that no render explains."""
_LEAST_PIXELS, _FEW = 40, 12
Effort = Literal["full", "hints", "brief"]


class View(NamedTuple):
    """What an answer would look like; shadows of the thing that was searched for may be missing far from it."""

    picture: Singles
    ids: npt.NDArray[np.uint16]
    """Number in the scene of the thing that each pixel shows."""


@dataclass(frozen=True)
class Located:
    """A thing in an answer."""

    scene: Scene
    """The scene with the thing where it is, or without it."""
    share: float
    """Gain of the pose relative to what is possible; 1 would be exact."""
    doubts: tuple[str, ...] = ()
    repainted: bool = False
    pasted: bool = False
    """Whether its old pixels are there, in the perspective and light of its place before."""
    margin: float = 0.0
    """How much better the best pose is than any other, from 0 (not at all) to 1."""
    pose: Pose | None = None
    """Where it is; None if it is gone."""
    view: View | None = None
    """A picture of the scene, if everything else is known; None if there is none yet."""

    @property
    def confidence(self) -> float:
        """From 0 to 1: how well and how clearly the pose explains the answer."""
        return 0.0 if self.doubts else min(max(self.margin, 0.0), 1.0)


class _Best(NamedTuple):
    """The best of several poses; None if the scene without the thing fits as well."""

    pose: Pose | None
    margin: float
    is_ambiguous: bool = False
    """Whether a pose elsewhere fits about as well."""


def locate(
    before: Before,
    shown: Singles,
    scene: Scene,
    id: str,
    hidden: Sequence[str] = (),
    support: bool = False,
    hovering: bool = False,
    hints: Sequence[Pose] = (),
    duplicate_of: str = "",
    effort: Effort = "full",
) -> Located:
    """Search for a thing in an answer.

    Args:
        before: The scene before.
        shown: The answer.
        scene: The scene as far as it is known, with the thing as it was before.
        id: The thing.
        hidden: Further things whose places are not known.
        support: Whether the thing may stand on something else.
        hovering: Whether it may be above or below its place, without support.
        hints: Poses that are examined in any case.
        duplicate_of: Id of the original if this is a duplicate.
        effort: `full`; `hints`, if other poses are examined only where these leave something unexplained; `brief`, if
            one search is enough, and none in other colours.
    """
    as_before = scene is before.scene and not hidden
    model = before.model(id) if as_before else Model(before, id, scene, hidden, duplicate_of)
    is_new = all(thing.id != id for thing in before.scene.things)
    doubts: tuple[str, ...] = () if is_new or model.mask.sum() >= _LEAST_PIXELS else (f"{id} has few pixels",)
    if not is_new and not _changes(model, shown)[0].any():
        return _gone(model, doubts)
    if effort != "hints" and not (is_new or hidden or support or hovering or hints):
        guessed = _guessed(model, shown)
        if guessed is not None:
            return _found(model, shown, guessed, doubts, is_new, bool(hidden))
    candidates = _candidates(model, shown, support, hovering, hints, effort)
    may_stay = not hidden and not is_new and not duplicate_of
    stays: list[Pose] = []
    if effort == "full" and may_stay and is_grazing(model, model.start.z):
        stays = [scaled_in_place(model, shown)]  # from the side, a thing that grew looks like one that came closer
    best = _exact_pose(model, shown, candidates, is_new, [*hints, *stays])
    left = 0.0 if effort == "brief" else _residual_share(model, shown, best)
    if left > _LEFT_OVER and may_stay:
        stays = [scaled_in_place(model, shown), *turned_in_place(model, shown)]
        best, left = _better(model, shown, best, left, _exact_pose(model, shown, candidates, is_new, [*hints, *stays]))
    if left > _LEFT_OVER and not hidden and best.pose is not None:
        turns = explore_turns(model, shown, best.pose)
        best, left = _better(model, shown, best, left, _exact_pose(model, shown, candidates, is_new, turns))
    if best.pose is None and left > _MUCH_LEFT_OVER and not is_new:
        pasted = _pasted(model, shown, doubts)
        if pasted is not None:
            return pasted
    if left > _MUCH_LEFT_OVER and not hidden:
        more = search(model, shown, support, hovering, hints=hints, thorough=True)
        poses = [*hints, *covering_poses(model, shown, support)]
        best, left = _better(model, shown, best, left, _exact_pose(model, shown, [*candidates, *more], is_new, poses))
    if duplicate_of and best.pose is None:
        best = _exact_pose(model, shown, candidates, is_new, covering_poses(model, shown, change_of_support=True))
    if best.pose is None:
        return _not_there(model, shown, candidates[0][0], support, doubts, is_new, effort)
    return _found(model, shown, best, doubts, is_new, bool(hidden))


def locate_nearby(before: Before, shown: Singles, scene: Scene, id: str) -> Located | None:
    """A thing that moved by a few pixels, in its size before; None if its render does not fit clearly better there.

    `locate` would prefer the pose before: a large thing of one colour looks much the same a few pixels away.
    """
    model = before.model(id) if scene is before.scene else Model(before, id, scene)
    pose = refine(model, shown, model.start, keep=SAME_SIZE)
    (loss, start), absent = rendered_misfits(model, shown, [pose, model.start])
    if pose == model.start or loss > _CLEARLY_NEARBY * start:
        return None
    margin = min(max(1 - loss / max(absent, 1e-6), 0.0), 1.0)
    return Located(model.posed(pose), model.resolution(shown, 2, 2).fit(pose).share, margin=margin, pose=pose)


def _candidates(
    model: Model, shown: Singles, support: bool, hovering: bool, hints: Sequence[Pose], effort: Effort
) -> list[Candidate]:
    """Poses to examine: of a search, or the hints alone."""
    if effort != "hints":
        return search(model, shown, support, hovering, hints=hints)
    resolution = model.resolution(shown, 2, 2)
    return sorted(((resolution.fit(pose), pose) for pose in hints or [model.start]), key=by_size)


def _better(model: Model, shown: Singles, best: _Best, left: float, again: _Best) -> tuple[_Best, float]:
    """The one of two results that leaves less unexplained, the first if both are equal; and how much that is."""
    left_again = _residual_share(model, shown, again)
    return (again, left_again) if left_again < left else (best, left)


def _pasted(model: Model, shown: Singles, doubts: tuple[str, ...]) -> Located | None:
    """A thing whose old pixels were pasted elsewhere; None if they were not."""
    pasted = find_pasted(model, shown)
    if pasted is None or pasted.share < _PASTED_SHARE or _is_unmoved(model, pasted.pose):
        return None
    placed, margin = model.posed(pasted.pose), min(pasted.share, 1.0)
    return Located(placed, pasted.share, doubts, pasted=True, margin=margin, pose=pasted.pose)


def _guessed(model: Model, shown: Singles) -> _Best | None:
    """The first guess, if its render explains all that changed around it; None if more has to be examined.

    Seen from above, the place in the picture is the place on the level: there is no second one that looks alike.
    """
    if is_grazing(model, model.start.z):
        return None
    best = _exact_pose(model, shown, [first_guess(model, shown)], is_new=False)
    return best if best.pose is not None and residual_share(model, shown, best.pose) <= _ALL_EXPLAINED else None


def _found(
    model: Model, shown: Singles, best: _Best, doubts: tuple[str, ...], is_new: bool, others_hidden: bool
) -> Located:
    """A thing that a render shows."""
    pose = best.pose
    assert pose is not None
    doubts += (f"{model.id} fits in two places",) if best.is_ambiguous else ()
    resolution, moved = model.resolution(shown, 2, 2), is_new or not _is_unmoved(model, pose)
    view = View(*model.whole(pose, full_size(surroundings(resolution, pose)))) if moved and not others_hidden else None
    placed, share = model.posed(pose) if moved else model.scene, resolution.fit(pose).share
    return Located(placed, share, doubts, margin=best.margin, pose=pose, view=view)


def _gone(model: Model, doubts: tuple[str, ...], share: float = 0.0, margin: float = 1.0) -> Located:
    """A thing that is not there."""
    gone = without(model.scene, model.id)
    view = View(model.plate, model.bare.ids) if gone == model.rest else None
    return Located(gone, share, doubts, margin=margin, view=view)


def _not_there(
    model: Model, shown: Singles, fit: Fit, support: bool, doubts: tuple[str, ...], is_new: bool, effort: Effort
) -> Located:
    """A thing that no render shows: it is gone, or has other colours, or this is in doubt."""
    resolution, gone = model.resolution(shown, 2, 2), without(model.scene, model.id)
    changed, least = _changes(model, shown)
    if int(changed.sum()) <= least:
        return _gone(model, doubts, fit.share, 1 - int(changed.sum()) / least)
    if not is_new and _is_repainted(model, shown, resolution):
        return Located(model.scene, fit.share, doubts, repainted=True, margin=0.5, pose=model.start)
    if effort == "brief":
        return Located(gone, fit.share, doubts)
    candidates = search(model, shown, support, recolour=True)
    painted = replace(resolution, recolour=True)
    poses = [pose for _, pose in candidates] + ([] if is_new else [model.start])
    ranked = sorted(((painted.fit(pose), pose) for pose in poses), key=lambda option: -option[0].score)
    best, pose = ranked[0]
    if not is_new and painted.fit(model.start).score > 0.9 * best.score:
        best, pose = painted.fit(model.start), model.start
    if best.share < _REPAINTED or best.gain < max(least, _EXPLAINED * float(resolution.empty[changed].sum())):
        doubts += (f"{model.id} was not found, and something else appeared",)
        return Located(gone, fit.share, doubts)
    moved = is_new or not _is_unmoved(model, pose)
    return Located(
        model.posed(pose) if moved else model.scene, best.share, doubts, repainted=True, margin=best.share, pose=pose
    )


def _residual_share(model: Model, shown: Singles, best: _Best) -> float:
    """What a pose leaves unexplained; infinite if the thing is not there, but something else is."""
    if best.pose is not None:
        return residual_share(model, shown, best.pose)
    changed, least = _changes(model, shown)
    return math.inf if int(changed.sum()) > least else 0.0


def _changes(model: Model, shown: Singles) -> tuple[Mask, float]:
    """Pixels that differ from the scene without a thing, and how many of them may differ if it is gone."""
    least = _UNEXPLAINED * max(int(model.mask.sum()) // 4, _FEW)
    changed = model.resolution(shown, 2, 2).empty > 0.5
    return ndimage.binary_opening(changed) if least > _FEW else changed, least


def _is_repainted(model: Model, shown: Singles, resolution: Resolution) -> bool:
    """Whether nothing changed but the pixels of a thing, and these do not show what is behind it."""
    own = model.mask[1::2, 1::2]
    if own.sum() < _FEW:
        return False
    changed = misfit(resolution.answer - shrunk(model.before.picture, 2), TOLERANCE) > 0.5
    around = ndimage.binary_dilation(own, iterations=_BORDER)
    beside, covered = ndimage.binary_opening(changed & ~around), float((resolution.empty[own] > 0.5).mean())
    if beside.sum() > _BESIDE * own.sum() or covered < _PARTLY_COVERED:
        return False
    return covered >= _COVERED or inner_edge_correlation(shown, model.before.picture, model.mask) > _SAME_EDGES


def _exact_pose(
    model: Model,
    shown: Singles,
    candidates: Sequence[Candidate],
    is_new: bool,
    more: Sequence[Pose] = (),
) -> _Best:
    """The pose whose render with shadows fits best; of the best candidates, and of more that are always examined.

    The pose before has precedence: if it fits about as well, nothing moved, or another thing of the kind did. None if
    no pose fits better than the scene without the thing.
    """
    resolution = model.resolution(shown, 2, 2)
    ranked = sorted(((resolution.fit(pose), pose) for _, pose in candidates), key=by_size)
    examined = [*_distinct(model, ranked), *more]
    refined = [
        refine(model, shown, pose, slice(0, 1), frozenset() if pose.log_scale else SAME_SIZE) for pose in examined
    ]
    refined = [pose for pose in refined if resolution.fit(pose).possible > 1 and is_supported(model, pose)]
    refined = refined or examined[:1]
    start_share = -1.0 if is_new else resolution.fit(model.start).share
    examine_start = start_share > _START_SHARE
    poses = [*refined, model.start] if examine_start else refined
    losses, absent = rendered_misfits(model, shown, poses)
    loss, best = min(zip(losses, poses, strict=True))
    for allowed, turn in ((_UNSCALED, 360.0), (_PLAIN, _SAME_TURN)):
        for other, pose in sorted(zip(losses, poses, strict=True)):
            if pose.log_scale == 0 and abs(pose.turn_deg) < turn and other < allowed * loss:
                loss, best = other, pose
                break
    margin = min(max(1 - loss / max(absent, 1e-6), 0.0), 1.0)
    share = resolution.fit(best).share
    if loss > (_PRESENT if share > _LOOKS_LIKE_IT else _CLEARLY_PRESENT) * absent:
        return _Best(None, margin)
    if examine_start:
        is_still_there = start_share > max(_STILL_ELSEWHERE * share, _LOOKS_LIKE_IT)
        if losses[-1] < _STILL * loss or (is_still_there and _covers(resolution, best, model.start) < _SILHOUETTE):
            return _Best(model.start, margin)
    rivals = [
        ((absent - other) / max(absent - loss, 1e-6), pose)
        for other, pose in zip(losses, refined, strict=False)
        if math.dist(pose[:3], best[:3]) > _RIVAL_DISTANCE and (pose.log_scale == 0 or best.log_scale != 0)
    ]
    gain, rival = max(rivals, default=(0.0, best))
    finished = _finished(model, shown, best)
    if gain > _RIVAL:  # after the last rounds, one of them may be far better
        ends = finished, _finished(model, shown, rival)
        (own, other), absent = rendered_misfits(model, shown, ends)
        gain = (absent - max(own, other)) / max(absent - min(own, other), 1e-6)
        finished = ends[other < own]
    margin = min(margin, 1 - gain)
    return _Best(finished, margin, gain > _RIVAL)


def _covers(resolution: Resolution, one: Pose, other: Pose) -> float:
    """Share of the smaller silhouette of a thing at two poses that the other covers."""
    height, width = resolution.plate.shape[:2]
    masks = []
    for pose in (one, other):
        left, top, right, bottom = (drawn := resolution.draw(pose)).box
        masks.append(np.zeros((height, width), np.bool_))
        masks[-1][top:bottom, left:right] = drawn.alpha > 0.5
    return float((masks[0] & masks[1]).sum() / max(1, min(masks[0].sum(), masks[1].sum())))


def _finished(model: Model, shown: Singles, pose: Pose) -> Pose:
    """A pose after the last rounds; in the size before, or at the place before, unless another is clearly better.

    Nearly round things look alike if they are a little larger and a little farther away.
    """
    if pose == model.start:
        return pose
    if model.period and abs(pose.turn_deg) > _SAME_TURN:
        pose = settled_turn(model, shown, pose)
    if pose.hovers or abs(pose.log_scale) > _OTHER_SIZE:
        free = refine(model, shown, pose, slice(1, None))
        if pose.hovers or math.dist(free[:3], model.start[:3]) > _PERHAPS_IN_PLACE:
            return free
        in_place = model.start._replace(turn_deg=free.turn_deg, log_scale=free.log_scale)
        simpler = refine(model, shown, in_place, slice(1, None), SAME_PLACE)
    else:
        simpler = refine(model, shown, on_same_ray(model, pose, 0.0), slice(1, None), SAME_SIZE)
        free = refine(model, shown, simpler, slice(2, None))
        if abs(free.log_scale) < _SAME_SIZE:
            return simpler
    losses, _ = rendered_misfits(model, shown, [simpler, free])
    return simpler if losses[0] < _AS_GOOD * losses[1] else free


def _distinct(model: Model, candidates: Sequence[Candidate]) -> list[Pose]:
    """The best poses that are about as good and not nearly the same; some of them in the size and turn before."""
    chosen: list[Pose] = []
    for fit, pose in candidates:
        if chosen and fit.score < _CANDIDATE * candidates[0][0].score:
            break
        if all(_differ(pose, other) for other in chosen):
            chosen.append(pose)
    plain = [pose for _, pose in candidates if pose.log_scale == 0 and pose.turn_deg == 0][:1]
    levels = list({round(pose.z, 3): pose for _, pose in reversed(candidates)}.values())[-_LEVELS:]
    same_size = [on_same_ray(model, pose, 0.0) for pose in levels if not pose.hovers]
    return list(dict.fromkeys([*chosen[:_CANDIDATES], *plain, *same_size]))


def _differ(pose: Pose, other: Pose) -> bool:
    turn = (pose.turn_deg - other.turn_deg + 180.0) % 360.0 - 180.0
    return math.dist(pose[:3], other[:3]) > 0.01 or abs(turn) > 12 or abs(pose.log_scale - other.log_scale) > 0.1


def _is_unmoved(model: Model, pose: Pose) -> bool:
    period = model.period or 360.0
    turn = pose.turn_deg % period
    turned = 0.0 if model.period == 0 else min(turn, period - turn)
    near = math.dist(pose[:3], model.start[:3]) < _SAME_PLACE
    return near and turned < _SAME_TURN and abs(pose.log_scale) < _SAME_SCALE
