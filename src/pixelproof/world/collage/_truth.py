"""Ground truth of collages, and their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Box, bounding_box
from pixelproof.store import replacing
from pixelproof.world.sets import encode_files
from pixelproof.world.sheets import hue, outline, picture_sheet

from ._collage import Collage
from ._library import Library, Pixels
from ._render import CollageLayers


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
