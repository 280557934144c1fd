"""Rotational symmetry groups of things."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ._poses import Floats, rotation_matrix

SYMMETRIES = {
    "C1": "none",
    "C2": "half turns about its up axis",
    "C3": "thirds of a turn about its up axis",
    "C4": "quarter turns about its up axis",
    "C5": "fifths of a turn about its up axis",
    "C6": "sixths of a turn about its up axis",
    "C8": "eighths of a turn about its up axis",
    "Cinf": "any turn about its up axis",
    "D2": "half turns about each of its axes, as a brick",
    "D3": "thirds of a turn about its up axis, and upside down",
    "D4": "quarter turns about its up axis, and upside down",
    "D6": "sixths of a turn about its up axis, and upside down",
    "Dinf": "any turn about its up axis, and upside down, as a drum",
    "O": "the 24 rotations of a cube",
    "SO3": "any rotation, as a ball",
}
"""Schoenflies names. Groups that turn a thing upside down rotate it about its centre."""


def turns(symmetry: str) -> float:
    """Period of the symmetry about the up axis in degrees; 0 for continuous symmetry.

    >>> turns("C1"), turns("D4"), turns("Cinf")
    (360.0, 90.0, 0.0)
    """
    if symmetry in ("Cinf", "Dinf", "SO3"):
        return 0.0
    return 360.0 / (4 if symmetry == "O" else int(symmetry[1:]))


def rotations(symmetry: str, steps: int = 36) -> Floats:
    """The rotations of a group, (n, 3, 3); continuous groups are sampled with `steps` per revolution.

    `SO3` cannot be listed.
    """
    if symmetry == "SO3":
        raise ValueError("SO3 is not listed: every rotation belongs to it.")
    if symmetry == "O":
        signed = [
            np.eye(3)[list(order)] * np.array(signs)[:, None]
            for order in itertools.permutations(range(3))
            for signs in itertools.product((1.0, -1.0), repeat=3)
        ]
        return np.array([matrix for matrix in signed if np.linalg.det(matrix) > 0])
    count = steps if symmetry.endswith("inf") else int(symmetry[1:])
    about_up = [_about_up(2 * math.pi * k / count) for k in range(count)]
    over = [np.eye(3)] if symmetry.startswith("C") else [np.eye(3), np.diag([1.0, -1.0, -1.0])]
    return np.array([turn @ flip for flip in over for turn in about_up])


def _about_up(angle: float) -> Floats:
    return rotation_matrix((math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)))
