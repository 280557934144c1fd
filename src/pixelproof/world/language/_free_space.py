"""Free space for the result of an edit: on the support, between other things, in the image."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pixelproof.world.edits import Edit

from ._frames import way_on_ground
from .view import FRAME, LEVEL, TOUCH, Entity, View

Floats = npt.NDArray[np.float64]

RISE = {"up": 1, "down": -1}
"""Way of a vertical move → direction."""
_TINY = 1e-9


def no_free_space(view: View, edit: Edit, target: Entity, origin: Entity) -> str:
    """Why a thing does not fit where an edit moves it, without a full stop; empty if it fits.

    Args:
        view: The scene before the edit.
        edit: A move, a place or an enlargement.
        target: The edited thing.
        origin: The thing that the direction starts from: the target itself, or the anchor.
    """
    end, ground = _after(view, edit, target, origin), origin.support
    clear = _clearance(end, view[ground], edit.way in RISE) if ground else math.inf
    if clear is None:
        return f"{target.id} would hang over {ground}, or be beside it: choose another way, or a smaller amount"
    if end.extent[2] > clear + _TINY:
        return f"{target.id} is too tall for where it would be in {ground}: choose a lower thing, or a smaller amount"
    besides = {target.id, *view.supports(origin.id)}
    for other in view.entities:
        if other.id in besides or target.id in view.supports(other.id) or not _level(end, other):
            continue
        if not _apart(_corners(end), _corners(other)):
            return f"{target.id} would be where {other.id} is: choose another way or amount"
        if (
            edit.action != "scale"
            and edit.way not in RISE
            and other.fixed
            and not _apart(_path(origin, end), _corners(other))
        ):
            return f"{other.id} is in the way of {target.id}: choose a shorter way"
    if edit.action != "scale" and not _shown(view, end):
        return f"{target.id} would leave the picture: choose another way, or a smaller amount"
    return ""


def _after(view: View, edit: Edit, target: Entity, origin: Entity) -> Entity:
    """A thing after an edit; its foot is at the height of the origin's foot, unless it moves up or down."""
    factor = edit.amount if edit.action == "scale" else 1.0
    x, y = (0.0, 0.0) if edit.action == "scale" else way_on_ground(view, edit)
    extent = tuple(factor * side for side in target.extent)
    foot = origin.centre[2] - origin.extent[2] / 2 + RISE.get(edit.way, 0) * edit.amount
    centre = (origin.centre[0] + x * edit.amount, origin.centre[1] + y * edit.amount, foot + extent[2] / 2)
    outline = tuple((factor * right, factor * away) for right, away in target.outline)
    return replace(target, centre=centre, extent=extent, outline=outline)  # type: ignore[arg-type]


def _corners(entity: Entity) -> Floats:
    """Corners of the ground area that a thing covers."""
    half = np.multiply(entity.extent[:2], 0.5)
    around = entity.outline or half * [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    return np.asarray(around, np.float64) + entity.centre[:2]


def _clearance(end: Entity, ground: Entity, rises: bool) -> float | None:
    """Free height above the place where a thing stands on another; None if it overhangs, or hangs in the air."""
    foot = end.centre[2] - end.extent[2] / 2 - ground.centre[2]
    here = [level for level in ground.levels if abs(level.height - foot) <= LEVEL]
    if rises and not here:
        return None
    patches = [(np.add(level.outline, ground.centre[:2]), level.clearance) for level in here]
    inside = [clear for patch, clear in patches or [(_corners(ground), math.inf)] if _within(_corners(end), patch)]
    return max(inside, default=None)


def _path(origin: Entity, end: Entity) -> Floats:
    return np.array([origin.centre[:2], end.centre[:2]])


def _level(one: Entity, other: Entity) -> bool:
    """Whether the height ranges of two things overlap by more than the tolerance."""
    shared = (one.extent[2] + other.extent[2]) / 2 - abs(one.centre[2] - other.centre[2])
    return shared > min(TOUCH, one.extent[2] / 2, other.extent[2] / 2) + _TINY


def _normals(corners: Floats) -> Floats:
    """Normals of the sides of a convex outline, as columns."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*sides.T)
    sides = sides[lengths > _TINY] / lengths[lengths > _TINY, None]
    return np.array([sides[:, 1], -sides[:, 0]])


def _within(inner: Floats, outer: Floats) -> bool:
    """Whether a convex outline is inside another."""
    normals = _normals(outer)
    return bool(np.all((inner @ normals).max(axis=0) <= (outer @ normals).max(axis=0) + _TINY)) and bool(
        np.all((inner @ normals).min(axis=0) >= (outer @ normals).min(axis=0) - _TINY)
    )


def _apart(one: Floats, other: Floats) -> bool:
    """Whether a line separates two convex outlines (separating axis theorem)."""
    normals = np.hstack([_normals(one), _normals(other)])
    first, second = one @ normals, other @ normals
    gaps = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    return bool(np.any(gaps >= -_TINY))


def _shown(view: View, entity: Entity) -> bool:
    """Whether the centre of a thing is in the image; True if the camera is unknown."""
    if view.picture is None:
        return True
    x, y, depth = np.asarray(view.picture) @ entity.centre
    return bool(depth > 0 and all(FRAME <= place / depth <= 1 - FRAME for place in (x, y)))
