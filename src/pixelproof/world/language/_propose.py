"""Random plausible edits."""

from __future__ import annotations

import numpy as np

from pixelproof.world.edits import WAYS, Edit, Outcome, apply
from pixelproof.world.solid import Scene

from ._free_space import WAY
from ._plausibility import ENDS, carries, implausibility
from ._validation import expect, expect_arguments, require_word
from ._view import SEEN, Entity, View
from ._words import CONTAINERS, SURFACES

_TRIES = 40
_LARGE = 0.8
"""Longest side in metres from which a thing counts as furniture when it is scaled."""
_FACTORS = (0.5, 0.6, 0.7, 0.75, 0.8, 1.25, 1.4, 1.5, 1.75, 2.0)
_FACTORS_LARGE = (0.8, 0.9, 1.1, 1.2, 1.25)


def propose(
    view: View, rng: np.random.Generator, actions: tuple[str, ...] = tuple(WAYS), scene: Scene | None = None
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
    scene: Scene, view: View, rng: np.random.Generator, actions: tuple[str, ...] = tuple(WAYS)
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
            edit = _some(view, rng, actions[index])
            if not edit or implausibility(view, edit) or not _stays(view, edit):
                continue
            if scene is None:
                return edit
            outcome = apply(scene, edit)
            if outcome.possible:
                return outcome
    return None


def _some(view: View, rng: np.random.Generator, action: str) -> Edit | None:
    """A random edit of an action, plausible or not."""
    way = WAYS[action][int(rng.integers(len(WAYS[action])))]
    if "camera" in action:
        step, most = (0.05, 10) if action == "move camera" else (1.0, 15)
        return Edit(action, way=way, amount=round(step * int(rng.integers(1, most + 1)), 2))  # type: ignore[arg-type]
    things = [entity for entity in view.things if entity.visible >= SEEN and not carries(view, entity)]
    if not things:
        return None
    target = things[int(rng.integers(len(things)))]
    others = [entity for entity in _anchors(view, action) if entity is not target]
    if action in ("place", "put", "swap") and not others:
        return None
    anchor = others[int(rng.integers(len(others)))] if others else target
    return Edit(
        action,  # type: ignore[arg-type]
        target.id,
        way,
        _amount(rng, action, way, target, anchor),
        anchor.id if others else "",
    )


def _anchors(view: View, action: str) -> list[Entity]:
    """Things that a thing may be put on, placed beside or swapped with; a floor only if things stand on it."""
    if action == "put":
        grounds = [one for one in view.entities if one.visible >= SEEN and one.noun in (*SURFACES, *CONTAINERS)]
        return [one for one in grounds if one.noun != "floor" or carries(view, one)]
    return [one for one in view.things if one.visible >= SEEN] if action in ("place", "swap") else []


def _amount(rng: np.random.Generator, action: str, way: str, target: Entity, anchor: Entity) -> float:
    """A random amount: whole centimetres, multiples of 15° or common factors; moves are about as long as the thing."""
    longest = max(target.size)
    if action == "move":
        return round(float(rng.uniform(max(0.05, 0.2 * longest), min(1.0, 0.2 + 2 * longest))), 2)
    if action == "place":
        axis = 0 if WAY[way][0] else 1
        return round((target.extent[axis] + anchor.extent[axis]) / 2 + float(rng.uniform(0.03, 0.1 + longest / 2)), 2)
    if action == "turn":
        return 15.0 * int(rng.integers(2, 13))
    if action == "scale":
        factors = _FACTORS_LARGE if longest > _LARGE else _FACTORS
        return factors[int(rng.integers(len(factors)))]
    return 0.0


def _stays(view: View, edit: Edit) -> bool:
    """Whether the spot at which a thing is put is in the image; other actions are checked elsewhere."""
    if edit.action != "put" or edit.way not in ENDS:
        return True
    anchor = view[edit.anchor]
    ends = {"left": anchor.pixel[0] - anchor.reach[0], "right": anchor.pixel[0] + anchor.reach[1]}
    ends |= {"back": anchor.pixel[1] - anchor.reach[2], "front": anchor.pixel[1] + anchor.reach[3]}
    return 0 <= ends[edit.way] <= 1
