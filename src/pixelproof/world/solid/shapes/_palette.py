"""Colours and paints that several families use."""

from __future__ import annotations

from pixelproof.world._colours import COLOURS
from pixelproof.world.solid._category import Paint

ANY = tuple(COLOURS)
LIVELY = ("red", "orange", "yellow", "green", "teal", "cyan", "blue", "navy", "purple", "pink")
PLAIN = ("white", "grey", "black")
FURNITURE = ("brown", "beige", "white", "black", "grey", "teal", "green", "red", "navy")
CLOTH = ("grey", "beige", "teal", "navy", "green", "red", "orange", "yellow", "pink", "purple", "brown", "blue")

STEEL = Paint("grey", "metal")
BRASS = Paint("#c99a3c", "metal")
BLACK = Paint("black", "plastic")
RUBBER = Paint("black", "rubber")
WHITE = Paint("white", "plastic")
RED = Paint("red", "plastic")
TOY_WOOD = Paint("#c79a5f", "wooden")
DARK_WOOD = Paint("#4a3222", "wooden")
LIGHT_WOOD = Paint("#b5834f", "wooden")
GLOW = Paint("#fff4c8", "plastic")
"""Paint of a bulb or lamp glass."""
