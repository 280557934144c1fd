"""Carrying out edits of solid scenes, and the rules of the scene after.

It stands, nothing else is pushed, and what is named stays in the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import cast, overload

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._limits import require_kind, require_number
from pixelproof.world._memo import Memo
from pixelproof.world.flat import FlatScene
from pixelproof.world.solid import Scene, Thing, Violation
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid._rules import IN_VIEW, camera_inside, in_view, physics, sight
from pixelproof.world.solid._scene import MOST_SCALE
from pixelproof.world.solid._settle import Simulation, corners

from ._edit import Edit, check_edit
from ._flat_apply import apply_flat
from ._flat_edit import FlatEdit, FlatOutcome
from ._outcome import Outcome, camera_change, changes_between
from ._spots import dropped, is_at, is_container, level_below, spots, support_at
from ._transforms import (
    LEAST_DIFFERENCE,
    edit_direction,
    foot,
    load_of,
    move_group,
    moved_camera,
    pivot,
    scaled,
    shifted,
    turn_difference,
    turn_group,
)

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


SHARES = (-1.0, 1.5)
"""Smallest and largest share of an edit that can be carried out."""
_TRIES = 8
"""Number of places that are tried for a thing that is put somewhere."""
_LEAST_SCALE = 0.05
"""Least change of size that can be seen."""
_LEAST_MOVES = {"move": (0.02, "m"), "move camera": (0.01, "m"), "turn camera": (1.0, "°")}
"""Action → its least amount that can be seen, with the unit; scores of moves take 2 cm for the least distance."""
_LEAST_SHIFT = 0.03
"""Least distance in metres between the places of a thing before and after it is placed, put or swapped."""


class _Refused(Exception):
    """An edit that the geometry of the scene does not allow; the message says why, and `rule` names the rule."""

    def __init__(self, message: str, rule: str = "place") -> None:
        super().__init__(message)
        self.rule = rule


@overload
def apply(scene: Scene, edit: Edit, share: float = 1.0) -> Outcome: ...
@overload
def apply(scene: FlatScene, edit: FlatEdit, share: float = 1.0) -> FlatOutcome: ...
def apply(scene: Scene | FlatScene, edit: Edit | FlatEdit, share: float = 1.0) -> Outcome | FlatOutcome:
    """Carry out an edit: the scene after it is the exact transform, and physics only verifies that it stands.

    What stands on a thing goes along with it; a thing that carries something is neither scaled nor removed. Places and
    swaps put a thing onto the level of the other thing's support. Turns and scales keep the lowest point of a thing and
    the vertical through its centre. A thing that is put into a bowl ends where it comes to rest. Nothing else changes.

    Args:
        scene: The scene before, solid or flat; it should satisfy the rules of scenes.
        edit: The edit, with its exact values: an `Edit` of a solid scene, or a `FlatEdit` of a flat one.
        share: How much of the edit is carried out, from -1 (its opposite) to 1.5: distances and angles are multiplied
            by it, a scale factor is raised to it. Rules of the scene after the edit are checked for 1 alone.

    Returns:
        The outcome; `after` is None and `why_not` says why, if the edit cannot be carried out: a thing would not stand,
        would be inside another or push it, would leave the picture or hide another, or would look the same.

    Raises:
        PixelProofError: The edit is malformed, or refers to a thing that is not in the scene or is fixed.
    """
    require_number("share of an edit", share, *SHARES)
    if isinstance(scene, FlatScene):
        require_kind("The edit of a flat scene", edit, FlatEdit, "pass a result of propose_flat, or a FlatEdit")
        return apply_flat(scene, cast(FlatEdit, edit), share)
    require_kind("The scene of apply", scene, Scene, "pass a result of make_scene or make_flat")
    require_kind("The edit of a solid scene", edit, Edit, "pass a result of propose, or an Edit")
    return _apply(scene, cast(Edit, edit), share)


def _apply(scene: Scene, edit: Edit, share: float) -> Outcome:
    check_edit(scene, edit)
    why_not, rule = "", ""
    try:
        for after in islice(_candidates(scene, edit, share), _TRIES):
            broken = _first_problem(scene, after, edit) if share == 1 else None
            if broken is None:
                changes = changes_between(scene, after)
                if edit.action == "turn":  # poses do not tell 270° from -90°
                    changes = {id: replace(change, turn_deg=share * _degrees(edit)) for id, change in changes.items()}
                return Outcome(edit, share, scene, after, changes, camera_change(scene.camera, after.camera))
            rule, why_not = (rule, why_not) if why_not else broken
    except _Refused as refusal:
        rule, why_not = refusal.rule, str(refusal)
    if not why_not:
        rule, why_not = "place", f"{edit.anchor} has no free place for {edit.target}"
    return Outcome(edit, share, scene, None, why_not=why_not, rule=rule)


def _first_problem(scene: Scene, after: Scene, edit: Edit) -> Problem | None:
    if unseen := _unchanged(scene, after, edit):
        return "change", unseen
    return next(problems(scene, after), None)


def _candidates(scene: Scene, edit: Edit, share: float) -> Iterator[Scene]:
    """Scenes after an edit, without any check of rules; several only where the edit leaves the place open."""
    if "camera" in edit.action:
        yield replace(scene, camera=moved_camera(scene.camera, edit, share))
    elif edit.action == "move":
        yield _move(scene, edit, share)
    elif edit.action == "turn":
        yield turn_group(scene, edit.target, share * _degrees(edit))
    elif edit.action in ("scale", "remove"):
        yield _resize(scene, edit, share)
    elif edit.action == "place":
        yield _place(scene, edit, share)
    elif edit.action == "insert":
        yield _insert(scene, edit, share)
    elif edit.action == "swap":
        yield _swap(scene, edit, share)
    else:
        yield from _put(scene, edit, share)


def _unchanged(scene: Scene, after: Scene, edit: Edit) -> str:
    """Why an edit would not be visible; empty if it is."""
    if edit.action == "scale" and abs(edit.amount - 1) < _LEAST_SCALE:
        return f"{edit.target} looks the same after scaling by {edit.amount:g}"
    if edit.action == "turn" and turn_difference(scene.thing(edit.target), edit.amount) < LEAST_DIFFERENCE:
        return f"{edit.target} looks the same after a turn of {edit.amount:g}°"
    if edit.action == "zoom camera" and edit.amount < 1 + _LEAST_SCALE:
        return f"the picture looks the same after a zoom by {edit.amount:g}"
    least, unit = _LEAST_MOVES.get(edit.action, (0.0, ""))
    if edit.amount < least:
        return f"the picture looks the same after {edit.amount:g} {unit}: ask for {least:g} {unit} or more"
    if edit.action not in ("place", "put", "swap"):
        return ""
    target = scene.thing(edit.target)
    if edit.action == "swap" and _twins(target, scene.thing(edit.anchor)):
        return f"{edit.target} and {edit.anchor} look the same"
    far = np.linalg.norm(pivot(after.thing(edit.target)) - pivot(target))
    return f"{edit.target} is there already" if far < _LEAST_SHIFT else ""


def _twins(one: Thing, other: Thing) -> bool:
    """Whether two things differ in nothing but their poses."""
    return replace(one, id="", position=other.position, rotation=other.rotation, support=None) == replace(
        other, id="", support=None
    )


def _degrees(edit: Edit) -> float:
    """Angle of a turn, positive anticlockwise as seen from above."""
    return edit.amount if edit.way == "anticlockwise" else -edit.amount


def _resize(scene: Scene, edit: Edit, share: float) -> Scene:
    """Scale or remove a thing."""
    if load_of(scene, edit.target):
        raise _Refused(f"something stands on {edit.target}", "carries")
    if edit.action == "scale":
        factor = edit.amount**share
        if not 1 / MOST_SCALE <= scene.thing(edit.target).scale * factor <= MOST_SCALE:
            raise _Refused(
                f"{edit.target} would be more than {MOST_SCALE} times its normal size, or less than 1/{MOST_SCALE}"
            )
        return scene.with_thing(scaled(scene.thing(edit.target), factor))
    if share not in (0, 1):
        raise _Refused(f"{edit.target} cannot be removed in part: choose a share of 0 or 1")
    return scene.without(edit.target) if share else scene


def _way(scene: Scene, edit: Edit) -> Floats:
    """The displacement that a move asks for, or that of the target of a place from its anchor."""
    way = edit_direction(scene, edit)
    if way is None:
        raise _Refused(f"{edit.anchor or edit.target} has no front that it faces")
    return edit.amount * way


def _move(scene: Scene, edit: Edit, share: float) -> Scene:
    after = move_group(scene, edit.target, share * _way(scene, edit))
    if edit.way not in ("up", "down"):
        return after
    return _stand_on(after, edit.target, support_at(after, after.thing(edit.target)), share)


def _place(scene: Scene, edit: Edit, share: float) -> Scene:
    target, anchor = scene.thing(edit.target), scene.thing(edit.anchor)
    if anchor.fixed or edit.anchor in load_of(scene, edit.target) or edit.target in load_of(scene, edit.anchor):
        raise _Refused(f"{edit.anchor} is fixed, or one of {edit.target} and {edit.anchor} carries the other")
    end = pivot(anchor) + _way(scene, edit)
    end[2] = foot(target) + level_below(scene, anchor) - level_below(scene, target)
    return _stand_on(move_group(scene, edit.target, share * (end - pivot(target))), edit.target, anchor.support, share)


def _insert(scene: Scene, edit: Edit, share: float) -> Scene:
    new, anchor = edit.thing, scene.thing(edit.anchor)
    assert new is not None
    if anchor.fixed:
        raise _Refused(f"{edit.anchor} is fixed")
    if share not in (0, 1):
        raise _Refused(f"{edit.target} cannot be inserted in part: choose a share of 0 or 1")
    end = pivot(anchor) + _way(scene, edit)
    end[2] = level_below(scene, anchor)
    there = replace(shifted(new, end - pivot(new)), support=anchor.support)
    return replace(scene, things=(*scene.things, there)) if share else scene


def _swap(scene: Scene, edit: Edit, share: float) -> Scene:
    one, other = scene.thing(edit.target), scene.thing(edit.anchor)
    if other.fixed or edit.anchor in load_of(scene, edit.target) or edit.target in load_of(scene, edit.anchor):
        raise _Refused(f"{edit.anchor} is fixed, or one of {edit.target} and {edit.anchor} carries the other")
    way = pivot(other) - pivot(one)
    way[2] = level_below(scene, other) - level_below(scene, one)
    swapped = move_group(move_group(scene, one.id, share * way), other.id, -share * way)
    return _stand_on(_stand_on(swapped, one.id, other.support, share), other.id, one.support, share)


def _put(scene: Scene, edit: Edit, share: float) -> Iterator[Scene]:
    target, anchor = scene.thing(edit.target), scene.thing(edit.anchor)
    if edit.anchor in load_of(scene, edit.target):
        raise _Refused(f"{edit.anchor} stands on {edit.target}")
    if is_at(scene, target, anchor, edit.way):
        raise _Refused(f"{edit.target} is there already")
    if share != 1:  # the place is that of the whole edit
        whole = _apply(scene, edit, 1.0)
        if whole.after is None:
            raise _Refused(whole.why_not)
        yield move_group(scene, target.id, share * (pivot(whole.after.thing(target.id)) - pivot(target)))
        return
    if is_container(anchor):
        there = dropped(scene, target, anchor) if not load_of(scene, target.id) and not edit.way else None
        if there is None:
            raise _Refused(f"{edit.target} does not come to rest in {edit.anchor}")
        yield scene.with_thing(there)
        return
    near = max(_LEAST_SHIFT, max(target.size) / 2)
    for number, there in enumerate(spots(scene, target, anchor, edit.way)):
        if not number and np.linalg.norm(pivot(there) - pivot(target)) < near:
            raise _Refused(f"{edit.target} is there already")
        yield _stand_on(move_group(scene, target.id, pivot(there) - pivot(target)), target.id, anchor.id, share)


def _stand_on(scene: Scene, id: str, support: str | None, share: float) -> Scene:
    """A scene in which a thing has a support; in parts of an edit, supports stay as they were."""
    return scene.with_thing(replace(scene.thing(id), support=support)) if share == 1 else scene
