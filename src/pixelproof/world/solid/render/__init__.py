"""Rendering of solid scenes: RGB, and exact ground truth for every pixel."""

from ._compiled import compilation
from ._layers import LAYERS, Layers, Quality
from ._render import compiles, render, render_pair

__all__ = [
    "LAYERS",
    "Layers",
    "Quality",
    "compilation",
    "compiles",
    "render",
    "render_pair",
]
