"""Flat scenes and clips: shapes, plates with codes and noise; one renderer for CPU and GPU."""

from ._atlas import TEXTURES
from ._clip import Change, Clip, Motion
from ._display import DisplayList, lower
from ._glyphs import ALPHABET, FONTS
from ._make_clip import make_clip
from ._make_scene import make_flat
from ._render import draw, draw_clip, label_maps, render, thumbnail
from ._sampling import contrasting_colours
from ._scene import Background, FlatScene, Sprite, rgb
from ._shapes import SHAPES, Shape
from ._truth import Glyph, Seen, Truth, tracks, truth

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
