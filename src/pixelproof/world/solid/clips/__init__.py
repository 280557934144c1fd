"""Clips of solid scenes: sliding, rolling or lifted things and moving cameras, with tracks."""

from ._clip import CameraMove, Move, SolidClip, ease
from ._files import Seen, clip_sheet, read_clip, render_clip, tracks, write_clip, write_webp
from ._make import MOTIONS, make_clip, worst_overlap
from ._recipe import SolidClipRecipe

__all__ = [
    "MOTIONS",
    "CameraMove",
    "Move",
    "Seen",
    "SolidClip",
    "SolidClipRecipe",
    "clip_sheet",
    "ease",
    "make_clip",
    "read_clip",
    "render_clip",
    "tracks",
    "worst_overlap",
    "write_clip",
    "write_webp",
]
