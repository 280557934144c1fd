"""Surroundings: muted floors and walls that contrast with things, and lighting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pixelproof.world._colours import COLOURS
from pixelproof.world.solid._poses import Floats, Quaternion, Vector, yaw
from pixelproof.world.solid._scene import Environment, Light, Thing
from pixelproof.world.solid.shapes import CATEGORIES, new_thing

Look = tuple[str, str]
"""Colour and material."""

TOPS: tuple[Look, ...] = (
    ("#b98a5c", "wooden"),
    ("#8a5f3e", "wooden"),
    ("#d9c3a0", "wooden"),
    ("#5d4433", "wooden"),
    ("#e6e3dd", "marble"),
    ("#c9cfcb", "plastic"),
    ("#4f5b5c", "stone"),
    ("#dcd6c8", "fabric"),
)
FLOORS = (
    ("#b08a63", "wooden"),
    ("#8d6a4c", "wooden"),
    ("#cdb892", "wooden"),
    ("#cfcbc2", "tiled"),
    ("#a9aaa6", "stone"),
    ("#b9ada0", "fabric"),
)
WALLS = (
    ("#e4ddd0", "plaster"),
    ("#cfd6d3", "plaster"),
    ("#d8cfc6", "plaster"),
    ("#b8c4bd", "plaster"),
    ("#c3c8d1", "plaster"),
    ("#dcc9b6", "plaster"),
    ("#bfae9f", "brick"),
)
TILES = (
    ("#cfcbc2", "tiled"),
    ("#b9c4c6", "tiled"),
    ("#8e9a98", "tiled"),
    ("#d8cdb8", "tiled"),
    ("#a9aaa6", "stone"),
    ("#cdb892", "wooden"),
)
"""Floors of kitchens and bathrooms."""
WET_WALLS = (
    ("#e4ddd0", "plaster"),
    ("#cfd6d3", "plaster"),
    ("#dfe6e6", "tiled"),
    ("#c4d3d0", "tiled"),
    ("#e3d8c4", "tiled"),
)
"""Walls of kitchens and bathrooms."""
SHELVES = (
    ("#c8a47a", "wooden"),
    ("#8f6a4a", "wooden"),
    ("#e9e6df", "wooden"),
    ("#5a4536", "wooden"),
    ("#b9c0bd", "plastic"),
)
RUGS = ("navy", "teal", "red", "grey", "brown")
_NEAR = 70.0
"""sRGB distance below which a colour has too little contrast to a ground."""


@dataclass(frozen=True)
class Mood:
    """Tint of the lighting."""

    name: str
    key: Vector
    zenith: Vector
    horizon: Vector
    ground: Vector


MOODS = (
    Mood("neutral", (1.0, 0.98, 0.95), (0.46, 0.48, 0.50), (0.44, 0.43, 0.42), (0.22, 0.21, 0.20)),
    Mood("warm", (1.08, 0.94, 0.76), (0.42, 0.42, 0.44), (0.46, 0.42, 0.37), (0.24, 0.20, 0.17)),
    Mood("cool", (0.92, 0.98, 1.08), (0.44, 0.49, 0.56), (0.42, 0.44, 0.48), (0.20, 0.21, 0.23)),
)


@dataclass(frozen=True)
class Opening:
    """A window or a door in a wall."""

    wall: str
    """Id of the wall."""
    foot: Floats
    """(x, y) of its middle on the face of the wall, in metres."""
    inward: Floats
    """Level unit vector from the wall into the room."""
    width: float
    low: float
    """Height of its lower edge; 0 for a door."""
    rise: float
    """Height of the opening itself."""
    turn: float
    """Rotation in degrees of what is in it."""

    @property
    def along(self) -> Floats:
        """Level unit vector along the wall."""
        return np.array([-self.inward[1], self.inward[0]])


def pick(rng: np.random.Generator, looks: Sequence[Look]) -> Look:
    """A random pair of colour and material."""
    return looks[int(rng.integers(len(looks)))]


def fixture(
    id: str,
    category: str,
    form: dict[str, float],
    look: Look,
    position: Vector,
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0),
    support: str | None = None,
) -> Thing:
    """A fixed part of the surroundings."""
    form = {key: round(form.get(key, sum(ends) / 2), 4) for key, ends in CATEGORIES[category].ranges.items()}
    return new_thing(
        id,
        category,
        form,
        colour=look[0],
        material=look[1],
        position=position,
        rotation=rotation,
        support=support,
        fixed=True,
    )


def low_contrast_colours(*looks: Look) -> frozenset[str]:
    """Colour words with too little contrast to a ground.

    >>> sorted(low_contrast_colours(("#e6e3dd", "marble")))
    ['beige', 'white']
    """
    grounds = [np.array(COLOURS.get(colour) or tuple(bytes.fromhex(colour[1:]))) for colour, _ in looks]
    return frozenset(
        word for word, code in COLOURS.items() if any(np.linalg.norm(ground - code) < _NEAR for ground in grounds)
    )


def side_azimuths(rng: np.random.Generator, azimuth: float, least: float, most: float) -> tuple[float, float]:
    """Range of azimuths to the left or right of a viewer."""
    return (azimuth + least, azimuth + most) if rng.random() < 0.5 else (azimuth - most, azimuth - least)


def sample_lighting(
    rng: np.random.Generator, target: Vector, side: tuple[float, float], height: tuple[float, float], distance: float
) -> tuple[tuple[Light, ...], Environment]:
    """One soft lamp, and ambient light of a random mood.

    Args:
        rng: Random generator.
        target: Point that the lamp lights.
        side: Range of the azimuth of the lamp in degrees, as in `frame_points`.
        height: Range of the elevation of the lamp in degrees.
        distance: Distance of the lamp from the target in metres.
    """
    mood = MOODS[int(rng.integers(len(MOODS)))]
    around, up = math.radians(float(rng.uniform(*side))), math.radians(float(rng.uniform(*height)))
    way = (math.sin(around) * math.cos(up), -math.cos(around) * math.cos(up), math.sin(up))
    x, y, z = (round(t + distance * w, 4) for t, w in zip(target, way, strict=True))
    strength = float(rng.uniform(0.75, 0.9)) * distance**2
    red, green, blue = (round(strength * part, 4) for part in mood.key)
    lamp = Light((x, y, z), round(distance * 0.09, 3), (red, green, blue))
    return (lamp,), Environment(mood.zenith, mood.horizon, mood.ground, round(float(rng.uniform(1.0, 1.12)), 3))


def room_corner(width: float, depth: float, height: float, floor: Look, wall: Look, side: float) -> list[Thing]:
    """A corner of a room around the origin, with walls at the back (+y) and at the left (side -1) or right (+1).

    The top of the floor is at z = 0. The floor extends towards the viewer, so that its end is not visible.
    """
    trim, more = ("#efece6", "wooden"), 4.0
    long, deep = width + more, depth + more
    x, y = side * width / 2, depth / 2
    middle_x, middle_y = x - side * long / 2, y - deep / 2
    far, near = {"width": long, "height": height}, {"width": deep, "height": height}
    return [
        fixture("floor", "floor", {"width": long, "depth": deep}, floor, (middle_x, middle_y, -0.1)),
        fixture("wall-1", "wall", far, wall, (middle_x, y + 0.05, 0.0)),
        fixture("wall-2", "wall", near, wall, (x + side * 0.05, middle_y, 0.0), yaw(90)),
        fixture("skirting-1", "skirting", far | {"height": 0.08}, trim, (middle_x, y - 0.008, 0.0)),
        fixture("skirting-2", "skirting", near | {"height": 0.08}, trim, (x - side * 0.008, middle_y, 0.0), yaw(90)),
    ]
