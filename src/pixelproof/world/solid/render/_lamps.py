"""Light sources as arrays: lamps, the sun, and the sky."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector
from pixelproof.world.solid._scene import Scene

from ._compiled import inlined
from ._vectors import add_scaled, row, subtract

REACHING = 0.6
"""Assumed share of unoccluded light, where no rays are traced."""


class Lamps(NamedTuple):
    """All light sources of a scene, for compiled loops; the origin is the camera."""

    place: Floats
    """(l, 3) position of a lamp; direction to the sun."""
    sun: npt.NDArray[np.bool_]
    radius: Floats
    power: Floats
    """(l, 3) linear RGB."""
    sky: Floats
    """(3, 3) linear RGB of ground, horizon and zenith."""
    outdoors: Floats
    """(3,) factor of the sky where the camera sees it."""


def lamps(scene: Scene) -> Lamps:
    """The lights and the environment of a scene."""
    places, sun = np.empty((len(scene.lights), 3)), np.array([light.kind == "sun" for light in scene.lights], np.bool_)
    for index, light in enumerate(scene.lights):
        place = np.array(light.position)
        places[index] = place / np.linalg.norm(place) if sun[index] else place - scene.camera.position
    radius = np.array([light.radius for light in scene.lights], np.float64)
    power = np.array([light.power for light in scene.lights], np.float64).reshape(-1, 3)
    around = scene.environment
    return Lamps(
        places,
        sun,
        radius,
        power,
        np.array([around.ground, around.horizon, around.zenith]),
        np.array(around.outdoors),
    )


@inlined
def direction_to(lamps: Lamps, lamp: int, point: Vector) -> tuple[Vector, float, float]:
    """Unit direction to a lamp, its distance, and the attenuation of its power; (direction, 1, 1) for the sun."""
    place = row(lamps.place, lamp)
    if lamps.sun[lamp]:
        return place, 1.0, 1.0
    way = subtract(place, point)
    square = max(way[0] * way[0] + way[1] * way[1] + way[2] * way[2], 1e-6)
    far = math.sqrt(square)
    return (way[0] / far, way[1] / far, way[2] / far), far, 1 / square


@inlined
def sky(lamps: Lamps, height: float) -> Vector:
    """Sky radiance from a unit direction with z component `height`."""
    horizon = row(lamps.sky, 1)
    if height >= 0:
        return add_scaled(horizon, subtract(row(lamps.sky, 2), horizon), height * (2 - height))
    share = min(1.0, -4 * height)
    return add_scaled(horizon, subtract(row(lamps.sky, 0), horizon), share * (2 - share))


@inlined
def hemisphere_sky(lamps: Lamps, height: float) -> Vector:
    """Mean sky radiance over the hemisphere of a normal with z component `height`."""
    up = 0.5 + 0.5 * height
    ground, horizon, zenith = row(lamps.sky, 0), row(lamps.sky, 1), row(lamps.sky, 2)
    above = add_scaled(zenith, subtract(horizon, zenith), 0.5)
    return add_scaled(ground, subtract(above, ground), up)
