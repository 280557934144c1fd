"""What things offer to stand on."""

from __future__ import annotations

from ._category import Surface
from ._scene import Thing
from .shapes import shape_of

_FLAT_TOPPED = frozenset({"book", "notebook", "parcel", "toy block"})
"""Categories that are not made to carry anything, but that people stack things on."""


def surfaces_of(thing: Thing) -> tuple[Surface, ...]:
    """The level rectangles of a thing in its own frame at scale 1, for as long as it stands upright."""
    shape = shape_of(thing)
    if thing.category not in _FLAT_TOPPED:
        return shape.surfaces
    low, high = shape.bounds
    width, depth, height = (high - low).tolist()
    return (Surface("top", (0.0, 0.0, height), 0.85 * width, 0.85 * depth),)
