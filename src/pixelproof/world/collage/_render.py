"""Rendering of collages with shadows on the ground, their ground truth, and their files.

Pieces are composited in linear light with premultiplied alpha. A pixel belongs to the nearest piece whose alpha is at
least one half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Box, bounding_box
from pixelproof.store import replacing
from pixelproof.world._limits import LARGEST
from pixelproof.world.sets import encode_files
from pixelproof.world.sheets import hue, outline, picture_sheet

from ._collage import Collage, Light, Piece, backdrop
from ._library import Library, Photographs, Pixels
from ._sampling import Floats, Placed, pasted, premultiplied, to_srgb

_TILT = 0.42
"""Foreshortening of the ground: image height of a unit square."""
_FLATTEST = 0.08
_SHARP, _SOFT = 0.01, 0.045
"""Blur of a shadow at the foot and at its far end, in units of the piece height."""
_UNDER = 0.07
"""Share of a piece's height that casts the contact shadow."""


def shade_of(placed: Placed, box: Box, alpha: Floats, light: Light, width: int, height: int) -> Floats:
    """Shadow of a piece at each pixel: share of light removed, from 0 to 1.

    Args:
        placed: The piece.
        box: Bounding box of the piece.
        alpha: Coverage within the box.
        light: Light of the collage.
        width: Image width.
        height: Image height.
    """
    rows = np.flatnonzero((alpha >= 0.5).any(axis=1))
    if not len(rows) or light.strength == 0:
        return np.zeros((height, width), np.float32)
    foot, tall = float(box[1] + rows[-1] + 1), float(rows[-1] - rows[0] + 1)
    cast = _cast(placed, light, foot, tall, width, height)
    under = _under(box, alpha, rows, width, height)
    return np.asarray(light.strength * (1 - (1 - 0.8 * cast) * (1 - 0.9 * under)), np.float32)


def _cast(placed: Placed, light: Light, foot: float, tall: float, width: int, height: int) -> Floats:
    """The silhouette sheared onto the ground, blurred more with the distance from the foot."""
    reach = 1 / math.tan(math.radians(light.elevation))
    aside = -math.sin(math.radians(light.azimuth)) * reach
    up = max(math.cos(math.radians(light.azimuth)) * reach * _TILT, _FLATTEST)
    laid = np.array([[1.0, -aside, aside * foot], [0.0, up, (1 - up) * foot], [0.0, 0.0, 1.0]])
    soft = _SOFT * tall
    box, cover = placed.drawn(laid @ placed.matrix, margin=math.ceil(3 * soft) + 1)
    alpha = cover[..., 3]
    rows = np.arange(box[1], box[3], dtype=np.float32) + 0.5
    far = np.clip((foot - rows) / (up * tall), 0.0, 1.0)[:, None]
    sharp, blurred = (gaussian_filter(alpha, blur) for blur in (_SHARP * tall, soft))
    return pasted(box, ((1 - far) * sharp + far * blurred) * (1 - 0.55 * far), width, height)


def _under(box: Box, alpha: Floats, rows: np.ndarray, width: int, height: int) -> Floats:
    """Contact shadow: the lowest part of a piece, blurred."""
    tall = int(rows[-1] - rows[0] + 1)
    first = max(int(rows[-1] + 1 - math.ceil(_UNDER * tall)), 0)
    blur = max(0.02 * tall, 0.6)
    margin = math.ceil(3 * blur) + 1
    lowest = np.pad(alpha[first : rows[-1] + 1], margin)
    spread = gaussian_filter(lowest, (0.6 * blur, blur))
    left, top = box[0] - margin, box[1] + first - margin + round(0.4 * blur)
    where = (left, top, left + spread.shape[1], top + spread.shape[0])
    return pasted(where, np.clip(1.2 * spread, 0.0, 1.0), width, height)


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


@dataclass(frozen=True)
class Entity:
    """Ground truth of a piece."""

    id: str
    noun: str
    caption: str
    box: Box | None
    """Bounding box of its visible pixels; None if there are none."""
    amodal_box: Box | None
    """Bounding box of its amodal mask."""
    area: int
    """Number of visible pixels."""
    visible: float
    """Visible share."""


def entities(collage: Collage, library: Library, layers: CollageLayers) -> tuple[Entity, ...]:
    """Ground truth of the pieces, from the farthest to the nearest."""
    result = []
    for place, piece in enumerate(collage.pieces):
        cutout, mask = library.cutouts[piece.cutout], layers.mask(place)
        share = float(layers.visible[place])
        boxes = bounding_box(mask), bounding_box(layers.amodal[place])
        result.append(Entity(piece.id, cutout.noun, cutout.caption, *boxes, int(mask.sum()), share))
    return tuple(result)


def write_collage(stem: Path, collage: Collage, layers: CollageLayers) -> list[Path]:
    """Write STEM.json, STEM.png and STEM.npz (`ids`, 8-bit `alpha`, `visible`); equal content gives equal bytes."""
    alpha = np.asarray(layers.alpha * 255 + 0.5, np.uint8)
    arrays: dict[str, npt.NDArray[Any]] = {
        "rgb": layers.rgb,
        "ids": layers.ids,
        "alpha": alpha,
        "visible": layers.visible,
    }
    written = []
    for suffix, data in encode_files(collage.to_json(), arrays).items():
        path = stem.with_name(stem.name + suffix)
        with replacing(path) as temporary:
            temporary.write_bytes(data)
        written.append(path)
    return written


def read_collage(path: Path) -> Collage:
    """Read the JSON file of a collage.

    Raises:
        PixelProofError: It cannot be read, or is no collage.
    """
    return Collage.load(path)


def collage_sheet(layers: CollageLayers) -> Pixels:
    """The image, its label map and its amodal outlines, side by side."""
    colours = np.array([(236, 236, 232), *(hue(number) for number in range(1, len(layers.alpha) + 1))], np.uint8)
    faded = (layers.rgb * 0.45 + 140).astype(np.uint8)
    for number, mask in enumerate(layers.amodal, 1):
        faded[outline(mask, max(1, len(mask) // 200))] = hue(number)
    panels = [layers.rgb, colours[layers.ids], faded]
    return picture_sheet(panels, ["Picture", "Pieces", "All of each piece, hidden or not"], columns=3)
