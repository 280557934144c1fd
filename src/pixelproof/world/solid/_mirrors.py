"""Which things show others: those with parts of glass or metal."""

from __future__ import annotations

from ._materials import MATERIALS
from ._scene import Thing
from .shapes import shape_of


def shows_others(thing: Thing) -> bool:
    """Whether other things can be seen through a part of a thing, or reflected in it.

    >>> from pixelproof.world.solid.shapes import new_thing
    >>> form, place = {"radius": 0.05}, (0.0, 0.0, 0.0)
    >>> shows_others(new_thing("a", "ball", form, colour="red", material="rubber", position=place))
    False
    """
    materials = {part.paint.material or thing.material for part in shape_of(thing).parts}
    return any(MATERIALS[word or "plastic"].is_mirror for word in materials)
