"""Things in containers: where a thing comes to rest that is put into a bowl, a mug or a basket."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.world.solid import Scene, Thing, rotation_matrix
from pixelproof.world.solid._hollows import hollow_of
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid._settle import corners, settle
from pixelproof.world.solid._surfaces import surfaces_of

from ._transforms import foot, pivot, shifted

_GAP = 0.001
"""Height above the inner floor from which a thing is let down, in metres."""
_MOST_TILT = 8.0
"""Largest tilt of a thing when it comes to rest, in degrees: it stands or lies in the container as it did outside."""
_MOST_TURN = 12.0
"""Largest rotation of a thing when it comes to rest, about any axis, in degrees."""
_MOST_SLIDE = 0.02
"""Largest distance that a thing slides when it comes to rest, in metres."""
_OUT = 0.7
"""Largest share of the height of a thing that may be above the rim of the container."""


def is_container(thing: Thing) -> bool:
    """Whether things that are put into a thing come to rest in its hollow, which has no level surface."""
    return hollow_of(thing) is not None and not surfaces_of(thing)


def dropped(scene: Scene, thing: Thing, container: Thing) -> Thing | None:
    """A thing at rest in an upright container, almost in its rotation; None if it does not fit, turns or slides.

    Args:
        scene: The scene.
        thing: The thing; it carries nothing.
        container: A thing with a hollow.
    """
    hollow = hollow_of(container)
    turn = rotation_matrix(container.rotation)
    if hollow is None or turn[2, 2] < 0.999:
        return None
    floor = turn @ np.multiply(container.scale, hollow.centre) + container.position
    if min(np.ptp(_outline(thing), axis=0)) > container.scale * max(hollow.width, hollow.depth):
        return None
    held = replace(shifted(thing, floor + (0.0, 0.0, _GAP) - pivot(thing)), support=container.id)
    around = [other for other in scene.things if other.id != thing.id]
    rested = settle((*around, held))
    if rested is None:
        return None
    there = rested[-1]
    turned = rotation_matrix(there.rotation) @ rotation_matrix(held.rotation).T
    tilt = float(np.degrees(np.arccos(np.clip(turned[2, 2], -1, 1))))
    turn_deg = float(np.degrees(np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1))))
    slide = float(np.linalg.norm((pivot(there) - pivot(held))[:2]))
    rim = float(max(piece[:, 2].max() for piece in corners(container)))
    top = float(max(piece[:, 2].max() for piece in corners(there)))
    if there.support != container.id or tilt > _MOST_TILT or turn_deg > _MOST_TURN or slide > _MOST_SLIDE:
        return None
    return there if top - rim <= _OUT * (top - foot(there)) else None


def _outline(thing: Thing) -> Floats:
    return np.concatenate(corners(thing))[:, :2]
