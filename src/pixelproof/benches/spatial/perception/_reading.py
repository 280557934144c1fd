"""The scene that an answer shows: which things are where, and where the camera is.

The error of a perception on answers whose scene is known was measured by `benchmarks/perception.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pixelproof.world.edits import Edit, pivot, without
from pixelproof.world.solid import Scene, Thing, rotation_matrix

from ._camera import align, view_from
from ._comparison import (
    CHANGED,
    Match,
    Others,
    compare,
    examine_others,
    has,
    is_copy,
    is_same,
    is_unchanged,
    matched,
    shares_of_things,
)
from ._model import Before, Pose, prepare
from ._pictures import Pixels, Singles, as_singles, differing_pixels, edge_correlation
from ._things import Effort, Located, locate

_FILE = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True)
class ReadingErrors:
    """Errors on the answers in one kind of scene."""

    answers: int
    abstained: int
    median_mm: float
    """Median distance between a thing as read and as it is, in millimetres."""
    right_place: float
    """Share of the answers, without abstentions, in which it is read within 15 mm of its place."""
    accuracy_error: float
    """Mean absolute error of spatial accuracy, without abstentions."""


@cache
def calibration(perception: str) -> tuple[int, Mapping[str, ReadingErrors]]:
    """The seed of the calibration set, and kind of scene → errors; empty if the perception was not measured."""
    known = json.loads(_FILE.read_text()).get(perception)
    if known is None:
        return 0, {}
    return known["seed"], {kind: ReadingErrors(**values) for kind, values in known["kinds"].items()}


def describe_calibration(perception: str) -> str:
    """The errors of a perception as a sentence, or that they were not measured."""
    seed, errors = calibration(perception)
    if not errors:
        return f"Perception {perception!r}: its error was not measured."
    parts = [
        f"{kind}: median {error.median_mm:.2g} mm, {error.right_place:.0%} within 15 mm, mean error of sa "
        f"{error.accuracy_error:.3f}, {error.abstained} of {error.answers} abstained"
        for kind, error in errors.items()
    ]
    measured = f"seed {seed}, 512 pixels, beauty, JPEG 90; other sizes and qualities were not measured"
    return f"Perception {perception!r}, error on answers with a known scene ({measured}): {'; '.join(parts)}."


_REPAINTED = 0.5
"""Least share of different pixels of a named thing that has other colours."""
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
_POOR = 0.3
"""Share of the possible gain below which one of several named things is left out when others are examined again."""
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


def named_things(steps: Sequence[Edit]) -> list[str]:
    """Ids of the things that edits change."""
    ids = (id for step in steps for id in (step.target, step.anchor if step.action == "swap" else "") if id)
    return list(dict.fromkeys(ids))


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
        return float(np.median(others)) > CHANGED
    rest = ~before.mask_of(before.named)[1::2, 1::2]
    return bool(different[rest].mean() > CHANGED)


def _reading_of_things(match: Match, steps: Sequence[Edit]) -> Reading:
    """Read where things are; again with the others in their places, if these moved and a named thing is unclear."""
    before = match.before
    examined = _examine(match, steps, before.scene)
    if examined.is_unclear and examined.others.elsewhere(before.scene):
        again = _examine(match, steps, _with_others(before, examined.others))
        examined = min(examined, again, key=lambda result: (bool(result.doubts), result.others.compared.unexplained))
    return _reading_from(before, examined)


class _Examined(NamedTuple):
    """Where the named things are, and what else an answer shows."""

    named: dict[str, Located]
    others: Others
    painted: list[str]
    """Ids of named things whose pixels look different where they are."""

    @property
    def doubts(self) -> list[str]:
        """Why the place of a named thing may be wrong."""
        return [doubt for thing in self.named.values() for doubt in thing.doubts]

    @property
    def is_unclear(self) -> bool:
        """Whether the place of a named thing is in doubt, or much around one is unexplained."""
        return bool(self.doubts) or self.others.compared.unexplained > _UNSURE


def _examine(match: Match, steps: Sequence[Edit], known: Scene) -> _Examined:
    """Search for the named things, then for what else changed; other things may have moved in what is known."""
    before = match.before
    scene, named = _locate_named(match, steps, known)
    view = next(iter(named.values())).view if len(named) == 1 else None
    compared = compare(match, scene, view)
    if view is not None and not compared.is_explained:
        compared = compare(match, scene)
    rendered = [id for id in before.named if not named[id].pasted]  # perspective and light of pasted things are wrong
    others = examine_others(match, scene, compared, rendered, _may_change_support(steps), _may_hover(steps))
    moved = [thing.id for thing in before.scene.things if thing.id not in before.named and not is_same(known, thing)]
    others = others._replace(changed=list(dict.fromkeys([*moved, *others.changed])))
    shares = others.compared.shares if others.duplicated else compared.shares
    painted = [id for id in rendered if shares.get(id, 0.0) > _REPAINTED]
    return _Examined(named, others, painted)


def _with_others(before: Before, others: Others) -> Scene:
    """The scene before, with the other things that moved where they are now."""
    scene = before.scene
    for id in others.elsewhere(scene):
        scene = scene.with_thing(others.scene.thing(id)) if has(others.scene, id) else without(scene, id)
    return scene


def _reading_from(before: Before, examined: _Examined) -> Reading:
    """The reading of what was examined, with its confidence and the reasons to abstain."""
    named, others, doubts = examined.named, examined.others, examined.doubts
    located, unexplained = named | others.located, others.compared.unexplained
    repainted = dict.fromkeys([*(id for id, thing in located.items() if thing.repainted), *examined.painted])
    sure = min((thing.confidence for thing in named.values()), default=1.0)
    confidence = sure / (1 + unexplained / _UNSURE)
    is_like_itself = all(thing.pose is not None and thing.share >= _LOOKS_LIKE_ITSELF for thing in named.values())
    is_in_doubt = unexplained > _IN_DOUBT and not (is_like_itself and confidence >= _LEAST_CONFIDENCE)
    if is_in_doubt and not others.duplicated and not repainted and not doubts:
        doubts = [f"what is seen around {', '.join(before.named)} is not explained"]
    return Reading(
        others.scene,
        tuple(doubts),
        {id: thing.share for id, thing in located.items()},
        tuple(others.changed),
        tuple(repainted),
        tuple(others.duplicated),
        confidence,
        unexplained,
    )


def _locate_named(match: Match, steps: Sequence[Edit], known: Scene) -> tuple[Scene, dict[str, Located]]:
    """The scene with all named things where they are, and where each of them is; other things are where it is known.

    Of several things, each is first searched for without those whose places are not known yet, the largest first; then
    its pose is examined again with the others in place, the surest first.
    """
    before, shown, _ = match
    support, hovering = _may_change_support(steps), _may_hover(steps)
    new = tuple(replace(step.thing, support=None) for step in steps if step.thing is not None)
    scene = replace(known, things=(*known.things, *new)) if new else known
    places = {thing.id: Pose(*pivot(thing).tolist()) for thing in before.scene.things}
    named = sorted(before.named, key=lambda id: -int(before.mask_of([id]).sum()))
    still = [id for id in named if is_unchanged(match, id)]
    located = {id: Located(scene, 1.0, margin=1.0, pose=places[id]) for id in still}
    searched = [id for id in named if id not in still]
    for id in searched:
        unknown = [other for other in named if other not in located or located[other].share < _POOR]
        hidden = [other for other in unknown if other != id]
        hints = [places[other] for other in named if other != id and other in places]
        if not has(scene, id):  # it went with what it stood on
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


def _as_before(scene: Scene, start: Scene, id: str, new: Sequence[Thing]) -> Scene:
    """A scene with a thing as it was before."""
    thing = next(thing for thing in (*start.things, *new) if thing.id == id)
    if has(scene, id):
        return scene.with_thing(replace(thing, support=None))
    return replace(scene, things=(*scene.things, replace(thing, support=None)))
