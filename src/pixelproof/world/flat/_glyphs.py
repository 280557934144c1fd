"""Fonts of plates: a bitmap font and a scalable font whose glyphs all have the same amount of ink.

Codes must be unreadable in a thumbnail. A glyph fills one cell of 8 × 8 pixels on a grid of 8 pixels, so a thumbnail
that averages 8 × 8 pixels keeps only the amount of ink, which is the same for all glyphs.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name

CELL = 8
"""Cell size of the bitmap font at scale 1: 5 × 7 pixels plus spacing."""
FONTS = ("5x7", "sans")

_BITMAPS = {
    "3": "##### ...#. ..#.. .###. ....# #...# .###.",
    "4": "...#. ..##. .#.#. #..#. ##### ...#. ..###",
    "5": "####. #.... ####. ....# ....# #...# .###.",
    "A": "..#.. .#.#. #...# #...# ##### #...# #...#",
    "D": "###.. #..#. #...# #...# #...# #..#. ###..",
    "E": "####. #.... #.... ####. #.... #.... ####.",
    "G": ".#### #.... #.... #..## #...# #...# .###.",
    "H": "#..#. #..#. #..#. ####. #..#. #..#. #..#.",
    "K": "#...# #..#. ###.. ##... ###.. #..#. #...#",
    "P": "####. .#..# .#..# .###. .#... .#... ###..",
    "R": "###.. #..#. #..#. ###.. #.#.. #..#. #...#",
    "S": ".#### #...# #.... .###. ....# ....# ####.",
    "U": "#...# #...# #...# #...# #...# #..## .##.#",
    "W": "#...# #...# #...# #...# #.#.# #.#.# .#.#.",
    "X": "##.## .#.#. .#.#. ..#.. ..#.. .#.#. ##.##",
    "Z": "##### ....# ...#. .##.. .#... #.... #####",
}
ALPHABET = "".join(_BITMAPS)
"""Characters of codes: 16 glyphs of 16 pixels each, any two of which differ in at least 6 pixels."""

Tile = npt.NDArray[np.float32]


@lru_cache(maxsize=64)
def glyph_tiles(font: str, cell: int) -> dict[str, Tile]:
    """Character → ink coverage of each pixel of its cell, from 0 to 1.

    >>> tiles = glyph_tiles("5x7", 8)
    >>> tiles["A"].shape, {float(tile.sum()) for tile in tiles.values()}
    ((8, 8), {16.0})

    Args:
        font: `5x7`, or `sans`, the scalable font that comes with Pillow.
        cell: Side of the cell in pixels; for `5x7` a multiple of 8.
    """
    if font == "5x7":
        if cell < CELL or cell % CELL:
            raise PixelProofError(
                f"Plates in 5x7 have cells of a multiple of {CELL} pixels, not {cell}: change their size."
            )
        return {character: _bitmap(rows, cell // CELL) for character, rows in _BITMAPS.items()}
    if font == "sans":
        if cell < CELL:
            raise PixelProofError(
                f"Plates in sans have cells of {CELL} pixels at least, not {cell}: change their size."
            )
        return _scaled_font(cell)
    raise unknown_name("font", font, FONTS)


def _bitmap(rows: str, scale: int) -> Tile:
    tile = np.zeros((CELL, CELL), np.float32)
    tile[:7, 1:6] = [[mark == "#" for mark in row] for row in rows.split()]
    return tile.repeat(scale, axis=0).repeat(scale, axis=1)


def _scaled_font(cell: int) -> dict[str, Tile]:
    from PIL import Image, ImageDraw, ImageFont

    fine = 8 * cell
    font = ImageFont.load_default(fine)
    height, widest = round(7 * cell / 8), round(6 * cell / 8)
    tiles = {}
    for character in ALPHABET:
        image = Image.new("L", (2 * fine, 2 * fine))
        ImageDraw.Draw(image).text((fine // 2, fine // 2), character, fill=255, font=font, stroke_width=fine // 40)
        glyph = image.crop(image.getbbox())
        width = min(widest, round(glyph.width * height / glyph.height))
        tile = np.zeros((cell, cell), np.float32)
        left = (cell - width) // 2
        tile[:height, left : left + width] = np.asarray(glyph.resize((width, height), Image.Resampling.BOX)) / 255
        tiles[character] = tile
    # Glyphs with more ink are drawn fainter, so that a thumbnail cannot distinguish a W from a 4.
    lightest = min(tile.sum() for tile in tiles.values())
    return {character: tile * (lightest / tile.sum()) for character, tile in tiles.items()}
