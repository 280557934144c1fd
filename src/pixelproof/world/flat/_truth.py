"""Ground truth of flat scenes: masks, boxes and visibility, from the geometry that is rendered.

A pixel belongs to the topmost sprite that covers at least half of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Box, bounding_box
from pixelproof.world._limits import require_kind

from ._clip import Clip
from ._display import TILE, coefficients, rows_of, sheet_for
from ._render import box_cover, coordinates, tile_cover
from ._scene import FlatScene

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Glyph:
    """A character on a plate."""

    character: str
    box: Box
    """Bounding box of its cell."""
    visibility: float
    """Visible share of the cell."""


@dataclass(frozen=True)
class Seen:
    """Ground truth of one sprite in one image."""

    id: str
    box: Box | None
    """Bounding box of its visible pixels; None if there are none."""
    whole: Box
    """Bounding box of the whole sprite, including occluded parts and parts outside the image."""
    area: float
    """Area of the whole sprite, by geometry."""
    pixels: int
    """Number of visible pixels."""
    whole_pixels: int
    glyphs: tuple[Glyph, ...] = ()

    @property
    def visibility(self) -> float:
        """Visible share of its pixels, from 0 to 1."""
        return self.pixels / self.whole_pixels if self.whole_pixels else 0.0


@dataclass(frozen=True, eq=False)
class Truth:
    """Ground truth of one image."""

    scene: FlatScene
    labels: npt.NDArray[np.int32]
    """(h, w) position of the sprite in the scene's list, counted from 1; 0 is the background."""
    seen: Mapping[str, Seen]
    """Sprite id → ground truth."""
    _figures: Mapping[str, tuple[int, int, Mask]] = field(repr=False)

    def visible_mask(self, id: str) -> Mask:
        """Mask of the visible pixels of a sprite.

        Raises:
            PixelProofError: There is no sprite with this id.
        """
        return np.asarray(self.labels == self.scene.place(id) + 1)

    def whole_mask(self, id: str) -> Mask:
        """Mask of all pixels of a sprite within the image, occluded or not.

        Raises:
            PixelProofError: There is no sprite with this id.
        """
        figure = self._figures[self.scene.sprite(id).id]
        mask = np.zeros(self.labels.shape, dtype=bool)
        here, there = _overlap(figure, mask.shape)
        mask[here] = figure[2][there]
        return mask


def truth(scene: FlatScene) -> Truth:
    """Masks, boxes, visibility, areas and glyphs of all sprites of a scene."""
    require_kind("The argument of truth", scene, FlatScene, "take one of make_flat, or a frame of a clip")
    figures = dict(zip((sprite.id for sprite in scene.sprites), _figures(scene), strict=True))
    labels = np.zeros((scene.height, scene.width), dtype=np.int32)
    for place, figure in enumerate(figures.values(), 1):
        here, there = _overlap(figure, labels.shape)
        labels[here][figure[2][there]] = place
    seen = {sprite.id: _seen(scene, place, figures[sprite.id], labels) for place, sprite in enumerate(scene.sprites)}
    return Truth(scene, labels, seen, figures)


def tracks(clip: Clip) -> dict[str, tuple[Seen, ...]]:
    """For each sprite of a clip, its ground truth in each frame."""
    require_kind("The argument of tracks", clip, Clip, "take one of make_clip")
    frames = [truth(scene).seen for scene in clip.scenes()]
    return {sprite.id: tuple(frame[sprite.id] for frame in frames) for sprite in clip.scene.sprites}


def _figures(scene: FlatScene) -> list[tuple[int, int, Mask]]:
    """For each sprite, x and y of its first pixel and its mask, whether inside the image or not."""
    sheet = sheet_for([scene])
    rows = rows_of([scene], sheet)
    affine, edge = coefficients(rows, rows.box[:, :2])
    figures = []
    for row in np.flatnonzero(rows.sprite >= 0):
        single, (x0, y0, x1, y1) = slice(row, row + 1), rows.box[row].tolist()
        across, down = coordinates(affine[single], x1 - x0, y1 - y0)
        if rows.kind[row] == TILE:
            cover = tile_cover(across, down, sheet.samples, rows.tile[single], edge[single])
        else:
            cover = box_cover(across, down, edge[single])
        figures.append((x0, y0, cover[0] >= 0.5))
    return figures


def _overlap(figure: tuple[int, int, Mask], shape: tuple[int, ...]) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Slices of the image that a figure overlaps, and the matching slices of the figure."""
    x, y, mask = figure
    here, there = [], []
    for first, side, limit in ((y, mask.shape[0], shape[0]), (x, mask.shape[1], shape[1])):
        low, high = min(max(first, 0), limit), min(max(first + side, 0), limit)
        here.append(slice(low, high))
        there.append(slice(low - first, high - first))
    return (here[0], here[1]), (there[0], there[1])


def _seen(scene: FlatScene, place: int, figure: tuple[int, int, Mask], labels: npt.NDArray[np.int32]) -> Seen:
    sprite, (x, y, mask) = scene.sprites[place], figure
    here, _ = _overlap(figure, labels.shape)
    visible = labels[here] == place + 1
    glyphs = []
    if sprite.text:
        cell, (x0, y0, _, _) = round(sprite.size), sprite.rectangle
        for column, character in enumerate(sprite.text):
            left, top = x0 + cell // 2 + column * cell, y0 + cell // 2
            part = labels[max(top, 0) : max(top + cell, 0), max(left, 0) : max(left + cell, 0)] == place + 1
            glyphs.append(Glyph(character, (left, top, left + cell, top + cell), float(part.sum()) / cell**2))
    return Seen(
        id=sprite.id,
        box=_box(visible, here[1].start, here[0].start),
        whole=_box(mask, x, y) or (x, y, x, y),
        area=sprite.area,
        pixels=int(visible.sum()),
        whole_pixels=int(mask.sum()),
        glyphs=tuple(glyphs),
    )


def _box(mask: Mask, x: int, y: int) -> Box | None:
    """The bounding box of a mask whose first pixel is at (x, y) of the image."""
    box = bounding_box(mask)
    return None if box is None else (x + box[0], y + box[1], x + box[2], y + box[3])
