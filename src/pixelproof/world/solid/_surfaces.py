"""Surfaces of things on which others can stand, and hollows in which they can lie."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from ._category import Surface
from ._scene import Thing
from .shapes import shape, shape_of

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


_HOLLOW = frozenset({"bowl", "mug", "cooking pot", "frying pan", "bucket", "basket", "cardboard box"})
"""Categories that things are put into."""
_LEAST_DEPTH = 0.35
"""Least depth of a hollow, as a share of the height of the thing."""


def hollow_of(thing: Thing) -> Surface | None:
    """The inner floor of an upright container, in its frame at scale 1; None if its collision pieces have no hollow."""
    if thing.category not in _HOLLOW:
        return None
    return _hollow(thing.category, tuple(sorted(thing.form.items())))


@lru_cache(maxsize=256)
def _hollow(name: str, form: tuple[tuple[str, float], ...]) -> Surface | None:
    built = shape(name, dict(form))
    pieces = built.pieces or tuple(part.vertices for part in built.parts)
    height = float(built.bounds[1, 2])
    planes = [ConvexHull(piece).equations for piece in pieces]
    floor = _top(planes, 0.0, 0.0)
    if floor is None or height - floor < _LEAST_DEPTH * height:
        return None
    rim = np.concatenate([piece[piece[:, 2] > 0.8 * height] for piece in pieces])
    width, depth = (2 * np.abs(rim[:, :2]).max(axis=0)).tolist()
    return Surface("hollow", (0.0, 0.0, floor), width, depth)


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
