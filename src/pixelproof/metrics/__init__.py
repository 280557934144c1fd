"""Pure functions on arrays: no files, no models, no state.

The functions here describe a drawing given as a grid of palette indices (an integer array of h × w cells, neither
zero). All lie in [0, 1]. They describe; they do not praise: noise reaches the top of several of them.
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

__all__ = [
    "background",
    "colour_efficiency",
    "continuity",
    "edge_density",
    "entropy",
    "fill_balance",
    "horizontal_symmetry",
    "palette_validity",
    "vertical_symmetry",
]
