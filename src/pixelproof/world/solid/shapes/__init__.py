"""Categories of solid things, and their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.world.solid._category import Category, Shape
from pixelproof.world.solid._poses import Quaternion, Vector
from pixelproof.world.solid._scene import Thing

from . import (
    _food,
    _fruit,
    _furniture,
    _games,
    _household,
    _kitchen,
    _paper,
    _signs,
    _structure,
    _tableware,
    _tools,
    _toys,
    _vehicles,
)  # fmt: skip

__all__ = ["CATEGORIES", "category", "new_thing", "shape", "shape_of"]

_FAMILIES = (
    _tableware, _kitchen, _fruit, _food, _toys, _vehicles, _games, _tools, _paper, _household, _signs, _furniture,
    _structure,
)  # fmt: skip

CATEGORIES: dict[str, Category] = {kind.name: kind for family in _FAMILIES for kind in family.CATEGORIES}


def category(name: str) -> Category:
    """The category with a name.

    >>> category("mug").family
    'tableware'

    Raises:
        PixelProofError: There is no such category.
    """
    if name in CATEGORIES:
        return CATEGORIES[name]
    raise unknown_name("category", name, CATEGORIES)


_kind = category  # for functions with an argument of that name


def shape(category: str, form: Mapping[str, float]) -> Shape:
    """Build the shape of a category from parameters; cached.

    Raises:
        PixelProofError: There is no such category, or the parameters do not match.
    """
    return _shape(category, tuple(sorted(form.items())))


@lru_cache(maxsize=800)  # a block of scenes has some 560 shapes, and shapes of its surroundings; 64 kB each
def _shape(name: str, numbers: tuple[tuple[str, float], ...]) -> Shape:
    kind, form = _kind(name), dict(numbers)
    if form.keys() != kind.ranges.keys():
        raise PixelProofError(
            f"The form of {name!r} has the numbers {', '.join(form) or 'none'}, but its shape is built from "
            f"{', '.join(kind.ranges) or 'none'}: give it these."
        )
    try:
        built = kind.build(form)
    except (ValueError, ZeroDivisionError, FloatingPointError) as error:
        raise PixelProofError(
            f"The shape of {name!r} cannot be built from {form}: keep its numbers within {dict(kind.ranges)}."
        ) from error
    for part in built.parts:
        part.vertices.setflags(write=False)
        part.faces.setflags(write=False)
    for piece in built.pieces:
        piece.setflags(write=False)
    return built


def shape_of(thing: Thing) -> Shape:
    """The shape of a thing at scale 1."""
    return shape(thing.category, thing.form)


def new_thing(
    id: str,
    category: str,
    form: Mapping[str, float],
    *,
    colour: str,
    material: str,
    position: Vector,
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0),
    scale: float = 1.0,
    text: str = "",
    support: str | None = None,
    fixed: bool = False,
) -> Thing:
    """Make a thing of a category; size, axes and symmetry follow from it."""
    kind = _kind(category)
    low, high = shape(category, form).bounds
    x, y, z = ((high - low) * scale).tolist()
    return Thing(
        id,
        category,
        colour,
        material,
        (x, y, z),
        position,
        rotation,
        scale,
        dict(form),
        text,
        front=(0.0, -1.0, 0.0) if kind.front else None,
        symmetry=kind.symmetry_of(form),
        support=support,
        fixed=fixed,
    )
