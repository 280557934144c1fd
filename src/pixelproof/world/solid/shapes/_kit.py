"""Modelling functions for the families of things.

Solids are `manifold3d.Manifold`: `a + b` is the union, `a - b` the difference, `a ^ b` the intersection; `translate`,
`rotate` (degrees about x, then y, then z), `scale`, `mirror` and `warp_batch` are its methods. Standing solids are
built upwards from z = 0 around the z axis; round ones around the origin.
"""

from ._lines import Points, circle, curve, rounded
from ._solids import (
    Solid,
    ball,
    both,
    cone,
    cylinder,
    ellipsoid,
    extrude,
    hull,
    join,
    lathe,
    skin,
    slab,
    swirl,
    torus,
    tube,
    vessel,
)  # fmt: skip
from ._standing import cut, laid, part, points, slices, stood, walls

__all__ = [
    "Points",
    "Solid",
    "ball",
    "both",
    "circle",
    "cone",
    "curve",
    "cut",
    "cylinder",
    "ellipsoid",
    "extrude",
    "hull",
    "join",
    "laid",
    "lathe",
    "part",
    "points",
    "rounded",
    "skin",
    "slab",
    "slices",
    "stood",
    "swirl",
    "torus",
    "tube",
    "vessel",
    "walls",
]
