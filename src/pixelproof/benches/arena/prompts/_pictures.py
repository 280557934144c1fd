"""Images of a palette: a swatch and a name for each label, 20 per page."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from pixelproof.contract import Artefact
from pixelproof.pixels import Palette

PER_PAGE = 20
COLUMNS = 4
_CELL = (240, 200)
_SWATCH = 120
_MARGIN = 16
_LARGEST, _SMALLEST = 24, 9


@lru_cache(64)
def palette_pictures(palette: Palette) -> tuple[Artefact, ...]:
    """Pages of a palette: four columns on white, a square of the exact colour, the label in bold below it.

    >>> len(palette_pictures(Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))))
    1
    """
    places = range(0, len(palette), PER_PAGE)
    return tuple(_page(palette.subset(palette.labels[place : place + PER_PAGE])) for place in places)


def _page(palette: Palette) -> Artefact:
    columns = min(COLUMNS, len(palette))
    rows = -(-len(palette) // columns)
    image = Image.new("RGB", (columns * _CELL[0] + 2 * _MARGIN, rows * _CELL[1] + 2 * _MARGIN), "white")
    pen = ImageDraw.Draw(image)
    for place, (label, colour) in enumerate(zip(palette.labels, palette.colours, strict=True)):
        left = _MARGIN + place % columns * _CELL[0] + (_CELL[0] - _SWATCH) // 2
        top = _MARGIN + place // columns * _CELL[1] + 8
        pen.rectangle((left, top, left + _SWATCH - 1, top + _SWATCH - 1), fill=colour, outline="black")
        middle = (left + _SWATCH / 2, top + _SWATCH + 12)
        # Pillow's built-in font is the same on every machine but has one weight: a thin stroke makes it bold.
        pen.text(middle, label, "black", _font(label), "ma", stroke_width=0.4, stroke_fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return Artefact(buffer.getvalue(), "image/png")


def _font(label: str) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The largest font size at which the label fits into its cell."""
    for size in range(_LARGEST, _SMALLEST, -1):
        font = ImageFont.load_default(size)
        if font.getlength(label) <= _CELL[0] - 12:
            break
    return font
