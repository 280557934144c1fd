"""Rules of the scene after an edit: it stands, nothing else is pushed, and what is named stays in the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._memo import Memo
from pixelproof.world.solid import Scene, Violation
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid._rules import IN_VIEW, camera_inside, in_view, physics, sight
from pixelproof.world.solid._settle import Simulation, corners

LEAST_VISIBLE = 0.3
"""Visible share below which a thing counts as hidden; sentences treat it as perhaps unseen."""


Problem = tuple[str, str]
"""Name of a rule, and how it is broken."""


Rule = Callable[[Scene], Iterable[Violation]]


def problems(before: Scene, after: Scene) -> Iterator[Problem]:
    """Why a scene after an edit is not valid; problems that the scene before has too are not listed.

    Args:
        before: The scene before the edit.
        after: The scene after it.
    """
    if after.camera != before.camera:
        yield from _new(before, after, camera_inside)
        blockers = _crossed(after, np.asarray(before.camera.position), np.asarray(after.camera.position))
        yield from (("camera", f"{id} is in the way of the camera") for id in blockers)
    if after.things != before.things:
        simulation = Simulation(after.things)
        yield from _new(before, after, partial(physics, simulation=simulation), physics)
        if not simulation.comes_to_rest():  # a round thing may roll too slowly for the rules of a second
            yield "drift", "not all things would come to rest"
    yield from _new(before, after, _out_of_view)
    yield from _new(before, after, _hidden)


def _new(before: Scene, after: Scene, rule: Rule, same: Rule | None = None) -> Iterator[Problem]:
    """Violations of a rule by the scene after, but not by the scene before, where `same` is the rule, if given.

    The rule goes on only as long as the next violation is asked for.
    """
    for one in rule(after):
        if (one.rule, one.thing) not in _broken_before(before, same or rule):
            yield one.rule, f"{one.thing}: {one.message}"


_kept = Memo[dict[Rule, set[Problem]]](64)
"""What a scene breaks, by rule; many edits of one scene are tried."""


def _broken_before(scene: Scene, rule: Rule) -> set[Problem]:
    """Rules that a scene breaks, and by which things."""
    known = _kept.get(scene, dict)
    if rule not in known:
        known[rule] = {(one.rule, one.thing) for one in rule(scene)}
    return known[rule]


def _out_of_view(scene: Scene) -> Iterator[Violation]:
    for thing in scene.movable:
        share = in_view(scene, thing)
        if share < IN_VIEW:
            yield Violation("view", thing.id, f"{share:.0%} of it would be in the picture", share, IN_VIEW)


def _hidden(scene: Scene) -> list[Violation]:
    return sight(scene, LEAST_VISIBLE)


def _crossed(scene: Scene, start: Floats, end: Floats) -> list[str]:
    """Ids of the things that a straight line passes through."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    blockers = []
    for thing in scene.things:
        for piece in corners(thing):
            apart = (piece.max(axis=0) < low) | (piece.min(axis=0) > high)
            if not apart.any() and _pierced(ConvexHull(piece).equations, start, end):
                blockers.append(thing.id)
                break
    return blockers


def _pierced(planes: Floats, start: Floats, end: Floats) -> bool:
    """Whether a line segment passes through a convex body, given its outward planes."""
    at_start, at_end = planes[:, :3] @ start + planes[:, 3], planes[:, :3] @ end + planes[:, 3]
    slope = at_end - at_start
    if np.any((slope == 0) & (at_start > 0)):
        return False
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -at_start / slope
    enter = max(0.0, float(crossing[slope < 0].max(initial=0.0)))
    leave = min(1.0, float(crossing[slope > 0].min(initial=1.0)))
    return enter < leave
