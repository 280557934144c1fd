"""Where light comes from: lamps, the sun, and everywhere."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector
from pixelproof.world.solid._scene import Scene

from ._compiled import inlined
from ._vectors import along, minus, row

REACHING = 0.6
"""Share of the light that is thought to reach a surface where nothing more is known."""


class Lamps(NamedTuple):
    """All light of a scene as arrays, for compiled loops; the origin is the camera."""

    place: Floats
    """(l, 3) of lamps; of the sun, the direction to it."""
    sun: npt.NDArray[np.bool_]
    radius: Floats
    power: Floats
    """(l, 3) linear RGB."""
    sky: Floats
    """(3, 3) linear RGB from below, from the horizon and from above."""


def lamps(scene: Scene) -> Lamps:
    """The lights and the environment of a scene."""
    places, sun = np.empty((len(scene.lights), 3)), np.array([light.kind == "sun" for light in scene.lights], np.bool_)
    for index, light in enumerate(scene.lights):
        place = np.array(light.position)
        places[index] = place / np.linalg.norm(place) if sun[index] else place - scene.camera.position
    radius = np.array([light.radius for light in scene.lights], np.float64)
    power = np.array([light.power for light in scene.lights], np.float64).reshape(-1, 3)
    around = scene.environment
    return Lamps(places, sun, radius, power, np.array([around.ground, around.horizon, around.zenith]))


@inlined
def towards(lamps: Lamps, lamp: int, point: Vector) -> tuple[Vector, float, float]:
    """The direction to a lamp, how far it is, and the share of its power that reaches a point; the sun is at one."""
    place = row(lamps.place, lamp)
    if lamps.sun[lamp]:
        return place, 1.0, 1.0
    way = minus(place, point)
    square = max(way[0] * way[0] + way[1] * way[1] + way[2] * way[2], 1e-6)
    far = math.sqrt(square)
    return (way[0] / far, way[1] / far, way[2] / far), far, 1 / square


@inlined
def sky(lamps: Lamps, height: float) -> Vector:
    """Light from a direction, by how far it points up: from -1 to 1."""
    horizon = row(lamps.sky, 1)
    if height >= 0:
        return along(horizon, minus(row(lamps.sky, 2), horizon), height * (2 - height))
    share = min(1.0, -4 * height)
    return along(horizon, minus(row(lamps.sky, 0), horizon), share * (2 - share))


@inlined
def half_sky(lamps: Lamps, height: float) -> Vector:
    """The mean light from all directions around a normal, by how far it points up."""
    up = 0.5 + 0.5 * height
    ground, horizon, zenith = row(lamps.sky, 0), row(lamps.sky, 1), row(lamps.sky, 2)
    above = along(zenith, minus(horizon, zenith), 0.5)
    return along(ground, minus(above, ground), up)
