"""Collages: cut-outs with exact alpha in front of photographs or drawn grounds, with shadows and exact masks."""

from ._collage import GROUNDS, Background, Collage, Light, Piece
from ._library import Cutout, Folder, Library, Photographs
from ._make import make_collage
from ._named import SolidCutouts, TuxPaintStamps
from ._render import CollageLayers, Entity, collage_sheet, entities, read_collage, render_collage, write_collage

__all__ = [
    "GROUNDS",
    "Background",
    "Collage",
    "CollageLayers",
    "Cutout",
    "Entity",
    "Folder",
    "Library",
    "Light",
    "Photographs",
    "Piece",
    "SolidCutouts",
    "TuxPaintStamps",
    "collage_sheet",
    "entities",
    "make_collage",
    "read_collage",
    "render_collage",
    "write_collage",
]
