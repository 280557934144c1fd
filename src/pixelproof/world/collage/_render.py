"""From a collage to its picture and the truth of every pixel.

Pieces are composited in linear light with premultiplied alpha. A pixel belongs to a piece where the alpha of that piece
is a half or more, and to the nearest of those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Box
from pixelproof.world._limits import LARGEST

from ._collage import Collage, Piece
from ._grounds import backdrop
from ._library import Library, Photographs, Pixels
from ._sampling import Floats, Placed, pasted, premultiplied, to_srgb
from ._shadows import shade_of

Mask = npt.NDArray[np.bool_]

LEAST = 8
"""Pixels of a side."""
HALF = 0.5
_WEIGHTS = np.array([0.2126, 0.7152, 0.0722], np.float32)
"""Of linear red, green and blue in luminance."""
_TINT = 0.14
"""How far a piece takes on the colour of its surroundings, from 0 to 1."""
_GAIN = 0.16
"""How far it takes on their brightness."""


@dataclass(frozen=True, eq=False)
class CollageLayers:
    """The picture, and what each piece is in it."""

    rgb: Pixels
    """(h, w, 3) sRGB."""
    ids: npt.NDArray[np.uint16]
    """(h, w) place in the collage's pieces, counted from 1; 0 is the background."""
    alpha: Floats
    """(pieces, h, w) how much of each pixel a piece covers, hidden or not."""
    visible: Floats
    """(pieces,) share of its pixels in which a piece is seen; zero for what is out of the picture."""

    @property
    def amodal(self) -> Mask:
        """(pieces, h, w) the pixels that a piece has in the picture, hidden or not."""
        return np.asarray(self.alpha >= HALF)

    def mask(self, place: int) -> Mask:
        """The pixels in which a piece is seen, by its place in the collage, from 0."""
        return np.asarray(self.ids == place + 1)


def render_collage(
    collage: Collage,
    library: Library,
    width: int = 512,
    height: int | None = None,
    *,
    photographs: Photographs | None = None,
) -> CollageLayers:
    """Draw a collage; the same collage, pixels and size give the same bytes.

    Args:
        collage: What to draw.
        library: That has its cut-outs.
        width: Of the picture, in pixels.
        height: As the collage's aspect asks, to within a pixel; that height if not given.
        photographs: That have its background, where that is a photograph.

    Raises:
        PixelProofError: The size is not possible, or a cut-out or photograph is missing or cannot be used.
    """
    height = round(width / collage.aspect) if height is None else height
    if not (LEAST <= width <= LARGEST and LEAST <= height <= LARGEST):
        raise PixelProofError(
            f"A collage of {width} × {height} pixels cannot be drawn: choose sides from {LEAST} to {LARGEST}."
        )
    if abs(height - width / collage.aspect) > 1:
        raise PixelProofError(
            f"A picture of {width} × {height} pixels has not the shape of this collage: choose "
            f"{_fitting(width, collage.aspect)}."
        )
    canvas = backdrop(collage.background, photographs, width, height)
    placed = [place(piece, library, width) for piece in collage.pieces]
    drawn = [each.drawn() for each in placed]
    ground = canvas.copy()
    for each, (box, cover) in zip(placed, drawn, strict=True):
        canvas *= (1 - shade_of(each, box, cover[..., 3], collage.light, width, height))[..., None]
    alpha = np.zeros((len(drawn), height, width), np.float32)
    ids = np.zeros((height, width), np.uint16)
    for number, (box, cover) in enumerate(drawn):
        full = pasted(box, _harmonised(cover, box, ground), width, height)
        canvas = full[..., :3] + canvas * (1 - full[..., 3:])
        alpha[number] = full[..., 3]
        ids[alpha[number] >= HALF] = number + 1
    return CollageLayers(to_srgb(canvas), ids, alpha, shares(ids, alpha >= HALF))


def _fitting(width: int, aspect: float) -> str:
    """A size of an aspect that can be drawn, of that width if possible.

    >>> _fitting(512, 2.0), _fitting(8192, 0.5), _fitting(10, 4.0)
    ('512 × 256', '4096 × 8192', '32 × 8')
    """
    width = min(max(width, math.ceil(LEAST * aspect)), math.floor(LARGEST * aspect))
    return f"{width} × {round(width / aspect)}"


def place(piece: Piece, library: Library, width: int) -> Placed:
    """A piece in a picture of some width."""
    sheet = premultiplied(library.pixels(piece.cutout))
    return Placed(sheet, piece.x * width, piece.y * width, piece.size * width, piece.rotation, piece.flip)


def shares(ids: npt.NDArray[np.uint16], amodal: Mask) -> Floats:
    """The share of its pixels in which each piece is seen."""
    seen = np.bincount(ids.ravel(), minlength=len(amodal) + 1)[1:]
    whole = amodal.sum(axis=(1, 2))
    return np.asarray(np.where(whole > 0, seen / np.maximum(whole, 1), 0.0), np.float32)


def _harmonised(cover: Floats, box: Box, ground: Floats) -> Floats:
    """A piece with a little of the colour and the brightness of what is around it."""
    height, width = ground.shape[:2]
    left, right = (min(max(edge, 0), width) for edge in (box[0], box[2]))
    top, bottom = (min(max(edge, 0), height) for edge in (box[1], box[3]))
    around = ground[top:bottom, left:right] if left < right and top < bottom else ground
    mean = np.maximum(around.mean(axis=(0, 1)), 1e-3)
    light = float(mean @ _WEIGHTS)
    gain = np.clip((light / 0.4) ** _GAIN, 0.8, 1.1) * (mean / light) ** _TINT
    return np.concatenate([np.minimum(cover[..., :3] * gain.astype(np.float32), cover[..., 3:]), cover[..., 3:]], -1)
