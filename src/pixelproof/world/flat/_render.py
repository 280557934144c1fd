"""One renderer for numpy and torch (anti-aliased tiles and rectangles, blended window by window), and ground truth.

A pixel belongs to the topmost sprite that covers at least half of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Box, bounding_box
from pixelproof.world._limits import require_kind, require_whole

from ._clip import Clip
from ._display import (
    NOISE,
    TILE,
    Array,
    DisplayList,
    Pass,
    cast,
    coefficients,
    count,
    empty,
    lower,
    namespace,
    rows_of,
    sheet_for,
)
from ._scene import FlatScene

_GRAIN = 2
"""Side of a noise dot in pixels."""
_AT_ONCE = 1 << 16
"""Pixels painted at once on a CPU: fits the cache."""
_AT_ONCE_ON_A_GPU = 1 << 25
"""Pixels painted at once on a GPU: some gigabytes of memory."""


def render(display: DisplayList, compile: Callable[..., Any] | None = None) -> Array:
    """Render all scenes of a display list: uint8, (scenes, height, width, 3), on the device of its arrays.

    Additional memory: four times the result, plus the windows that are painted at once.

    Args:
        display: From `lower`; for a GPU, its arrays moved there with `map`.
        compile: `torch.compile`, to fuse the operations of each stage; worthwhile for long training, since compilation
            takes about a minute. Values may then differ by one grey level.
    """
    ground, paint, rounded = _stages(compile)
    planes = empty((3, display.scenes, display.height, display.width), display.ground, "float32")
    for kind, start, stop in display.ground_kinds:
        numbers, seed = display.ground[start:stop], display.ground_seed[start:stop]
        for channel, values in enumerate(ground(kind, numbers, seed, display.width, display.height)):
            planes[channel, start:stop] = values
    flat = [planes[channel].reshape(-1) for channel in range(3)]
    for step, rows in _steps(display, planes):
        paint(flat, display, step, rows)
    pictures = rounded(planes)
    return pictures[display.place] if display.scenes > 1 else pictures


@lru_cache(maxsize=4)
def _stages(compile: Callable[..., Any] | None) -> tuple[Callable[..., Any], ...]:
    stages = (_ground, _paint, _rounded)
    return stages if compile is None else tuple(compile(stage, dynamic=True) for stage in stages)


def _rounded(planes: Array) -> Array:
    return namespace(planes).stack([cast(planes[channel] + 0.5, "uint8") for channel in range(3)], -1)


def draw(scene: FlatScene) -> npt.NDArray[np.uint8]:
    """Render one scene: uint8, (height, width, 3).

    >>> draw(FlatScene(0, 0, 4, 2, ())).shape
    (2, 4, 3)
    """
    return np.asarray(render(lower([scene]))[0])


def draw_clip(clip: Clip) -> npt.NDArray[np.uint8]:
    """Render all frames of a clip: uint8, (frames, height, width, 3)."""
    require_kind("The argument of draw_clip", clip, Clip, "pass a result of make_clip")
    return np.stack([draw(scene) for scene in clip.scenes()])


def thumbnail(pictures: Array, factor: int) -> Array:
    """Downscale images (…, height, width, 3) by averaging blocks of factor × factor pixels; halves round up.

    >>> thumbnail(np.array([[[0], [3]], [[1], [2]]], np.uint8).repeat(3, axis=2), 2).tolist()
    [[[2, 2, 2]]]

    Raises:
        PixelProofError: The factor does not divide both sides, or these are no pictures.
    """
    if len(getattr(pictures, "shape", ())) < 3:
        raise PixelProofError("Pictures to make smaller are an array of shape (…, height, width, 3): take one of draw.")
    *front, height, width, channels = pictures.shape
    require_whole("pixels averaged", factor, 1)
    if height % factor or width % factor:
        raise PixelProofError(f"{width} × {height} pixels cannot be averaged by {factor}: take a divisor of both.")
    blocks = pictures.reshape(*front, height // factor, factor, width // factor, factor, channels)
    xp = namespace(pictures)
    sums = xp.sum(blocks, axis=(-4, -2), dtype=xp.int32)
    return cast((2 * sums + factor * factor) // (2 * factor * factor), "uint8")


def _paint(planes: Sequence[Array], display: DisplayList, step: Pass, rows: slice) -> None:
    """Blend the windows of some sprites into the red, green and blue planes of all scenes."""
    index, across, down, cover = _windows(display, step, rows)
    edge, colour = display.edge[rows], display.colour[rows]
    bits = _noise(across, down, edge, display.seed[rows]) if step.kind == NOISE else None
    for channel, plane in enumerate(planes):
        shade = colour[:, channel, None, None] if bits is None else cast((bits >> (8 * channel)) & 255, "float32")
        below = plane[index]
        plane[index] = below + cover * (shade - below)


def _windows(display: DisplayList, step: Pass, rows: slice) -> tuple[Array, Array, Array, Array]:
    """Pixel indices, tile coordinates and coverage of the windows of some sprites, (n, height, width) each."""
    corner = display.corner[rows]
    columns = count(step.width, corner, "int64")[None, None, :]
    lines = count(step.height, corner, "int64")[None, :, None]
    first = (display.scene[rows] * display.height + corner[:, 1]) * display.width + corner[:, 0]
    index = first[:, None, None] + lines * display.width + columns
    across, down = coordinates(display.affine[rows], step.width, step.height)
    if step.kind == TILE:
        cover = tile_cover(across, down, display.atlas, display.tile[rows], display.edge[rows])
    else:
        cover = box_cover(across, down, display.edge[rows])
    return index, across, down, cover


def label_maps(display: DisplayList) -> Array:
    """Label maps of all scenes of a display list: int32, (scenes, height, width), on the device of its arrays.

    A label is the position of a sprite in its scene's list, counted from 1; 0 is the background. These are the labels
    of `truth`, but for pixels of which a sprite covers a half to within rounding.
    """
    labels = empty((display.scenes * display.height * display.width,), display.ground, "int32")
    labels[:] = 0
    xp = namespace(labels)
    for step, rows in _steps(display, labels):
        index, _, _, cover = _windows(display, step, rows)
        number = cast(display.sprite[rows] + 1, "int32")[:, None, None]
        labels[index] = xp.where((cover >= 0.5) & (number > 0), number, labels[index])
    labels = labels.reshape(display.scenes, display.height, display.width)
    return labels[display.place] if display.scenes > 1 else labels


def _steps(display: DisplayList, like: Array) -> Iterator[tuple[Pass, slice]]:
    """Passes in painting order, each in parts that fit into memory."""
    limit = _AT_ONCE if str(getattr(like, "device", "cpu")) == "cpu" else _AT_ONCE_ON_A_GPU
    for step in display.passes:
        many = max(1, limit // (step.width * step.height))
        for start in range(step.start, step.stop, many):
            yield step, slice(start, min(start + many, step.stop))


def coordinates(affine: Array, width: int, height: int) -> tuple[Array, Array]:
    """Tile or rectangle coordinates of each pixel of each window: two arrays (n, height, width)."""
    columns = count(width, affine, "float32")[None, None, :]
    lines = count(height, affine, "float32")[None, :, None]
    a, b, c, d, e, f = (affine[:, place, None, None] for place in range(6))
    return a * columns + (b * lines + c), d * columns + (e * lines + f)


def box_cover(across: Array, down: Array, half: Array) -> Array:
    """Coverage of each pixel by an axis-aligned rectangle."""
    xp = namespace(across)
    wide, high = half[:, 0, None, None], half[:, 1, None, None]
    return xp.clip(wide + 0.5 - abs(across), 0, 1) * xp.clip(high + 0.5 - abs(down), 0, 1)


def tile_cover(across: Array, down: Array, atlas: Array, tile: Array, edge: Array) -> Array:
    """Coverage of each pixel by a tile: bilinear samples, mapped by `edge`."""
    xp = namespace(across)
    start, width, height = (tile[:, place, None, None] for place in range(3))
    across = xp.minimum(xp.clip(across, 0, None), cast(width, "float32") - 1)
    down = xp.minimum(xp.clip(down, 0, None), cast(height, "float32") - 1)
    column = xp.minimum(cast(across, "int64"), width - 2)
    line = xp.minimum(cast(down, "int64"), height - 2)
    across, down = across - cast(column, "float32"), down - cast(line, "float32")
    at = start + line * width + column
    above, above_right = atlas[at], atlas[at + 1]
    at = at + width
    below, below_right = atlas[at], atlas[at + 1]
    above = above + across * (above_right - above)
    below = below + across * (below_right - below)
    return xp.clip(edge[:, 0, None, None] + edge[:, 1, None, None] * (above + down * (below - above)), 0, 1)


def _noise(across: Array, down: Array, half: Array, seed: Array) -> Array:
    """Pseudo-random bits of noise tiles, constant within a dot."""
    column = cast(across + half[:, 0, None, None], "int64") // _GRAIN
    line = cast(down + half[:, 1, None, None], "int64") // _GRAIN
    return _scrambled(column + 8192 * line, seed[:, None, None])


def _scrambled(place: Array, seed: Array) -> Array:
    """32-bit hash, identical in every library: all intermediate values are below 2⁶³."""
    bits = (place + 0x9E3779B1 * (seed & 0xFFFFFF)) & 0xFFFFFFFF
    for _ in range(2):
        bits = ((bits ^ (bits >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    return bits ^ (bits >> 16)


def _ground(kind: str, numbers: Array, seed: Array, width: int, height: int) -> list[Array]:
    """Red, green and blue of backgrounds of one kind, each broadcastable to (scenes, height, width)."""
    first, second = ([numbers[:, channel + offset, None, None] for channel in range(3)] for offset in (0, 3))
    if kind == "plain":
        return first
    mix = _mix(kind, numbers, seed, width, height)
    return [one + mix * (other - one) for one, other in zip(first, second, strict=True)]


def _mix(kind: str, numbers: Array, seed: Array, width: int, height: int) -> Array:
    """Share of the second colour in each pixel, from 0 to 1: (scenes, height, width)."""
    xp = namespace(numbers)
    columns = count(width, numbers, "float32")[None, None, :]
    lines = count(height, numbers, "float32")[None, :, None]
    a, b, phase, other_phase, scale = (numbers[:, place, None, None] for place in range(6, 11))
    if kind == "speckle":  # in integers, so that rounding cannot decide on which side of an edge a pixel lies
        column = cast(columns + phase, "int64") // cast(scale, "int64")
        line = cast(lines + other_phase, "int64") // cast(scale, "int64")
        bits = _scrambled((column & 0xFFFF) + 65536 * (line & 0xFFFF), seed[:, None, None])
        return cast(bits & 255, "float32") / 255
    along = a * columns + (b * lines + phase)
    if kind == "gradient":
        return xp.clip(along, 0, 1)
    across = a * lines - b * columns + other_phase
    wave = _wave(along, scale)
    return wave + 0.5 if kind == "stripes" else 0.5 + 2 * wave * _wave(across, scale)


def _wave(along: Array, scale: Array) -> Array:
    """A square wave from −0.5 to 0.5 of period 1, with edges one pixel wide."""
    xp = namespace(along)
    triangle = abs(along - xp.floor(along) - 0.5) * 2
    return xp.clip((triangle - 0.5) * (scale / 2), -0.5, 0.5)


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
