"""Tabletop scenes: small things on a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pixelproof.world.solid._rules import least_visible
from pixelproof.world.solid._sampling import choose
from pixelproof.world.solid._scene import Scene, Thing
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.shapes import CATEGORIES

from ._company import suits
from ._placing import Arrangement, Ground, Sketch, Spot, area, frame_points, grounds, outline, sample_pose, turns
from ._request import SPARES, SceneRequest
from ._surroundings import (
    FLOORS,
    TOPS,
    WALLS,
    fixture,
    low_contrast_colours,
    pick,
    room_corner,
    sample_lighting,
    side_azimuths,
)

LAYOUTS = ("scattered", "rows", "groups", "ring")
HEIGHT = 0.74
SMALLEST, LARGEST = 0.03, 0.35
"""Maximum longest side of a thing in metres."""
_FAMILIES = ("furniture", "structure")


def draw(rng: np.random.Generator, request: SceneRequest) -> tuple[Scene, int] | None:
    """An unsettled tabletop scene and the required number of things; None if they do not fit."""
    layout = request.layout(rng, LAYOUTS)
    top = pick(rng, TOPS)
    names = [name for name, category in CATEGORIES.items() if category.family not in _FAMILIES]
    count = request.things or int(rng.integers(5, 13))
    taste = request.taste(low_contrast_colours(top))
    drawn = choose(rng, names, count + SPARES, taste, lambda thing: SMALLEST <= max(thing.size) <= LARGEST)
    if len(drawn) < count:
        return None
    chosen, spares = sorted(drawn[:count], key=lambda thing: -area(outline(thing))), drawn[count:]
    radius = math.sqrt(sum(area(outline(thing)) for thing in chosen) / (math.pi * (0.16 + 0.42 * request.clutter)))
    surroundings = _surroundings(rng, radius, top)
    ground = grounds(surroundings[-1])[0]
    azimuth, elevation = float(rng.uniform(-35, 35)), 54 - 20 * request.occlusion + float(rng.uniform(-4, 4))
    focal = round(float(rng.uniform(1.1, 1.5)), 3)
    view = frame_points(_disc(radius), azimuth, elevation, focal)
    arrangement = Arrangement(surroundings, Sketch(view), least_visible(request.occlusion) + 0.04)
    apart = 0.006 + 0.04 * (1 - request.clutter)
    for thing, centre in zip(chosen, _centres(rng, layout, radius, chosen, apart), strict=True):
        for candidate in (thing, *spares):
            turn = turns(rng, candidate, *((0.0, 10.0) if layout == "rows" else (azimuth, 180.0)))
            if _put(rng, arrangement, sample_pose(rng, candidate), ground, _spots(rng, ground, centre, turn), apart):
                spares = [spare for spare in spares if spare is not candidate]
                break
        else:
            return None
    points = np.concatenate([piece for thing in arrangement.movable for piece in corners(thing)])
    camera = frame_points(points, azimuth, elevation, focal, float(rng.uniform(0.03, 0.07)))
    lights, environment = sample_lighting(rng, (0.0, 0.0, HEIGHT), side_azimuths(rng, azimuth, 35, 80), (45, 65), 1.6)
    return request.scene(arrangement.things, camera, lights, environment, layout), count


def _put(
    rng: np.random.Generator,
    arrangement: Arrangement,
    thing: Thing,
    table: Ground,
    spots: Iterator[Spot],
    apart: float,
) -> bool:
    """Place a thing on the table, or sometimes on another thing."""
    if rng.random() < 0.35:
        bearers = [other for other in arrangement.movable if suits(other.category, thing.category)]
        hosts = [host for other in bearers for host in grounds(other)]
        for index in rng.permutation(len(hosts))[:3]:
            host = hosts[index]
            tries = ((host.at(*rng.uniform(-0.4, 0.4, 2)), turn) for turn in rng.uniform(0, 360, 4))
            if arrangement.put(thing, host, tries, 0.004, 0.003):
                return True
    return arrangement.put(thing, table, spots, apart, 0.02)


def _spots(
    rng: np.random.Generator, ground: Ground, centre: tuple[float, float, float], turn: Iterator[float]
) -> Iterator[Spot]:
    """Spots around a centre, at growing distances."""
    x, y, reach = centre
    for step in range(60):
        away = reach * (1 + step / 30) * math.sqrt(rng.random())
        angle = rng.uniform(0, 2 * math.pi)
        place = (x + away * math.cos(angle), y + away * math.sin(angle), ground.centre[2])
        yield place, next(turn)


def _surroundings(rng: np.random.Generator, radius: float, top: tuple[str, str]) -> list[Thing]:
    floor, wall = room_corner(5.0, 4.4, 2.6, pick(rng, FLOORS), pick(rng, WALLS), -1.0)[:2]
    width = min(max(1.3, 3.2 * radius), 2.2) * float(rng.uniform(1.0, 1.15))
    thick = float(rng.uniform(0.025, 0.045))
    form = {"width": width, "depth": min(max(0.85, 2.6 * radius), 1.3), "thickness": thick}
    table = fixture("tabletop", "tabletop", form, top, (0.0, 0.0, HEIGHT - round(thick, 4)))
    return [floor, wall, table]


def _disc(radius: float) -> np.ndarray:
    angles = np.linspace(0, 2 * math.pi, 16, endpoint=False)
    ring = np.column_stack([radius * np.cos(angles), radius * np.sin(angles)])
    return np.concatenate([np.column_stack([ring, np.full(16, HEIGHT + height)]) for height in (0.0, 0.15)])


def _centres(
    rng: np.random.Generator, layout: str, radius: float, things: Sequence[Thing], apart: float
) -> list[tuple[float, float, float]]:
    """For each thing, the point (x, y) around which it is placed, and the initial distance."""
    if layout == "rows":
        return _rows(rng, things, apart)
    if layout == "scattered":
        return [(0.0, 0.0, radius)] * len(things)
    places = len(things) if layout == "ring" else 3
    away, reach = (0.85, 0.08) if layout == "ring" else (0.62, 0.35)
    angles = rng.uniform(0, 2 * math.pi) + np.arange(places) * 2 * math.pi / places
    return [
        (away * radius * math.cos(angles[place]), away * radius * math.sin(angles[place]), reach * radius)
        for place in (rng.permutation(len(things)) % places).tolist()
    ]


def _rows(rng: np.random.Generator, things: Sequence[Thing], apart: float) -> list[tuple[float, float, float]]:
    """Positions of things side by side in rows, each as deep as its deepest thing."""
    columns = math.ceil(math.sqrt(len(things)))
    extents = [np.ptp(outline(thing), axis=0) * 1.15 + apart for thing in things]
    order = rng.permutation(len(things)).tolist()
    centres: dict[int, tuple[float, float]] = {}
    low = 0.0
    for row in (order[start : start + columns] for start in range(0, len(order), columns)):
        depth = max(extents[index][1] for index in row)
        left = -sum(extents[index][0] for index in row) / 2
        for index in row:
            centres[index] = (left + extents[index][0] / 2, low + depth / 2)
            left += extents[index][0]
        low += depth
    return [(centres[index][0], centres[index][1] - low / 2, 0.006) for index in range(len(things))]
