"""Pure functions on arrays: no files, no models, no state.

Most describe a drawing given as a grid of palette indices (an integer array of h × w cells, neither zero). Those lie
in [0, 1]. They describe; they do not praise: noise reaches the top of several of them. `oklab` and `drawing_features`
are for comparing colours and pictures by what the eye sees.
"""

from pixelproof.metrics._drawing import (
    background,
    colour_efficiency,
    continuity,
    edge_density,
    entropy,
    fill_balance,
    horizontal_symmetry,
    palette_validity,
    vertical_symmetry,
)
from pixelproof.metrics._oklab import drawing_features, oklab

__all__ = [
    "background",
    "colour_efficiency",
    "continuity",
    "drawing_features",
    "edge_density",
    "entropy",
    "fill_balance",
    "horizontal_symmetry",
    "oklab",
    "palette_validity",
    "vertical_symmetry",
]
