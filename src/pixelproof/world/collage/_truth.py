"""What is to be said of the pieces of a picture, and the files of a collage."""

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
    """A piece as language and tables need it."""

    id: str
    noun: str
    caption: str
    box: Box | None
    """Left, top, right and bottom of what is seen, the last two excluded; None where nothing is."""
    amodal_box: Box | None
    """The same of all of it that is in the picture, hidden or not."""
    area: int
    """Pixels in which it is seen."""
    visible: float
    """Share of its pixels in which it is seen."""


def entities(collage: Collage, library: Library, layers: CollageLayers) -> tuple[Entity, ...]:
    """The pieces of a collage, from the farthest to the nearest."""
    found = []
    for place, piece in enumerate(collage.pieces):
        cutout, mask = library.cutouts[piece.cutout], layers.mask(place)
        share = float(layers.visible[place])
        boxes = bounding_box(mask), bounding_box(layers.amodal[place])
        found.append(Entity(piece.id, cutout.noun, cutout.caption, *boxes, int(mask.sum()), share))
    return tuple(found)


def write_collage(stem: Path, collage: Collage, layers: CollageLayers) -> list[Path]:
    """Write a collage as STEM.json, its picture as STEM.png and its truth as STEM.npz; same content, same bytes.

    The truth has `ids`, `alpha` (from 0 to 255) and `visible`.
    """
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
    """A picture beside its pieces in colours and the outlines of all of each piece, hidden or not."""
    colours = np.array([(236, 236, 232), *(hue(number) for number in range(1, len(layers.alpha) + 1))], np.uint8)
    faded = (layers.rgb * 0.45 + 140).astype(np.uint8)
    for number, mask in enumerate(layers.amodal, 1):
        faded[outline(mask, max(1, len(mask) // 200))] = hue(number)
    panels = [layers.rgb, colours[layers.ids], faded]
    return picture_sheet(panels, ["Picture", "Pieces", "All of each piece, hidden or not"], columns=3)
