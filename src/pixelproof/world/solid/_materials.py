"""Material words and their appearance, and which things show others."""

from __future__ import annotations

from dataclasses import dataclass

from ._scene import Thing
from .shapes import shape_of


@dataclass(frozen=True)
class Material:
    """Reflection and texture parameters of a surface."""

    roughness: float
    """0: sharp highlights; 1: none."""
    specular: float
    """Reflectance at normal incidence."""
    metallic: float = 0.0
    """1: highlights have the surface's colour, and there is little diffuse light."""
    texture: str = ""
    """Name of the procedural texture; empty: uniform colour."""
    grain: float = 0.02
    """Scale of the texture in metres."""
    bump: float = 0.0
    """Strength of the bump map."""
    clear: float = 0.0
    """Share of the light that passes a sheet of it, without refraction; 0: opaque."""

    @property
    def is_mirror(self) -> bool:
        """Whether what is around can be recognised in it or through it."""
        return self.metallic > 0 or self.clear > 0


MATERIALS: dict[str, Material] = {
    "plastic": Material(0.35, 0.04),
    "rubber": Material(0.85, 0.02),
    "ceramic": Material(0.15, 0.05),
    "metal": Material(0.2, 0.6, metallic=1.0),
    "glass": Material(0.06, 0.04, clear=0.72),
    "pane": Material(0.04, 0.04, clear=0.95),
    "wooden": Material(0.55, 0.03, texture="wood", grain=0.03),
    "paper": Material(0.9, 0.02),
    "cardboard": Material(0.9, 0.02, texture="fibre", grain=0.004),
    "fabric": Material(0.95, 0.01, texture="weave", grain=0.004, bump=0.4),
    "leather": Material(0.5, 0.04, texture="leather", grain=0.006, bump=0.3),
    "stone": Material(0.8, 0.03, texture="speckle", grain=0.006),
    "marble": Material(0.2, 0.05, texture="marble", grain=0.12),
    "tiled": Material(0.25, 0.05, texture="tiles", grain=0.15, bump=0.5),
    "brick": Material(0.9, 0.02, texture="bricks", grain=0.2, bump=0.5),
    "striped": Material(0.6, 0.03, texture="stripes", grain=0.02),
    "checked": Material(0.6, 0.03, texture="checks", grain=0.03),
    "dotted": Material(0.6, 0.03, texture="dots", grain=0.03),
    "organic": Material(0.5, 0.04, texture="mottle", grain=0.02),
    "plaster": Material(0.95, 0.01, texture="plaster", grain=0.02, bump=0.1),
}


def shows_others(thing: Thing) -> bool:
    """Whether other things can be seen through a part of a thing, or reflected in it.

    >>> from pixelproof.world.solid.shapes import new_thing
    >>> form, place = {"radius": 0.05}, (0.0, 0.0, 0.0)
    >>> shows_others(new_thing("a", "ball", form, colour="red", material="rubber", position=place))
    False
    """
    materials = {part.paint.material or thing.material for part in shape_of(thing).parts}
    return any(MATERIALS[word or "plastic"].is_mirror for word in materials)
