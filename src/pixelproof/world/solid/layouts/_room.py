"""Room scenes: furniture on the floor, small things on the furniture and beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pixelproof.world.solid._poses import yaw
from pixelproof.world.solid._rules import least_visible
from pixelproof.world.solid._sampling import Taste, choose
from pixelproof.world.solid._scene import Camera, Scene, Thing
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.shapes import CATEGORIES

from ._placing import Arrangement, Ground, Spot, area, grounds, outline
from ._poses import sample_pose, turns
from ._request import SPARES, SceneRequest
from ._sight import Sketch, frame_points
from ._surroundings import FLOORS, RUGS, WALLS, fixture, low_contrast_colours, pick, room_corner, sample_lighting

LAYOUTS = ("walls", "facing", "island")
_SMALL = (0.16, 0.5)
"""Range of the longest side of a small thing, in metres."""
_STOUT = 0.1
"""Minimum of its middle side, in metres."""


def draw(rng: np.random.Generator, request: SceneRequest) -> tuple[Scene, int] | None:
    """An unsettled room scene and the required number of things; None if they do not fit."""
    layout = request.layout(rng, LAYOUTS)
    floor, wall = pick(rng, FLOORS), pick(rng, WALLS)
    furniture, small, count = _chosen(rng, request, Taste(request.split, low_contrast_colours(floor, wall)))
    if len(furniture) + len(small) < count:
        return None
    taken = sum(area(outline(thing)) for thing in furniture)
    room = np.sqrt(taken / (0.3 + 0.12 * request.clutter)) * rng.uniform(0.95, 1.15, 2)
    width, depth = room.clip(2.2, 3.8).round(2).tolist()
    side = float(rng.choice([-1.0, 1.0]))
    azimuth, elevation = -side * float(rng.uniform(32, 50)), float(rng.uniform(17, 24)) + 8 * (1 - request.occlusion)
    focal = round(float(rng.uniform(1.1, 1.4)), 3)
    ground = Ground("floor", (0.0, 0.0, 0.0), np.array([1.0, 0.0]), width, depth)
    box = np.array([(*ground.at(u, v)[:2], z) for u in (-0.9, 0.9) for v in (-0.9, 0.9) for z in (0.0, 1.2)])
    sketch = Sketch(frame_points(box, azimuth, elevation, focal))
    around = room_corner(width, depth, 4.0, floor, wall, side)
    arrangement = Arrangement(around, sketch, least_visible(request.occlusion) + 0.04)
    for thing in furniture:
        spots = _spots(rng, thing, ground, layout, side, azimuth)
        arrangement.put(thing, ground, spots, 0.04 + 0.12 * (1 - request.clutter), 0.02)
    if len(arrangement.movable) < 0.6 * len(furniture):
        return None
    floors = [*_rug(rng, arrangement, ground), ground]
    for thing in small:
        if len(arrangement.movable) < count + SPARES:
            _put_small(rng, arrangement, sample_pose(rng, thing), floors, azimuth)
    if len(arrangement.movable) < count:
        return None
    points = np.concatenate([piece for thing in arrangement.movable for piece in corners(thing)])
    camera = frame_points(points, azimuth, elevation, focal, float(rng.uniform(0.04, 0.07)), low=0.3)
    lamp = (azimuth, azimuth + 50) if side < 0 else (azimuth - 50, azimuth)  # away from the wall at the side
    lights, environment = sample_lighting(rng, (0.0, 0.0, 0.4), lamp, (42, 58), 3.0)
    return request.scene(arrangement.things, camera, lights, environment, layout), count


def _rug(rng: np.random.Generator, arrangement: Arrangement, ground: Ground) -> list[Ground]:
    """Lay a rug in a free area; returns its grounds."""
    look = (str(rng.choice(RUGS)), str(rng.choice(["fabric", "striped", "checked"])))
    for size in (1.0, 0.9, 0.8, 0.7):
        form = {"width": 1.7 * size, "depth": 1.15 * size}
        for _ in range(6):
            place = ground.at(*rng.uniform(-0.5, 0.5, 2))
            rug = fixture("rug", "rug", form, look, place, yaw(float(rng.choice([0.0, 90.0]))), "floor")
            if arrangement.lay(rug, ground, 0.04):
                return grounds(rug)
    return []


def _chosen(rng: np.random.Generator, request: SceneRequest, taste: Taste) -> tuple[list[Thing], list[Thing], int]:
    """Furniture, largest first; small things, with spares; and the required number of both together."""
    large = int(rng.integers(4, 8)) if request.things is None else int(np.clip(round(0.4 * request.things), 1, 7))
    count = large + int(rng.integers(5, 13)) if request.things is None else request.things
    names = [name for name, category in CATEGORIES.items() if category.family == "furniture"]
    furniture = choose(rng, names, large, taste, lambda thing: thing.size[0] < 1.9)
    names = [name for name, category in CATEGORIES.items() if category.family not in ("furniture", "structure")]
    small = choose(rng, names, count - large + 2 * SPARES, taste, _small)
    return sorted(furniture, key=lambda thing: -area(outline(thing))), small, count


def _small(thing: Thing) -> bool:
    return _SMALL[0] <= max(thing.size) <= _SMALL[1] and sorted(thing.size)[1] >= _STOUT


def _spots(
    rng: np.random.Generator, thing: Thing, ground: Ground, layout: str, side: float, azimuth: float
) -> Iterator[Spot]:
    """Candidate spots of a piece of furniture: with its back to a wall, or free-standing."""
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


def _put_small(
    rng: np.random.Generator, arrangement: Arrangement, thing: Thing, floors: list[Ground], azimuth: float
) -> None:
    """Place a small thing on furniture, or on the floor if it is large or nothing else has space."""
    hosts = [ground for other in arrangement.movable for ground in grounds(other)]
    order = [hosts[index] for index in rng.permutation(len(hosts)) if _shows(hosts[index], thing, arrangement.camera)]
    if max(thing.size) > 0.28 and rng.random() < 0.5:
        order = [*floors, *order]
    turn = turns(rng, thing, azimuth, 180.0)
    for ground in [*order, *floors]:
        spots = ((ground.at(*rng.uniform(-0.85, 0.85, 2)), next(turn)) for _ in range(8))
        if arrangement.put(thing, ground, spots, 0.015, 0.015):
            return


def _shows(ground: Ground, thing: Thing, camera: Camera) -> bool:
    """Whether a thing is visible on a ground: not above eye level, and not a low thing deep in a shelf."""
    below = camera.position[2] - ground.centre[2]
    return below > 0.1 and (ground.clearance > 1.0 or thing.size[2] > 0.1)
