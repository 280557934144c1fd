"""Recognition of coloured shapes, and of the plates below them, in a picture.

It knows the colour words, the shapes and the size of plates, as a model would from training; nothing of the scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from pixelproof.pixels import oklab
from pixelproof.world import COLOURS
from pixelproof.world.flat import SHAPES

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Box = tuple[int, int, int, int]
WORDS = tuple(COLOURS)
PLATE = 32, 16
"""Width and height in pixels of a plate with three characters of 8 pixels."""
_NONE = 255
_NEAR = 0.1
"""Largest OKLab distance of a pixel to its colour word, and to the background."""
_TEMPLATE, _TURN = 40, 10
"""Side of a shape template in cells, and step of its rotation in degrees."""
_FILLED = 0.32
"""Share of a template's cells that the shape covers."""
_OFFSETS = 6
"""Pixels that a plate may be away from the middle of its thing."""


@dataclass(frozen=True)
class Blob:
    """A connected region of one colour."""

    colour: str
    box: Box
    """Bounding box in pixels of the picture."""
    mask: Mask
    """Within the box."""

    @property
    def area(self) -> int:
        """Number of pixels."""
        return int(self.mask.sum())

    @property
    def inner_point(self) -> tuple[float, float]:
        """Column and row of the pixel that is farthest from the outline."""
        inside = ndimage.distance_transform_edt(np.pad(self.mask, 1))[1:-1, 1:-1]
        row, column = np.unravel_index(int(inside.argmax()), self.mask.shape)
        return self.box[0] + float(column) + 0.5, self.box[1] + float(row) + 0.5


@lru_cache(1)
def _nearest_words() -> npt.NDArray[np.uint8]:
    """Colour word of each of 32³ colours; `_NONE` where none is near."""
    levels = np.arange(32, dtype=np.uint8) * 8 + 4
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3)
    apart = np.linalg.norm(oklab(cube)[:, None] - oklab(list(COLOURS.values())), axis=2)
    words = apart.argmin(axis=1).astype(np.uint8)
    words[apart.min(axis=1) > _NEAR] = _NONE
    return np.asarray(words.reshape(32, 32, 32))


def word_of(rgb: npt.ArrayLike) -> tuple[str, float]:
    """The nearest colour word, and how much nearer it is than the next one: 0 for equally near, 1 for a perfect match.

    >>> word, nearer = word_of((196, 38, 38))
    >>> word, round(nearer, 3)
    ('red', 1.0)
    """
    apart = np.linalg.norm(oklab(list(COLOURS.values())) - oklab(np.asarray(rgb, np.float64)), axis=1)
    first, second = np.sort(apart)[:2]
    return WORDS[int(apart.argmin())], float(1 - first / second)


def colour_map(picture: Pixels) -> npt.NDArray[np.uint8]:
    """Place in `WORDS` of every pixel's colour; 255 for the background and for colours without a word."""
    small = picture >> 3
    words = _nearest_words()[small[..., 0], small[..., 1], small[..., 2]]
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    ground = oklab(np.median(border, axis=0))
    levels = np.arange(32, dtype=np.uint8) * 8 + 4
    cube = oklab(np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3))
    near = (np.linalg.norm(cube - ground, axis=1) < _NEAR).reshape(32, 32, 32)
    return np.where(near[small[..., 0], small[..., 1], small[..., 2]], np.uint8(_NONE), words)


def find_blobs(picture: Pixels, colours: Sequence[str] = WORDS, smallest: int = 1) -> list[Blob]:
    """Connected regions of some colours with at least some pixels, largest first."""
    words, blobs = colour_map(picture), []
    for colour in colours:
        labels, count = ndimage.label(words == WORDS.index(colour))
        if not count:
            continue
        sizes = np.bincount(labels.ravel())
        for number, place in enumerate(ndimage.find_objects(labels), 1):
            if sizes[number] >= smallest:
                rows, columns = place
                box = columns.start, rows.start, columns.stop, rows.stop
                blobs.append(Blob(colour, box, labels[place] == number))
    return sorted(blobs, key=lambda blob: -blob.area)


