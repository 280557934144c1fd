"""Flat scenes and clips: shapes, plates with codes and noise; one renderer for CPU and GPU."""

from ._clip import Change, Clip, Motion
from ._display import DisplayList, lower
from ._make_clip import make_clip
from ._make_scene import make_flat
from ._render import Glyph, Seen, Truth, draw, draw_clip, label_maps, render, thumbnail, tracks, truth
from ._sampling import contrasting_colours
from ._scene import Background, FlatScene, Sprite, rgb
from ._shapes import ALPHABET, FONTS, SHAPES, TEXTURES, Shape

__all__ = [
    "ALPHABET",
    "FONTS",
    "SHAPES",
    "TEXTURES",
    "Background",
    "Change",
    "Clip",
    "DisplayList",
    "FlatScene",
    "Glyph",
    "Motion",
    "Seen",
    "Shape",
    "Sprite",
    "Truth",
    "contrasting_colours",
    "draw",
    "draw_clip",
    "label_maps",
    "lower",
    "make_clip",
    "make_flat",
    "render",
    "rgb",
    "thumbnail",
    "tracks",
    "truth",
]
