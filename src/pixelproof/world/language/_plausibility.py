"""Plausibility of edits: comparable things, suitable amounts, possible places."""

from __future__ import annotations

import math

from pixelproof.world.edits import CORNERS, Edit

from ._frames import has_own_frame, owner_of
from ._free_space import no_free_space
from ._solid import words_of
from ._truth import count
from .view import COMPARABLE, Entity, View
from .words import ALL_ROUND, CONTAINERS, CORNERED, FURNITURE, MIDDLES, ROOMY, SPOTTED, SURFACES

_LEAST_TURN = 10.0
"""Minimum visible rotation in degrees, modulo symmetry."""
_LEAST_SCALE = 0.05


def implausibility(view: View, edit: Edit) -> str:
    """Why an edit is implausible, without a full stop; empty if it is plausible.

    The things must exist, and the amount must be in the range of the action.
    """
    if not edit.target:
        return ""
    if edit.action == "insert":
        return _strange(view, edit)
    target, anchor = view[edit.target], view[edit.anchor] if edit.anchor else None
    if edit.frame == "object" and not has_own_frame(owner_of(view, edit)):
        return f"{owner_of(view, edit).id} has no left and front of its own that can be seen: choose the viewer's frame"
    turned = edit.action != "turn" or (target.noun not in ALL_ROUND and turn_is_seen(target.turn, edit.amount))
    if not turned or (edit.action == "scale" and abs(edit.amount - 1) < _LEAST_SCALE):
        return f"{edit.target} looks the same after a {edit.action} of {edit.amount:g}: choose another amount or thing"
    for one in (target, anchor if edit.action == "swap" else None):
        if one and edit.action in ("put", "scale", "remove", "swap") and carries(view, one):
            return f"Something stands on {one.id}, and would be left in the air: choose a thing that carries nothing"
    if anchor and edit.action in ("place", "swap"):
        return _unlike(view, target, anchor) or _lands(view, edit, target, anchor)
    if anchor and edit.action == "put":
        return _misput(edit, target, anchor) or _too_small(view, target, anchor)
    return _lands(view, edit, target, target)


def _strange(view: View, edit: Edit) -> str:
    """Why a thing cannot be inserted beside another; empty if it can."""
    assert edit.thing is not None
    anchor, words = view[edit.anchor], words_of(edit.thing)
    if anchor.fixed or (words.noun in FURNITURE) != (anchor.noun in FURNITURE):
        return f"{edit.target} and {anchor.id} do not compare: choose two pieces of furniture, or none"
    if count(view, words) != 0:
        return f"There may be another thing like {edit.target}: choose one that differs from all others"
    return ""


def carries(view: View, entity: Entity) -> bool:
    """Whether another thing stands on a thing."""
    return any(other.support == entity.id for other in view.entities)


def _unlike(view: View, target: Entity, anchor: Entity) -> str:
    """Why two things are too different to be brought together or swapped; empty if they are not."""
    both = f"{target.id} and {anchor.id}"
    if anchor.fixed or view.stacked(target.id, anchor.id):
        return f"{both} belong together: choose two things of which neither carries the other"
    short, long = sorted((max(target.size), max(anchor.size)))
    if long > COMPARABLE * short * (1 + 1e-9):
        return f"{both} differ more than {COMPARABLE:g} times in size: choose things that compare"
    if (target.noun in FURNITURE) != (anchor.noun in FURNITURE):
        return f"One of {both} is furniture: choose two pieces of it, or none"
    if _ground(view, target) != _ground(view, anchor):
        return f"{both} stand on unlike things: choose two on one support, or on two of one kind"
    return ""


def _ground(view: View, entity: Entity) -> str:
    return view[entity.support].noun if entity.support else ""


def _lands(view: View, edit: Edit, target: Entity, origin: Entity) -> str:
    """Why there is no free space for a move, a place or an enlargement; empty if there is."""
    least = (min(target.size) + min(origin.size)) / 2
    if edit.action == "place" and edit.amount < least:
        return f"{target.id} and {origin.id} are in each other at {edit.amount:g} m: choose {least:.2g} m or more"
    leads = edit.action in ("move", "place") or (edit.action == "scale" and edit.amount > 1)
    return no_free_space(view, edit, target, origin) if leads else ""


def _misput(edit: Edit, target: Entity, anchor: Entity) -> str:
    """Why a thing cannot be put on or in another, or at a spot of it; empty if it can."""
    if anchor.noun not in (*SURFACES, *CONTAINERS):
        return f"Nothing is put on {anchor.id}: choose something flat, or a container"
    round_end = edit.way not in ("", "middle") and anchor.turn == 0
    named = {"middle": MIDDLES} | dict.fromkeys(CORNERS, CORNERED)
    if edit.way and (round_end or anchor.noun not in named.get(edit.way, SPOTTED)):
        return f"{anchor.id} has no {edit.way} at which things are put: choose the way ''"
    if not edit.way and target.support == anchor.id:
        return f"{target.id} is on {anchor.id} already: choose a place on it, or another thing"
    if target.noun in FURNITURE and anchor.noun not in ("floor", "rug"):
        return f"{target.id} is furniture: choose a smaller thing, or put it on the floor"
    return ""


def _too_small(view: View, target: Entity, anchor: Entity) -> str:
    """Why a thing is too large for its support, whatever the rotation; empty if it fits."""
    if anchor.noun not in ROOMY and any(one.support == anchor.id and one.id != target.id for one in view.entities):
        return f"Something is on {anchor.id} already: choose what is free, or a table or a floor"
    short, long = sorted(target.size[:2]) if anchor.noun in SURFACES else [max(target.size)] * 2
    if anchor.noun in SURFACES and anchor.turn == 0 != target.turn:
        short = long = math.hypot(short, long)  # corners must fit in the round
    if any(need > room for need, room in zip((short, long), sorted(anchor.size[:2]), strict=True)):
        return f"{anchor.id} is too small for {target.id}: choose something larger"
    return ""


def turn_is_seen(turn: float, degrees: float) -> bool:
    """Whether a rotation is visible, for a thing with a rotational symmetry of a period in degrees.

    >>> turn_is_seen(90.0, 45.0), turn_is_seen(90.0, 180.0), turn_is_seen(0.0, 45.0)
    (True, False, False)
    """
    past = degrees % turn if turn else 0.0
    return min(past, turn - past) >= _LEAST_TURN