@lru_cache(1)
def _templates() -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Name and flattened mask of every shape at every rotation, all of one area, around their centroids."""
    names, masks = [], []
    for name, shape in SHAPES.items():
        size = float(np.sqrt(_FILLED * _TEMPLATE**2 / shape.area))
        for angle in range(0, 360, _TURN):
            image = Image.new("1", (_TEMPLATE, _TEMPLATE))
            pen = ImageDraw.Draw(image)
            for hole, outline in enumerate(shape.outline_at(_TEMPLATE / 2, _TEMPLATE / 2, size, angle)):
                pen.polygon([(float(x), float(y)) for x, y in outline], fill=0 if hole else 1)
            names.append(name)
            masks.append(np.asarray(image, np.float32).ravel())
    return tuple(names), np.stack(masks)


def shape_scores(mask: Mask) -> dict[str, float]:
    """Shape → best intersection over union of a mask with the shape, at any rotation and the same area."""
    rows, columns = np.nonzero(mask)
    scale = np.sqrt(len(rows) / (_FILLED * _TEMPLATE**2))  # pixels per cell
    cells = (np.arange(_TEMPLATE) + 0.5 - _TEMPLATE / 2) * scale
    at_row = np.floor(rows.mean() + 0.5 + cells).astype(int)
    at_column = np.floor(columns.mean() + 0.5 + cells).astype(int)
    inside = (at_row >= 0) & (at_row < mask.shape[0])
    beside = (at_column >= 0) & (at_column < mask.shape[1])
    sampled = mask[np.ix_(at_row.clip(0, mask.shape[0] - 1), at_column.clip(0, mask.shape[1] - 1))]
    flat = (sampled & inside[:, None] & beside[None]).astype(np.float32).ravel()
    names, templates = _templates()
    shared = templates @ flat
    scores = shared / (templates.sum(axis=1) + flat.sum() - shared)
    best: dict[str, float] = {}
    for name, score in zip(names, scores.tolist(), strict=True):
        best[name] = max(best.get(name, 0.0), score)
    return best


def find_thing(picture: Pixels, colour: str, shape: str, smallest: int = 300) -> Blob | None:
    """The region of a colour that looks most like a shape; None if there is none of that colour."""
    blobs = find_blobs(picture, [colour], smallest)
    return max(blobs, key=lambda blob: shape_scores(blob.mask).get(shape, 0.0), default=None)


def find_plate(picture: Pixels, x: float, low: int, high: int) -> tuple[Box, float]:
    """The plate around a column whose upper edge is in some rows: a rectangle of one colour on another.

    Returns:
        Its box in pixels, and how clearly it stands out: the difference in grey levels between the pixels along the
        inside and the outside of its edge, less the variation inside; minus infinity if there is no space for a plate.
    """
    width, height = PLATE
    top, bottom = max(low - 1, 0), min(high + height + 1, picture.shape[0])
    left = max(round(x - width / 2) - _OFFSETS - 1, 0)
    right = min(round(x + width / 2) + _OFFSETS + 1, picture.shape[1])
    if bottom - top < height + 2 or right - left < width + 2:
        return (0, 0, width, height), -np.inf
    region = picture[top:bottom, left:right].astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(region, (height + 2, width + 2), (0, 1))
    inner, outer = (windows[..., rows, columns] for rows, columns in _rings())
    middle = inner.mean(axis=-1, keepdims=True)
    scores = np.abs(outer - middle).mean(axis=(2, 3)) - 2 * np.abs(inner - middle).mean(axis=(2, 3))
    row, column = (int(place) for place in np.unravel_index(int(scores.argmax()), scores.shape))
    corner = left + column + 1, top + row + 1
    return (*corner, corner[0] + width, corner[1] + height), float(scores[row, column])


@lru_cache(1)
def _rings() -> tuple[tuple[npt.NDArray[np.intp], ...], tuple[npt.NDArray[np.intp], ...]]:
    """Rows and columns of the pixels along the inside and along the outside of a plate's edge."""
    width, height = PLATE
    whole = np.zeros((height + 2, width + 2), np.int64)
    whole[1:-1, 1:-1] = 1
    whole[2:-2, 2:-2] = 2
    return np.nonzero(whole == 1), np.nonzero(whole == 0)


def find_labelled(picture: Pixels, smallest: int = 300, clear: float = 30.0) -> list[tuple[Blob, Box]]:
    """Regions with a plate below them, and their plates.

    Args:
        picture: The whole frame.
        smallest: Pixels of a region.
        clear: How clearly a plate must stand out.
    """
    labelled = []
    for blob in find_blobs(picture, WORDS, smallest):
        if is_plate(blob):
            continue
        plate, score = find_plate(picture, (blob.box[0] + blob.box[2]) / 2, blob.box[3], blob.box[3] + 10)
        if score > clear:
            labelled.append((blob, plate))
    return labelled


def is_plate(blob: Blob) -> bool:
    """Whether a region has the size of a plate."""
    left, top, right, bottom = blob.box
    return abs(right - left - PLATE[0]) <= 1 and abs(bottom - top - PLATE[1]) <= 1
