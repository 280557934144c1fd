"""Windows, doors and daylight of rooms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.world.solid._poses import vector, yaw
from pixelproof.world.solid._scene import Environment, Light, Thing

from ._surroundings import Look, Opening, fixture, room_corner

_FRAMES = ("#f2f0ea", "#e4ded2", "#6f5a45", "#3f4a4f")
_DOORS = ("#d9d2c3", "#8a6242", "#5c7a78", "#e9e6df", "#6d7f6a")
_HEIGHT = 4.0
"""Height of walls in metres: none ends within the picture, and the sun does not shine over them."""
_WINDOW, _DOOR, _SUN = 0.6, 0.4, 0.65
"""Probabilities of a window, of a door, and of sun in a room with a window."""


def walls_with_openings(
    rng: np.random.Generator, width: float, depth: float, floor: Look, wall: Look, side: float, kitchen: bool = False
) -> tuple[list[Thing], list[Opening]]:
    """The floor and two walls of a room, with a window in one wall and a door in the other, or less.

    Args:
        rng: Random generator.
        width: Of the room in metres.
        depth: Of the room in metres.
        floor: Look of the floor.
        wall: Look of the walls.
        side: Side of the second wall: -1 left, +1 right.
        kitchen: Whether the window is above the units at the back wall.
    """
    around = room_corner(width, depth, _HEIGHT, floor, wall, side)
    openings: list[Opening] = []
    at_back = kitchen or bool(rng.random() < 0.5)
    if rng.random() < _WINDOW:
        wide, low = float(rng.uniform(0.8, 1.3)), float(rng.uniform(0.82, 0.98)) + 0.24 * kitchen
        opening = _opening(rng, width, depth, side, at_back, wide, low)
        around = _with_window(rng, around, opening, wall)
        openings.append(opening)
    if rng.random() < _DOOR:
        opening = _opening(rng, width, depth, side, not at_back, float(rng.uniform(0.85, 1.0)), 0.0)
        around.append(_door(rng, opening))
        openings.append(opening)
    return around, openings


def _opening(
    rng: np.random.Generator, width: float, depth: float, side: float, at_back: bool, wide: float, low: float
) -> Opening:
    """An opening of the back wall or of the side wall."""
    room = max((width if at_back else depth) - wide - 0.3, 0.0)
    offset = round(float(rng.uniform(-0.5, 0.5)) * room, 3)
    rise = round(float(rng.uniform(1.0, 1.3)) if low else float(rng.uniform(1.98, 2.12)), 3)
    foot = np.array([offset, depth / 2] if at_back else [side * width / 2, offset])
    inward = np.array([0.0, -1.0] if at_back else [-side, 0.0])
    return Opening(
        "wall-1" if at_back else "wall-2", foot, inward, round(wide, 3), round(low, 3), rise,
        0.0 if at_back else -90.0 * side,
    )  # fmt: skip


def _with_window(rng: np.random.Generator, around: list[Thing], opening: Opening, wall: Look) -> list[Thing]:
    """Cut an opening into a wall and put a window into it."""
    old = next(thing for thing in around if thing.id == opening.wall)
    # In the frame of the wall: the wall at the back is not turned, that at the side by a quarter turn.
    middle = np.asarray(old.position[:2])
    at = float((opening.foot - middle)[0] if opening.wall == "wall-1" else (opening.foot - middle)[1])
    form = {"at": at, "sill": opening.low, "opening": opening.width, "rise": opening.rise}
    cut = fixture(old.id, "window wall", dict(old.form) | form, wall, old.position, old.rotation)
    look = (str(rng.choice(_FRAMES)), "wooden")
    window = fixture("window", "window", {"width": opening.width, "height": opening.rise}, look, (0.0, 0.0, 0.0))
    # The frame stands in the middle of the wall, 5 cm behind its face; the sill extends into the room.
    inset = 0.05 + 0.03 - window.size[1] / 2
    x, y = (opening.foot - opening.inward * inset).round(4).tolist()
    placed = replace(window, position=(x, y, opening.low), rotation=yaw(opening.turn))
    return [*(cut if thing is old else thing for thing in around), placed]


def _door(rng: np.random.Generator, opening: Opening) -> Thing:
    """A closed door before the face of a wall."""
    look = (str(rng.choice(_DOORS)), "wooden")
    door = fixture("door", "door", {"width": opening.width, "height": opening.rise}, look, (0.0, 0.0, 0.0))
    inset = 0.04 - door.size[1] / 2
    x, y = (opening.foot - opening.inward * inset).round(4).tolist()
    return replace(door, position=(x, y, 0.0), rotation=yaw(opening.turn))


def daylight(
    rng: np.random.Generator, openings: list[Opening], lighting: tuple[tuple[Light, ...], Environment]
) -> tuple[tuple[Light, ...], Environment]:
    """Add the sun, which shines through the window of a room, to its lighting; the lamp is dimmed for it."""
    lights, around = lighting
    windows = [opening for opening in openings if opening.low > 0]
    if not windows:
        return lights, around
    outside = (2.3, 2.7, 3.2) if rng.random() < 0.7 else (2.7, 2.7, 2.7)
    around = replace(around, outdoors=outside)
    if rng.random() >= _SUN:
        return lights, around
    window = windows[0]
    spot = window.foot + window.inward * float(rng.uniform(1.2, 1.9)) + window.along * float(rng.uniform(-0.7, 0.7))
    middle = np.array([*window.foot, window.low + 0.45 * window.rise])
    way = middle - np.array([*spot, 0.25])
    way = np.round(way / np.linalg.norm(way), 4)
    strength = float(rng.uniform(1.5, 2.1))
    red, green, blue = (round(strength * part, 3) for part in (1.04, 0.96, 0.84))
    sun = Light(vector(way), 0.012, (red, green, blue), "sun")
    red, green, blue = (round(0.62 * part, 4) for part in lights[0].power)
    return (replace(lights[0], power=(red, green, blue)), sun), around
