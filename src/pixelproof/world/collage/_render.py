"""Rendering of collages, with ground truth.

Pieces are composited in linear light with premultiplied alpha. A pixel belongs to the nearest piece whose alpha is at
least one half.
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
"""Smallest image side in pixels."""
HALF = 0.5
_WEIGHTS = np.array([0.2126, 0.7152, 0.0722], np.float32)
"""Luminance weights of linear RGB."""
_TINT = 0.14
"""Strength of the colour adaptation of a piece to its surroundings, from 0 to 1."""
_GAIN = 0.16
"""Strength of the brightness adaptation."""


@dataclass(frozen=True, eq=False)
class CollageLayers:
    """Rendered layers of a collage."""

    rgb: Pixels
    """(h, w, 3) sRGB."""
    ids: npt.NDArray[np.uint16]
    """(h, w) position in the collage's pieces, counted from 1; 0 is the background."""
    alpha: Floats
    """(pieces, h, w) coverage of each pixel by a piece, occluded or not."""
    visible: Floats
    """(pieces,) visible share of each piece; zero outside the image."""

    @property
    def amodal(self) -> Mask:
        """(pieces, h, w) amodal masks."""
        return np.asarray(self.alpha >= HALF)

    def mask(self, place: int) -> Mask:
        """Visible mask of a piece, by its position in the collage, from 0."""
        return np.asarray(self.ids == place + 1)


def render_collage(
    collage: Collage,
    library: Library,
    width: int = 512,
    height: int | None = None,
    *,
    photographs: Photographs | None = None,
) -> CollageLayers:
    """Render a collage; the same collage, cut-outs and size give the same bytes.

    Args:
        collage: The collage.
        library: Library with its cut-outs.
        width: Image width in pixels.
        height: Image height in pixels; must match the aspect ratio to within a pixel; computed if not given.
        photographs: Photographs with its background, if that is a photograph.

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
            f"An image of {width} × {height} pixels does not have the aspect ratio of this collage: choose "
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
    """A valid image size with an aspect ratio, of the given width if possible.

    >>> _fitting(512, 2.0), _fitting(8192, 0.5), _fitting(10, 4.0)
    ('512 × 256', '4096 × 8192', '32 × 8')
    """
    width = min(max(width, math.ceil(LEAST * aspect)), math.floor(LARGEST * aspect))
    return f"{width} × {round(width / aspect)}"


def place(piece: Piece, library: Library, width: int) -> Placed:
    """Place a piece in an image of a width."""
    sheet = premultiplied(library.pixels(piece.cutout))
    return Placed(sheet, piece.x * width, piece.y * width, piece.size * width, piece.rotation, piece.flip)


def shares(ids: npt.NDArray[np.uint16], amodal: Mask) -> Floats:
    """Visible share of each piece."""
    seen = np.bincount(ids.ravel(), minlength=len(amodal) + 1)[1:]
    whole = amodal.sum(axis=(1, 2))
    return np.asarray(np.where(whole > 0, seen / np.maximum(whole, 1), 0.0), np.float32)


def _harmonised(cover: Floats, box: Box, ground: Floats) -> Floats:
    """Adapt the colour and brightness of a piece to its surroundings."""
    height, width = ground.shape[:2]
    left, right = (min(max(edge, 0), width) for edge in (box[0], box[2]))
    top, bottom = (min(max(edge, 0), height) for edge in (box[1], box[3]))
    around = ground[top:bottom, left:right] if left < right and top < bottom else ground
    mean = np.maximum(around.mean(axis=(0, 1)), 1e-3)
    light = float(mean @ _WEIGHTS)
    gain = np.clip((light / 0.4) ** _GAIN, 0.8, 1.1) * (mean / light) ** _TINT
    return np.concatenate([np.minimum(cover[..., :3] * gain.astype(np.float32), cover[..., 3:]), cover[..., 3:]], -1)
