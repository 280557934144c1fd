"""Random plausible edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pixelproof.world.edits import OWN_WAYS, WAYS, Edit, Outcome, apply
from pixelproof.world.solid import Scene

from ._frames import has_own_frame, owner_of, way_on_ground
from ._free_space import RISE
from ._plausibility import carries, implausibility
from ._validation import expect, expect_arguments, require_word
from .view import AMOUNTS, LEVEL, SEEN, Entity, View
from .words import CONTAINERS, SURFACES

_TRIES = 40
_LARGE = 0.8
"""Longest side in metres from which a thing counts as furniture when it is scaled."""
PROPOSED = tuple(action for action in WAYS if action != "insert")
"""Actions whose edits can be drawn from a view alone."""


@dataclass(frozen=True)
class Ranges:
    """Amounts that are drawn for edits; an empty tuple: what suits the sizes of the things."""

    move: tuple[float, ...] = ()
    """Metres."""
    place: tuple[float, ...] = ()
    """Metres between the centres."""
    turn: tuple[float, ...] = tuple(15.0 * step for step in range(2, 13))
    """Degrees."""
    scale: tuple[float, ...] = (0.5, 0.6, 0.7, 0.75, 0.8, 1.25, 1.4, 1.5, 1.75, 2.0)
    scale_furniture: tuple[float, ...] = (0.8, 0.9, 1.1, 1.2, 1.25)
    move_camera: tuple[float, ...] = tuple(round(0.05 * step, 2) for step in range(1, 11))
    """Metres."""
    turn_camera: tuple[float, ...] = tuple(float(step) for step in range(3, 21))
    """Degrees."""
    zoom_camera: tuple[float, ...] = (1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75)
    own_frame: float = 0.4
    """Share of the edits of things with a front, or beside them, whose way is that of the thing."""


RANGES = Ranges()


def propose(
    view: View, rng: np.random.Generator, actions: tuple[str, ...] = PROPOSED, scene: Scene | None = None
) -> Edit | None:
    """Sample a plausible edit with round numbers, after which its thing is still in the image.

    Args:
        view: The scene before the edit.
        rng: Random generator.
        actions: Actions to choose from.
        scene: The scene of the view: only edits that `apply` can carry out in it are proposed. None: what the view
            does not show, such as the shapes of things, is not considered.

    Returns:
        The edit; None if no attempt succeeded.

    Raises:
        PixelProofError: There is no such action.
    """
    outcome = _sample(view, rng, actions, scene)
    return outcome.edit if isinstance(outcome, Outcome) else outcome


def propose_outcome(
    scene: Scene, view: View, rng: np.random.Generator, actions: tuple[str, ...] = PROPOSED
) -> Outcome | None:
    """Sample an edit that can be carried out in a scene, and carry it out.

    The arguments are those of `propose`. Returns None if no attempt succeeded.
    """
    expect(scene, Scene, "Give the solid scene of the view")
    outcome = _sample(view, rng, actions, scene)
    return outcome if isinstance(outcome, Outcome) else None


def _sample(
    view: View, rng: np.random.Generator, actions: tuple[str, ...], scene: Scene | None
) -> Edit | Outcome | None:
    expect_arguments(view, rng)
    for action in actions:
        require_word("edit", action, WAYS)
    for index in rng.permutation(len(actions)):
        for _ in range(_TRIES):
            edit = draw_edit(view, rng, actions[index])
            if not edit or not is_plausible(view, edit):
                continue
            if scene is None:
                return edit
            outcome = apply(scene, edit)
            if outcome.possible:
                return outcome
    return None


def draw_edit(view: View, rng: np.random.Generator, action: str, ranges: Ranges = RANGES) -> Edit | None:
    """A random edit of an action, plausible or not; None if the view has no things for it.

    Args:
        view: The scene before the edit.
        rng: Random generator.
        action: An action; not `insert`, which needs a new thing.
        ranges: Amounts to choose from.
    """
    way = WAYS[action][int(rng.integers(len(WAYS[action])))]
    if "camera" in action:
        return Edit(action, way=way, amount=_pick(rng, getattr(ranges, action.replace(" ", "_"))))  # type: ignore[arg-type]
    things = [entity for entity in view.things if entity.visible >= SEEN and not carries(view, entity)]
    if not things or action == "insert":
        return None
    target = things[int(rng.integers(len(things)))]
    others = [entity for entity in _anchors(view, action) if entity.id != target.id]
    if action in ("place", "put", "swap") and not others:
        return None
    anchor = others[int(rng.integers(len(others)))] if others else target
    edit = Edit(action, target.id, way, 0.0, anchor.id if others else "")  # type: ignore[arg-type]
    if action in OWN_WAYS and has_own_frame(owner_of(view, edit)) and rng.random() < ranges.own_frame:
        edit = replace(edit, frame="object", way=str(rng.choice(OWN_WAYS[action])))
    return replace(edit, amount=draw_amount(view, rng, edit, ranges))


def _anchors(view: View, action: str) -> list[Entity]:
    """Things that a thing may be put on, placed beside or swapped with; a floor only if things stand on it."""
    if action == "put":
        grounds = [one for one in view.entities if one.visible >= SEEN and one.noun in (*SURFACES, *CONTAINERS)]
        return [one for one in grounds if one.noun != "floor" or carries(view, one)]
    return [one for one in view.things if one.visible >= SEEN] if action in ("place", "swap") else []


def draw_amount(view: View, rng: np.random.Generator, edit: Edit, ranges: Ranges = RANGES) -> float:
    """A random amount for an edit of a thing: by default whole centimetres, multiples of 15° or common factors.

    Moves up and down lead to another level of the support; other moves are about as long as the thing.
    """
    target, anchor = view[edit.target], view[edit.anchor or edit.target]
    longest = max(target.size)
    if edit.action == "move" and edit.way in RISE:
        return _rise(view, rng, target)
    if edit.action == "move":
        low, high = max(0.05, 0.2 * longest), min(1.0, 0.2 + 2 * longest)
        return _pick(rng, ranges.move) if ranges.move else round(float(rng.uniform(low, high)), 2)
    if edit.action == "place":
        if ranges.place:
            return _pick(rng, ranges.place)
        x, y = (abs(part) for part in way_on_ground(view, edit))
        reach = x * (target.extent[0] + anchor.extent[0]) / 2 + y * (target.extent[1] + anchor.extent[1]) / 2
        return round(reach + float(rng.uniform(0.03, 0.1 + longest / 2)), 2)
    if edit.action == "turn":
        return _pick(rng, ranges.turn)
    if edit.action == "scale":
        return _pick(rng, ranges.scale_furniture if longest > _LARGE else ranges.scale)
    return 0.0


def _rise(view: View, rng: np.random.Generator, target: Entity) -> float:
    """Height from the level on which a thing stands to another level of its support; 0 if there is none."""
    levels = view[target.support].levels if target.support else ()
    if not levels:
        return 0.0
    foot = target.centre[2] - target.extent[2] / 2 - view[target.support or ""].centre[2]
    here = min((level.height for level in levels), key=lambda height: abs(height - foot))
    heights = [abs(level.height - here) for level in levels if abs(level.height - here) > LEVEL]
    return heights[int(rng.integers(len(heights)))] if heights else 0.0


def _pick(rng: np.random.Generator, values: Sequence[float]) -> float:
    return float(values[int(rng.integers(len(values)))])


def is_plausible(view: View, edit: Edit) -> bool:
    """Whether people would ask for an edit, as far as the view tells."""
    measured = edit.amount > 0 or edit.action not in AMOUNTS
    return measured and not implausibility(view, edit) and _stays(view, edit)


def _stays(view: View, edit: Edit) -> bool:
    """Whether the spot at which a thing is put is in the image; other actions are checked elsewhere."""
    if edit.action != "put" or edit.way in ("", "middle"):
        return True
    anchor = view[edit.anchor]
    ends = {"left": anchor.pixel[0] - anchor.reach[0], "right": anchor.pixel[0] + anchor.reach[1]}
    ends |= {"back": anchor.pixel[1] - anchor.reach[2], "front": anchor.pixel[1] + anchor.reach[3]}
    return all(0 <= ends[part] <= 1 for part in edit.way.split())
