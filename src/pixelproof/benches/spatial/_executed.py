"""The scenes that controls show: the edit as asked, another one, or none. Each is a function of the pair alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from pixelproof.benches.spatial.pictures import named_things
from pixelproof.benches.spatial.scores import turn_error
from pixelproof.stats import generator
from pixelproof.store import digest
from pixelproof.world.edits import Edit, apply, pivot
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import COLOURS, Scene, Thing, rotation_matrix, yaw

_ALMOST = 1 - 1e-9
"""Share that carries out the whole edit, but without a check of rules."""
_NUDGE, _NUDGE_DEG = 0.03, 1.5
"""Metres and degrees by which the camera is nudged."""
_OVER = 0.04
"""Metres by which an edit that does too much moves another thing."""


def copied(pair: Pair) -> Scene:
    """The scene before the edit."""
    return pair.before


def emptied(pair: Pair) -> Scene:
    """Surroundings without any thing."""
    return replace(pair.before, things=tuple(thing for thing in pair.before.things if thing.fixed))


def guessed(pair: Pair) -> Scene:
    """A plausible edit of any kind that does not depend on the instruction."""
    rng = _rng(pair, "guess")
    outcome = propose_outcome(pair.before, view_of(pair.before), rng)
    return pair.before if outcome is None or outcome.after is None else outcome.after


def edited(pair: Pair) -> Scene:
    """The edit as asked for; an impossible one leaves the scene as it is."""
    return pair.after


def reversed_edit(pair: Pair) -> Scene | None:
    """The edit in the opposite direction; None for edits without one, and for turns that end near each other."""
    if any(edit.action == "turn" and _ends_nearer(pair.before.thing(edit.target), edit.amount) for edit in pair.steps):
        return None
    return _carried_out(pair, lambda edit: edit, -1.0)


def _ends_nearer(thing: Thing, degrees: float) -> bool:
    """Whether a turn in the opposite direction looks more like the right one than no turn, as with 180°.

    Between a turn and its opposite lies twice the angle, modulo the symmetry of the thing.
    """
    start, end, other = (rotation_matrix(yaw(angle)) for angle in (0.0, degrees, -degrees))
    return turn_error(end, other, thing.symmetry) < turn_error(end, start, thing.symmetry) - 0.1


def other_object(pair: Pair) -> Scene | None:
    """The edit of another thing than the named one; None for edits of the camera."""
    other = _bystander(pair)
    if other is None:
        return None
    return _carried_out(pair, lambda edit: replace(edit, target=other.id) if edit.target else None, _ALMOST)


def overdone(pair: Pair) -> Scene | None:
    """The edit as asked for; besides, another thing is moved, and recoloured if its category has several colours."""
    other = _bystander(pair)
    if other is None or not pair.possible or all(thing.id != other.id for thing in pair.after.things):
        return None
    x, y, z = other.position
    colour = _most_different(other.colour) if other.colour else ""
    return pair.after.with_thing(replace(other, position=(x + _OVER, y, z), colour=colour))


def nudged(pair: Pair) -> Scene:
    """The scene before the edit from a camera that is nudged; across the direction of an edit of the camera."""
    ways = {edit.way for edit in pair.steps if "camera" in edit.action}
    way = "up" if ways & {"left", "right"} else "left"
    moved = apply(pair.before, Edit("move camera", way=way, amount=_NUDGE), _ALMOST).after
    assert moved is not None, "shares are not refused"
    turned = apply(moved, Edit("turn camera", way=way, amount=_NUDGE_DEG), _ALMOST).after
    assert turned is not None, "shares are not refused"
    return turned


_EXECUTED: Mapping[str, Callable[[Pair], Scene | None]] = {
    "floor-copy": copied,
    "floor-blank": emptied,
    "floor-prior": guessed,
    "ceiling-truth": edited,
    "ceiling-channel": edited,
    "wrong-direction": reversed_edit,
    "wrong-object": other_object,
    "over-edit": overdone,
    "camera-nudge": nudged,
}
"""Control → the scene that it shows; None if it does not apply to a pair."""
NAMES = frozenset(_EXECUTED)
_memory: OrderedDict[str, Scene | None] = OrderedDict()
_KEPT = 32


def executed(pair: Pair, control: str) -> Scene | None:
    """The scene that a control shows; None if the control does not apply to the pair. The last ones are kept."""
    key = digest([pair, control])
    if key not in _memory:
        _memory[key] = _EXECUTED[control](pair)
        while len(_memory) > _KEPT:
            _memory.popitem(last=False)
    return _memory[key]


def _rng(pair: Pair, purpose: str) -> np.random.Generator:
    return generator(int(digest(pair.before)[:8], 16), f"spatial/{purpose}")


def _carried_out(pair: Pair, change: Callable[[Edit], Edit | None], share: float) -> Scene | None:
    """The scene after shares of changed edits, one after the other; None if one of them cannot be carried out."""
    scene = pair.before
    if not pair.possible:
        return None
    for edit in pair.steps:
        other = change(edit)
        if other is None:
            return None
        if edit.action in ("remove", "insert"):
            if share < 0 or edit.action == "insert":
                return None
            scene = _without(scene, other.target)
            continue
        outcome = apply(scene, other, share)
        if outcome.after is None:
            return None
        scene = outcome.after
    return scene


def _without(scene: Scene, id: str) -> Scene:
    things = (replace(one, support=None) if one.support == id else one for one in scene.things)
    return replace(scene, things=tuple(things)).without(id)


def _bystander(pair: Pair) -> Thing | None:
    """A thing that is not named and carries nothing, most like the named one: same category, then nearest."""
    named = {id for edit in pair.steps for id in (edit.target, edit.anchor)}
    named |= named_things(pair.before, pair.after)
    carriers = {thing.support for thing in pair.before.things}
    free = [one for one in pair.before.movable if one.id not in named and one.id not in carriers]
    if not free:
        return None
    target = next((one for one in pair.before.things if one.id in {edit.target for edit in pair.steps}), free[0])
    return min(
        free, key=lambda one: (one.category != target.category, float(np.linalg.norm(pivot(one) - pivot(target))))
    )


def _most_different(colour: str) -> str:
    """The colour word whose colour is farthest from that of another."""
    own = np.array(COLOURS.get(colour, (128, 128, 128)), np.float64)
    return max(COLOURS, key=lambda name: float(np.linalg.norm(np.array(COLOURS[name], np.float64) - own)))
