"""Palettes: the published one of faces, designed ones, variants, and the ceiling of a palette."""

from ._designed import design, designed
from ._faces import FACES
from ._geometry import Geometry, geometry, measurable, mosaic, mosaic_ceiling
from ._variants import fresh, permuted, renamed

__all__ = [
    "FACES",
    "Geometry",
    "design",
    "designed",
    "fresh",
    "geometry",
    "measurable",
    "mosaic",
    "mosaic_ceiling",
    "permuted",
    "renamed",
]
