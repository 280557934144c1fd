"""The joiner's bench: what a family of things is built with.

Solids are `manifold3d.Manifold`: `a + b` joins, `a - b` cuts away, `a ^ b` keeps what both have; `translate`, `rotate`
(degrees about x, then y, then z), `scale`, `mirror` and `warp_batch` are its own methods. Everything that stands is
built upwards from z = 0 around the z axis; everything round is built around the origin.
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
