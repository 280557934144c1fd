"""Where things can stand, and whether one stands on or lies in another: by geometry, for scenes read from pictures."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid import Scene, rotation_matrix
from pixelproof.world.solid._hollows import hollow_of
from pixelproof.world.solid._poses import vector
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.layouts._placing import Ground, grounds, is_inside, outline

from ._containers import is_container
from ._transforms import foot, pivot

_LEVEL = 0.02
"""Largest distance of a thing's lowest point from the surface that it stands on, in metres."""


def level_surfaces(scene: Scene) -> list[Ground]:
    """All level surfaces of the things of a scene, and the floors of upright containers, in the world."""
    surfaces = [ground for thing in scene.things for ground in grounds(thing)]
    for thing in scene.things:
        hollow, turn = hollow_of(thing), rotation_matrix(thing.rotation)
        if is_container(thing) and hollow is not None and turn[2, 2] > 0.999:
            centre = vector(turn @ np.multiply(thing.scale, hollow.centre) + thing.position)
            along = turn[:2, 0] / np.linalg.norm(turn[:2, 0])
            surfaces.append(Ground(thing.id, centre, along, thing.scale * hollow.width, thing.scale * hollow.depth))
    return surfaces


def rests_on(scene: Scene, id: str, other: str) -> bool:
    """Whether the foot of a thing is on a level surface of another, or in its hollow if that is a container.

    The `support` that the scene states does not count.

    Args:
        scene: The scene; it must have both things.
        id: Id of the thing.
        other: Id of what it may stand on.
    """
    thing, below = scene.thing(id), scene.thing(other)
    place, low = pivot(thing)[None, :2], foot(thing)
    if any(abs(ground.centre[2] - low) <= _LEVEL and ground.inset(place) >= 0 for ground in grounds(below)):
        return True
    rim = float(max(piece[:, 2].max() for piece in corners(below)))
    within = foot(below) - 0.001 <= low < rim
    return is_container(below) and within and is_inside(place[0], outline(below))
