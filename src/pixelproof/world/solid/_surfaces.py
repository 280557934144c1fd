"""Level surfaces of things, and hollows of containers: inner floors, and collision pieces that leave them open."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._extra import need

from ._category import Surface
from ._poses import Floats
from ._scene import Thing
from .shapes import shape, shape_of
from .shapes._kit import footed, points, walls

_FLAT_TOPPED = frozenset({"book", "notebook", "parcel", "toy block"})
"""Categories that can be stacked on."""


def surfaces_of(thing: Thing) -> tuple[Surface, ...]:
    """Level surfaces of an upright thing, in its frame at scale 1."""
    shape = shape_of(thing)
    if thing.category not in _FLAT_TOPPED:
        return shape.surfaces
    low, high = shape.bounds
    width, depth, height = (high - low).tolist()
    return (Surface("top", (0.0, 0.0, height), 0.85 * width, 0.85 * depth),)


Form = tuple[tuple[str, float], ...]
_HOLLOW = frozenset({"bowl", "mug", "frying pan", "bucket", "basket", "cardboard box"})
"""Categories that things are put into."""
_LEAST_DEPTH = 0.35
"""Least depth of a hollow, as a share of the height of the body."""
_FILLED = {"mug": 1, "frying pan": 2, "bucket": 1, "basket": 1}
"""Category whose collision pieces fill its hollow → number of the pieces of its body, which come first."""
_ABOVE = 0.0005
"""Height over the inner floor at which the walls of open pieces begin, in metres."""
_ON_AXIS = 0.001
"""Largest distance from the axis of a vertex of the inner floor, in metres."""


def hollow_of(thing: Thing) -> Surface | None:
    """The inner floor of an upright container, in its frame at scale 1; None if it has no hollow."""
    if thing.category not in _HOLLOW:
        return None
    return _hollow(thing.category, tuple(sorted(thing.form.items())))


def is_filled(name: str) -> bool:
    """Whether the collision pieces of a category fill its hollow, so that `open_pieces` are needed to put things in."""
    return name in _FILLED


@lru_cache(maxsize=256)
def open_pieces(name: str, form: Form) -> tuple[Floats, ...]:
    """Convex collision pieces of a container that leave its hollow open, at scale 1.

    Args:
        name: A category that `is_filled`.
        form: Its shape parameters.
    """
    built, (x, y), floor = shape(name, dict(form)), *_axis(name, form)
    kit, body = need("manifold3d"), built.parts[0]
    mesh = kit.Mesh64(vert_properties=body.vertices.copy(), tri_verts=body.faces.astype(np.uint64))
    bottom, *sides = walls(kit.Manifold(mesh).translate((-x, -y, 0.0)), [floor + _ABOVE])
    own = [footed(bottom), *(points(side) for side in sides)]
    return (*(piece + (x, y, 0.0) for piece in own), *built.pieces[_FILLED[name] :])


def _axis(name: str, form: Form) -> tuple[tuple[float, float], float]:
    """The point of the axis of a filled container on the ground, and the height of its inner floor."""
    built = shape(name, dict(form))
    x, y, _ = _bounds(name, form).mean(axis=0).tolist()
    vertices = built.parts[0].vertices
    return (x, y), float(vertices[np.hypot(*(vertices[:, :2] - (x, y)).T) < _ON_AXIS, 2].max())


def _bounds(name: str, form: Form) -> Floats:
    body = np.concatenate(shape(name, dict(form)).pieces[: _FILLED[name]])
    return np.array([body.min(axis=0), body.max(axis=0)])


@lru_cache(maxsize=256)
def _hollow(name: str, form: Form) -> Surface | None:
    if name in _FILLED:
        (x, y), floor = _axis(name, form)
        width, depth, height = np.ptp(_bounds(name, form), axis=0).tolist()
        return Surface("hollow", (x, y, floor), width, depth) if height - floor >= _LEAST_DEPTH * height else None
    built = shape(name, dict(form))
    pieces = built.pieces or tuple(part.vertices for part in built.parts)
    height = float(built.bounds[1, 2])
    planes = [ConvexHull(piece).equations for piece in pieces]
    floor_at = _top(planes, 0.0, 0.0)
    if floor_at is None or height - floor_at < _LEAST_DEPTH * height:
        return None
    rim = np.concatenate([piece[piece[:, 2] > 0.8 * height] for piece in pieces])
    width, depth = (2 * np.abs(rim[:, :2]).max(axis=0)).tolist()
    return Surface("hollow", (0.0, 0.0, floor_at), width, depth)


def _top(planes: list[np.ndarray], x: float, y: float) -> float | None:
    """Height of the highest convex piece above or below a point; None if there is none."""
    tops = []
    for rows in planes:
        slope, rest = rows[:, 2], rows[:, :2] @ (x, y) + rows[:, 3]
        level = np.abs(slope) < 1e-12
        if np.any(rest[level] > 0):
            continue
        low = np.max(-rest[slope < 0] / slope[slope < 0], initial=-np.inf)
        high = np.min(-rest[slope > 0] / slope[slope > 0], initial=np.inf)
        if low <= high:
            tops.append(float(high))
    return max(tops, default=None)
