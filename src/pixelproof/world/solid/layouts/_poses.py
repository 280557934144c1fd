"""How things stand or lie, and where they look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pixelproof.world.solid._poses import Quaternion, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._scene import Thing

_HALF = 0.5**0.5
ON_ITS_SIDE: Quaternion = (_HALF, 0.0, _HALF, 0.0)
"""Its up axis along x."""
SPINE_OUT: Quaternion = (0.5, 0.5, 0.5, 0.5)
"""Of a book, which is built lying with its spine to the left."""
LYING = {"bottle": 0.15, "jar": 0.08, "salt shaker": 0.1}
"""Categories that are at times found on their side, and how often."""


def posed(rng: np.random.Generator, thing: Thing, standing: float = 0.0) -> Thing:
    """A thing as it is built, or now and then lying if it is of a kind that lies.

    Args:
        rng: Where chance comes from.
        thing: As it is built.
        standing: How often a book stands with its spine to the front instead of lying.
    """
    if thing.category == "book":
        return replace(thing, rotation=SPINE_OUT) if rng.random() < standing else thing
    return replace(thing, rotation=ON_ITS_SIDE) if rng.random() < LYING.get(thing.category, 0.0) else thing


def turned(thing: Thing, degrees: float) -> Thing:
    """A thing turned about the vertical, on top of how it is turned already."""
    return replace(thing, rotation=quaternion(rotation_matrix(yaw(degrees)) @ rotation_matrix(thing.rotation)))


def turns(rng: np.random.Generator, thing: Thing, azimuth: float, spread: float) -> Iterator[float]:
    """Natural turns of a thing in degrees, without end: what has a front shows it to the viewer.

    Args:
        rng: Where chance comes from.
        thing: That is turned.
        azimuth: Direction of the viewer, in degrees.
        spread: Degrees by which a turn differs from facing the viewer; fronts are never turned further than 50.
    """
    reach = min(spread, 50.0) if thing.front is not None else spread
    while True:
        yield azimuth + float(rng.uniform(-reach, reach))
