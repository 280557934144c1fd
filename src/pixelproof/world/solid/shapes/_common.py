"""What several families use: colours and paints; boards, legs and shelves."""

from __future__ import annotations

from pixelproof.world._colours import COLOURS
from pixelproof.world.solid._category import Paint, Shape, Surface
from pixelproof.world.solid._poses import Vector

from . import _kit as kit

ANY = tuple(COLOURS)
LIVELY = ("red", "orange", "yellow", "green", "teal", "cyan", "blue", "navy", "purple", "pink")
PLAIN = ("white", "grey", "black")
FURNITURE = ("brown", "beige", "white", "black", "grey", "teal", "green", "red", "navy")
CLOTH = ("grey", "beige", "teal", "navy", "green", "red", "orange", "yellow", "pink", "purple", "brown", "blue")

STEEL = Paint("grey", "metal")
BRASS = Paint("#c99a3c", "metal")
BLACK = Paint("black", "plastic")
RUBBER = Paint("black", "rubber")
WHITE = Paint("white", "plastic")
RED = Paint("red", "plastic")
TOY_WOOD = Paint("#c79a5f", "wooden")
DARK_WOOD = Paint("#4a3222", "wooden")
GLOW = Paint("#fff4c8", "plastic")
"""Paint of a bulb or lamp glass."""


EDGE = 0.004


def board(x: float, y: float, z: float, at: Vector = (0.0, 0.0, 0.0), edge: float = EDGE) -> kit.Solid:
    """A bevelled box with its bottom centre at a point."""
    return kit.slab(x, y, z, edge, 8).translate(at)


def leg(top: Vector, foot: tuple[float, float], thick: float, thin: float) -> kit.Solid:
    """A straight round leg from a point down to the ground, with a level bottom."""
    upper = kit.cylinder(thick, 0.001, segments=16).translate((top[0], top[1], top[2] - 0.001))
    return kit.hull(upper, kit.cylinder(thin, 0.001, segments=16).translate((*foot, 0.0)))


def corners(x: float, y: float) -> list[tuple[float, float]]:
    """The corners of a rectangle around the origin.

    >>> corners(2.0, 4.0)
    [(-1.0, -2.0), (1.0, -2.0), (1.0, 2.0), (-1.0, 2.0)]
    """
    return [(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)]


def shelving(x: float, y: float, z: float, shelves: int, thick: float, foot: float) -> Shape:
    """Two sides, a back, a top and a number of shelves, each a surface; the lowest board is `foot` above the ground."""
    inner, rise = x - 2 * thick, (z - foot - thick) / shelves
    levels = [foot + k * rise for k in range(shelves + 1)]
    solids = [board(thick, y, z, (side * (x - thick) / 2, 0.0, 0.0), 0.002) for side in (-1, 1)]
    solids += [board(inner + thick, y - 0.006, thick, (0.0, 0.0, level), 0.002) for level in levels]
    solids.append(kit.slab(inner + thick, 0.008, z - foot).translate((0.0, y / 2 - 0.006, foot)))
    solids.append(kit.slab(inner + thick, 0.016, foot + thick / 2).translate((0.0, 0.02 - y / 2, 0.0)))
    front, back = -y / 2 + 0.005, y / 2 - 0.01
    surfaces = [
        Surface(f"shelf-{k + 1}", (0.0, (front + back) / 2, level + thick), inner, back - front, rise - thick)
        for k, level in enumerate(levels[:-1])
    ]
    surfaces.append(Surface("top", (0.0, 0.0, z), inner, y - 0.012))
    return kit.stood(kit.part(kit.join(*solids), crease=30), pieces=solids, surfaces=surfaces)
