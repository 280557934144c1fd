"""Free space for the result of an edit.

Everything is computed from directions: a point is inside a convex outline if no half-plane through it is free of
corners; two outlines overlap if that holds for the origin and the differences of their corners.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pixelproof.world.edits import Edit
from pixelproof.world.language import view as limits
from pixelproof.world.language.view import Entity, View

from ._fits import below
from ._reading import Finding

_STEPS = {
    "left": np.array([-1.0, 0.0]),
    "right": np.array([1.0, 0.0]),
    "closer": np.array([0.0, -1.0]),
    "front": np.array([0.0, -1.0]),
    "away": np.array([0.0, 1.0]),
    "behind": np.array([0.0, 1.0]),
}
_HALF_TURN = np.pi
_TINY = 1e-9
Floats = npt.NDArray[np.float64]


def crowded(view: View, edit: Edit, target: Entity, start: Entity) -> Finding:
    """Problems of the place that a thing moves to, or of the space for it to grow."""
    grows = edit.amount if edit.action == "scale" else 1.0
    here = np.array(start.centre[:2])
    there = here if edit.action == "scale" else here + edit.amount * _step(edit, start)
    rise = {"up": edit.amount, "down": -edit.amount}.get(edit.way, 0.0)
    floor = start.centre[2] - start.extent[2] / 2 + rise
    heights = (floor, floor + grows * target.extent[2])
    patch = there + grows * _patch(target)
    piles = {entity.id: below(view, entity) for entity in view.entities}
    if start.support is not None:
        ground = view[start.support]
        rooms = [height for around, height in _grounds(ground, floor, not rise) if _holds(around, patch)]
        if not rooms:
            yield f"{target.id} would leave {ground.id}, in part or as a whole"
        elif heights[1] - heights[0] > max(rooms) + _TINY:
            yield f"there is not so much height for {target.id}"
    for other in view.entities:
        if other is target or other.id in piles[start.id] or target.id in piles[other.id]:
            continue
        low, high = other.centre[2] + np.array([-0.5, 0.5]) * other.extent[2]
        thin = min(high - low, heights[1] - heights[0])
        if min(high, heights[1]) - max(low, heights[0]) <= min(limits.TOUCH, thin / 2) + _TINY:
            continue
        taken = other.centre[:2] + _patch(other)
        if _share(patch, taken):
            yield f"{other.id} is where {target.id} would be"
        elif edit.action != "scale" and not rise and other.fixed and _share(np.array([here, there]), taken):
            yield f"{target.id} would go through {other.id}"
    if edit.action != "scale" and _unseen(view, np.array([*there, sum(heights) / 2])):
        yield f"{target.id} would be out of the picture"


def _patch(entity: Entity) -> Floats:
    """Corners of the ground that a thing covers, relative to its centre."""
    if entity.outline:
        return np.array(entity.outline)
    right, away, _ = np.array(entity.extent) / 2
    return np.array([[right, away], [-right, away], [-right, -away], [right, -away]])


def _step(edit: Edit, start: Entity) -> Floats:
    """Direction of an edit along the ground, as a complex number times the front of the thing whose frame it is."""
    if edit.frame == "viewer":
        return _STEPS.get(edit.way, np.zeros(2))
    turn = {"forward": 1, "front": 1, "left": 1j, "back": -1, "behind": -1, "right": -1j}[edit.way]
    way = turn * complex(*(start.front or (0.0, 0.0)))
    return np.array([way.real, way.imag])


def _grounds(ground: Entity, floor: float, anywhere: bool) -> Iterator[tuple[Floats, float]]:
    """Surfaces of a thing at a height on which another can stand, with the free height.

    If the thing has none at that height, its whole outline counts, unless the other moves up or down.
    """
    near = [one for one in ground.levels if -limits.LEVEL <= ground.centre[2] + one.height - floor <= limits.LEVEL]
    for one in near:
        yield np.array(one.outline) + ground.centre[:2], one.clearance
    if not near and anywhere:
        yield _patch(ground) + ground.centre[:2], np.inf


def _holds(around: Floats, patch: Floats) -> bool:
    """Whether an outline contains all corners of another."""
    wider = around + _TINY * (around - around.mean(axis=0))
    return all(_empty_angle(wider - corner) <= _HALF_TURN + _TINY for corner in patch)


def _empty_angle(directions: Floats) -> float:
    """The widest angle at the origin without a point."""
    seen = np.sort(np.arctan2(directions[:, 1], directions[:, 0]))
    return float(np.diff(seen, append=seen[0] + 2 * np.pi).max())


def _share(one: Floats, other: Floats) -> bool:
    """Whether two convex outlines overlap; touching is not enough."""
    differences = (one[:, None] - other[None]).reshape(-1, 2)
    differences = differences[np.hypot(*differences.T) > _TINY]  # what is at the origin is in no direction
    return len(differences) > 0 and _empty_angle(differences) < _HALF_TURN - _TINY


def _unseen(view: View, place: Floats) -> bool:
    """Whether a position is outside the view frustum."""
    if view.picture is None:
        return False
    x, y, depth = np.array(view.picture) @ place
    inset = limits.FRAME * depth
    return bool(depth <= 0 or min(x, y) < inset or max(x, y) > depth - inset)
