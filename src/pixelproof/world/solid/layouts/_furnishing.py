"""What a room gets: windows, doors and daylight; furniture and fittings at walls, at tables, or free."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pixelproof.world.solid._poses import Vector, rotation_matrix, vector, yaw
from pixelproof.world.solid._scene import Environment, Light, Thing

from ._placing import Arrangement, Ground, Spot
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


_AT_TABLES = frozenset({"chair", "stool", "bench"})
_BESIDE_SEATS = frozenset({"side table", "floor lamp"})
_SEATS = frozenset({"sofa", "armchair", "bed"})
_FRONT_COLOURS = ("#e9e6df", "#8d9a94", "#c9b79a", "#5f7274", "#39465c", "#7b5b41")
_SANITARY = ("#f1efea", "#e8e2d4", "#d9dedd")


def furniture_spots(
    rng: np.random.Generator,
    thing: Thing,
    standing: Sequence[Thing],
    ground: Ground,
    layout: str,
    side: float,
    azimuth: float,
    apart: float,
) -> Iterator[Spot]:
    """Candidate spots of a piece of furniture, the most plausible first.

    Args:
        rng: Random generator.
        thing: The piece, at the origin.
        standing: Furniture that stands already.
        ground: The floor.
        layout: Layout of the room.
        side: Side of the second wall: -1 left, +1 right.
        azimuth: Direction of the viewer in degrees.
        apart: Distance to other furniture in metres.
    """
    if layout != "island":
        if thing.category in _AT_TABLES:
            for table in standing:
                if table.category == "table":
                    yield from _at_table(rng, thing, table, apart)
        if thing.category in _BESIDE_SEATS:
            for seat in standing:
                if seat.category in _SEATS:
                    yield from _beside(rng, thing, seat, apart)
    yield from _around_the_room(rng, thing, ground, layout, side, azimuth)


def _turn_of(thing: Thing) -> float:
    turn = rotation_matrix(thing.rotation)
    return math.degrees(math.atan2(turn[1, 0], turn[0, 0]))


def _placed(host: Thing, x: float, y: float) -> tuple[float, float, float]:
    """World point of a level offset in the frame of a host."""
    turn = rotation_matrix(host.rotation)[:2, :2]
    a, b = (turn @ (x, y) + host.position[:2]).tolist()
    return (a, b, 0.0)


def _at_table(rng: np.random.Generator, thing: Thing, table: Thing, apart: float) -> Iterator[Spot]:
    """Around a table, facing it."""
    wide, deep = table.size[0] / 2, table.size[1] / 2
    for _ in range(16):
        end = rng.random() < 0.3
        sign = float(rng.choice([-1.0, 1.0]))
        out, along = (wide, deep) if end else (deep, wide)
        away = sign * (out + thing.size[1] / 2 + apart + 0.02)
        offset = float(rng.uniform(-0.6, 0.6)) * max(along - thing.size[0] / 2, 0.05)
        x, y = (away, offset) if end else (offset, away)
        # The front of a thing is -y of its frame.
        facing = (-90.0 if sign > 0 else 90.0) if end else (0.0 if sign > 0 else 180.0)
        yield _placed(table, x, y), _turn_of(table) + facing + float(rng.uniform(-12, 12))


def _beside(rng: np.random.Generator, thing: Thing, seat: Thing, apart: float) -> Iterator[Spot]:
    """At the left or right of a seat, towards its back."""
    for _ in range(10):
        x = float(rng.choice([-1.0, 1.0])) * (seat.size[0] / 2 + thing.size[0] / 2 + apart + 0.02)
        y = seat.size[1] / 2 * float(rng.uniform(-0.1, 0.7))
        yield _placed(seat, x, y), _turn_of(seat)


def _around_the_room(
    rng: np.random.Generator, thing: Thing, ground: Ground, layout: str, side: float, azimuth: float
) -> Iterator[Spot]:
    """With its back to a wall, or free-standing."""
    half = thing.size[1] / 2 + 0.03
    to_wall = layout == "walls" or (layout == "facing" and thing.size[2] > 0.7)
    free_from = 80 if thing.size[2] > 1.0 and thing.front is not None else 50
    for step in range(80):
        u, v = rng.uniform(-0.95, 0.95, 2).tolist()
        if to_wall and step < free_from:
            if rng.random() < 0.5:
                yield ground.at(u, 1 - 2 * half / ground.depth), 0.0
            else:
                yield ground.at(side * (1 - 2 * half / ground.width), v), -90.0 * side
        else:
            reach = 0.6 if layout == "island" else 0.85
            place = ground.at(reach * u, reach * v)
            # Seats face the centre of the room (in the layout island: away from it), but never away from the viewer.
            turn = math.degrees(math.atan2(-place[0], place[1])) + (180.0 if layout == "island" else 0.0)
            if math.cos(math.radians(turn - azimuth)) < 0.3:
                turn = azimuth + float(rng.choice([-1.0, 1.0])) * 45.0
            yield place, turn + float(rng.uniform(-20, 20))


def clear_of(openings: Sequence[Opening], thing: Thing, spots: Iterator[Spot]) -> Iterator[Spot]:
    """Leave out spots at which a thing would hide a window or stand before a door."""
    return (spot for spot in spots if not any(_blocks(thing, spot[0], opening) for opening in openings))


def _blocks(thing: Thing, place: Vector, opening: Opening) -> bool:
    """Whether a thing at a place is before an opening and reaches up to it."""
    reach, way = max(thing.size[:2]) / 2, np.asarray(place[:2]) - opening.foot
    near = way @ opening.inward < reach + (0.5 if opening.low == 0 else 0.25)
    beside = abs(way @ opening.along) < opening.width / 2 + 0.8 * reach
    return bool(near and beside and thing.size[2] > opening.low + 0.1)


def fit_kitchen(
    rng: np.random.Generator, arrangement: Arrangement, ground: Ground, side: float, openings: Sequence[Opening]
) -> None:
    """Build a row of kitchen units along the back wall, which has no door, from the corner on."""
    look: Look = (str(rng.choice(_FRONT_COLOURS)), str(rng.choice(["wooden", "plastic"])))
    depth, height = round(float(rng.uniform(0.58, 0.64)), 3), round(float(rng.uniform(0.86, 0.92)), 3)
    row = ["kitchen sink", "cooker"] if rng.random() < 0.75 else [str(rng.choice(["kitchen sink", "cooker"]))]
    row = [row[index] for index in rng.permutation(len(row))]
    row.insert(int(rng.integers(len(row) + 1)), "kitchen counter")
    used, number = 0.0, 0
    while used < ground.width - 0.4 and number < 5:
        name = row[number] if number < len(row) else "kitchen counter"
        left = ground.width - used - 0.02
        wide = {"kitchen sink": 1.05, "cooker": 0.6}.get(name, round(float(rng.uniform(0.6, 1.1)), 3))
        number += 1
        if wide > left:
            if name == "kitchen counter" and left < 0.5:
                return
            wide = min(wide, left) if name == "kitchen counter" else wide
        if wide <= left:
            own = ("#e9e9e6" if rng.random() < 0.5 else "#3b3d40", "ceramic") if name == "cooker" else look
            form = {"width": wide, "depth": depth, "height": height}
            unit = fixture(f"{name}-{number}".replace(" ", "-"), name, form, own, (0.0, 0.0, 0.0))
            x = side * (ground.width / 2 - used - unit.size[0] / 2 - 0.002)
            y = ground.depth / 2 - unit.size[1] / 2 - 0.002
            arrangement.lay(fixture(unit.id, name, form, own, (round(x, 4), round(y, 4), 0.0)), ground, 0.0)
            used += unit.size[0] + 0.001


def fit_bathroom(
    rng: np.random.Generator, arrangement: Arrangement, ground: Ground, side: float, openings: Sequence[Opening]
) -> None:
    """Place a bathtub, a washbasin and a toilet along the walls, but not before a door."""
    look: Look = (str(rng.choice(_SANITARY)), "ceramic")
    names = ["bathtub", *(["washbasin", "toilet"] if rng.random() < 0.5 else ["toilet", "washbasin"])]
    for name in names:
        unit = fixture(name, name, {}, look, (0.0, 0.0, 0.0))
        wide, deep = unit.size[:2]
        for _ in range(30):
            back = rng.random() < 0.5
            room = (ground.width if back else ground.depth) - wide - 0.1
            along = float(rng.uniform(-0.5, 0.5)) * max(room, 0.0)
            if name == "bathtub":  # in the corner
                along = (side if back else 1.0) * room / 2
            away = (ground.depth if back else ground.width) / 2 - deep / 2 - 0.002
            place = (along, away, 0.0) if back else (side * away, along, 0.0)
            turn = 0.0 if back else -90.0 * side
            x, y, z = (round(part, 4) for part in place)
            if any(opening.low == 0 and _blocks(unit, place, opening) for opening in openings):
                continue
            if arrangement.lay(fixture(name, name, {}, look, (x, y, z), yaw(turn)), ground, 0.0):
                break
