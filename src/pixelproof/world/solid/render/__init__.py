"""Rendering of solid scenes: RGB, and exact ground truth for every pixel."""

from ._compiled import compilation
from ._layers import LAYERS, Layers, Quality
from ._render import compiles, render, render_pair
from ._renderers import Renderer, get_renderer

__all__ = [
    "LAYERS",
    "Layers",
    "Quality",
    "Renderer",
    "compilation",
    "compiles",
    "get_renderer",
    "render",
    "render_pair",
]
