"""Checks that an edit is plausible."""

from __future__ import annotations

import numpy as np

from pixelproof.world.edits import Edit
from pixelproof.world.language import view as limits
from pixelproof.world.language.view import Entity, View
from pixelproof.world.language.words import (
    ALL_ROUND,
    CONTAINERS,
    CORNERED,
    FURNITURE,
    MIDDLES,
    OWNERS,
    ROOMY,
    SPOTTED,
    SURFACES,
)

from ._fits import on_each_other
from ._free_space import crowded
from ._reading import Finding


def implausibilities(view: View, edit: Edit, target: Entity | None, anchor: Entity | None) -> Finding:
    """Problems of an implausible edit."""
    low, high = limits.AMOUNTS.get(edit.action, (0.0, 0.0))
    if not low <= edit.amount <= high:
        yield f"nobody asks to {edit.action} by {edit.amount:g}"
    if target is None:
        return
    if edit.frame == "object":
        yield from _no_front(anchor or target)
    held = {entity.support for entity in view.entities}
    if edit.action in ("put", "scale", "remove", "swap") and target.id in held:
        yield f"{target.id} carries something"
    if edit.action == "turn" and (target.noun in ALL_ROUND or not _seen_turned(target.turn, edit.amount)):
        yield "the turn is not seen"
    if edit.action == "scale" and 0.95 < edit.amount < 1.05:
        yield "the change of size is not seen"
    if anchor is not None and edit.action in ("place", "swap"):
        yield from _mismatched(view, target, anchor)
        if edit.action == "swap" and anchor.id in held:
            yield f"{anchor.id} carries something"
    if anchor is not None and edit.action == "put":
        yield from _no_room(view, edit, target, anchor)
    if edit.action == "place" and anchor and edit.amount < (min(target.size) + min(anchor.size)) / 2 - 1e-9:
        yield f"{target.id} and {anchor.id} would be in each other"
    if edit.action in ("move", "place") or (edit.action == "scale" and edit.amount > 1):
        yield from crowded(view, edit, target, anchor or target)


def _no_front(owner: Entity) -> Finding:
    """Problems of a thing whose own left and front a text uses."""
    left, right, up, down = owner.reach
    if owner.noun not in OWNERS or owner.front is None or max(left + right, up + down) < limits.OWN_FRAME - 1e-9:
        yield f"{owner.id} has no left and front of its own, or is too small to see them"


def _seen_turned(turn: float, degrees: float) -> bool:
    return turn > 0 and abs((degrees + turn / 2) % turn - turn / 2) >= 10 - 1e-9


def _mismatched(view: View, one: Entity, other: Entity) -> Finding:
    """Problems of two things that are too different."""
    supports = {entity.id: entity.noun for entity in view.entities}
    if other.fixed or on_each_other(view, one, other):
        yield f"{one.id} and {other.id} are in one pile, or {other.id} is fixed"
    if abs(np.log(max(one.size)) - np.log(max(other.size))) > np.log(limits.COMPARABLE) + 1e-9:
        yield f"{one.id} and {other.id} are of very different sizes"
    if len({one.noun in FURNITURE, other.noun in FURNITURE}) == 2:
        yield f"{one.id} and {other.id} are furniture and none"
    if supports.get(one.support or "") != supports.get(other.support or ""):
        yield f"{one.id} and {other.id} stand on things of different kinds"


def _no_room(view: View, edit: Edit, target: Entity, anchor: Entity) -> Finding:
    """Problems of a thing that does not fit where it is put."""
    if edit.way and anchor.noun not in {"middle": MIDDLES}.get(edit.way, CORNERED if " " in edit.way else SPOTTED):
        yield f"a {anchor.noun} has no {edit.way}"
    if edit.way not in ("", "middle") and not anchor.turn:
        yield f"{anchor.id} is round, and has no ends"
    if target.noun in FURNITURE and anchor.noun not in ("floor", "rug"):
        yield f"a {target.noun} stands on the floor"
    if edit.way == "" and target.support == anchor.id:
        yield "it is there already"
    if anchor.noun not in ROOMY and {one.id for one in view.entities if one.support == anchor.id} - {target.id}:
        yield f"{anchor.id} is taken"
    room, needs = np.sort(anchor.size[:2]), np.sort(target.size[:2])
    if anchor.noun in CONTAINERS:
        fits = max(target.size) <= room[0] + 1e-9
    elif anchor.turn == 0 and target.turn != 0:
        fits = anchor.noun in SURFACES and float(np.linalg.norm(needs)) <= room[0] + 1e-9
    else:
        fits = anchor.noun in SURFACES and bool(np.all(needs <= room + 1e-9))
    if not fits:
        yield f"{target.id} does not fit on or in {anchor.id}"
