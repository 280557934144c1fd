"""Poses of things: standing, lying, facing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pixelproof.world.solid._poses import Quaternion, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._scene import Thing

_HALF = 0.5**0.5
ON_ITS_SIDE: Quaternion = (_HALF, 0.0, _HALF, 0.0)
"""Rotation that puts the up axis along x."""
SPINE_OUT: Quaternion = (0.5, 0.5, 0.5, 0.5)
"""Rotation of a book, which is modelled lying with its spine to the left."""
LYING = {"bottle": 0.15, "jar": 0.08, "salt shaker": 0.1}
"""Category → probability of lying on its side."""


def sample_pose(rng: np.random.Generator, thing: Thing, standing: float = 0.0) -> Thing:
    """A thing in its default pose, or lying with the probability of its category.

    Args:
        rng: Random generator.
        thing: The thing in its default pose.
        standing: Probability that a book stands with its spine to the front.
    """
    if thing.category == "book":
        return replace(thing, rotation=SPINE_OUT) if rng.random() < standing else thing
    return replace(thing, rotation=ON_ITS_SIDE) if rng.random() < LYING.get(thing.category, 0.0) else thing


def turned(thing: Thing, degrees: float) -> Thing:
    """Rotate a thing about the vertical axis."""
    return replace(thing, rotation=quaternion(rotation_matrix(yaw(degrees)) @ rotation_matrix(thing.rotation)))


def turns(rng: np.random.Generator, thing: Thing, azimuth: float, spread: float) -> Iterator[float]:
    """Infinite random rotations of a thing in degrees; a front faces the viewer.

    Args:
        rng: Random generator.
        thing: The thing.
        azimuth: Direction of the viewer in degrees.
        spread: Maximum deviation from facing the viewer in degrees; at most 50 for things with a front.
    """
    reach = min(spread, 50.0) if thing.front is not None else spread
    while True:
        yield azimuth + float(rng.uniform(-reach, reach))
