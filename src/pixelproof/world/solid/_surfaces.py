"""Level surfaces of things on which others can stand."""

from __future__ import annotations

from ._category import Surface
from ._scene import Thing
from .shapes import shape_of

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
