"""Shapes of the flat world, defined by their outlines; fonts of plates; and the texture atlas of both.

Codes must be unreadable in a thumbnail. A glyph fills one cell of 8 × 8 pixels on a grid of 8 pixels, so a thumbnail
that averages 8 × 8 pixels keeps only the amount of ink, which is the same for all glyphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

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


Floats = npt.NDArray[np.float64]
Points = Sequence[tuple[float, float]]

_FINE = 96
"""Vertices of a full circle: the error at a diameter of 200 pixels is at most 0.06 pixels."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Outlines with even-odd filling; the smallest circle around the centroid has diameter 1; y points down."""

    outlines: tuple[Floats, ...]

    @cached_property
    def area(self) -> float:
        """Area at size 1; times size², the area of a sprite in pixels."""
        return abs(sum(_signed_area(outline) for outline in self.outlines))

    def outline_at(self, x: float, y: float, size: float, angle: float) -> tuple[Floats, ...]:
        """Its outlines for a centre, a size in pixels and a clockwise rotation in degrees."""
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        turn = np.array([[cos, sin], [-sin, cos]]) * size
        return tuple(outline @ turn + (x, y) for outline in self.outlines)


def _signed_area(outline: Floats) -> float:
    after = np.roll(outline, -1, axis=0)
    return float((outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]).sum() / 2)


def _centroid(outlines: Sequence[Floats]) -> Floats:
    moment, area = np.zeros(2), 0.0
    for outline in outlines:
        after = np.roll(outline, -1, axis=0)
        cross = outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]
        moment += ((outline + after) * cross[:, None]).sum(axis=0) / 6
        area += cross.sum() / 2
    return moment / area


def _shape(*outlines: Points | Floats) -> Shape:
    """Make a shape from outlines at any position and scale; holes have the opposite orientation."""
    arrays = [np.array(outline, dtype=np.float64) for outline in outlines]
    centre = _centroid(arrays)
    radius = max(float(np.hypot(*(outline - centre).T).max()) for outline in arrays)
    return Shape(tuple((outline - centre) / (2 * radius) for outline in arrays))


def _arc(radius: float, start: float, stop: float, x: float = 0.0, y: float = 0.0) -> Floats:
    """Points on a circle from one angle to another, in degrees."""
    angles = np.radians(np.linspace(start, stop, max(2, round(_FINE * abs(stop - start) / 360) + 1)))
    return np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)])


def _regular(corners: int) -> Shape:
    return _shape(np.array([_arc(1.0, turn, turn)[0] for turn in -90.0 + 360.0 * np.arange(corners) / corners]))


def _circle() -> Shape:
    return _shape(_arc(1.0, 0, 360)[:-1])


def _star() -> Shape:
    radii = np.where(np.arange(10) % 2, 0.42, 1.0)
    return _shape(
        np.array([_arc(radius, turn, turn)[0] for radius, turn in zip(radii, -90 + 36.0 * np.arange(10), strict=True)])
    )


def _cross() -> Shape:
    quarter = np.array([(0.34, -1.0), (0.34, -0.34), (1.0, -0.34)])
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    return _shape(np.concatenate([quarter @ np.linalg.matrix_power(turn, turns) for turns in range(4)]))


def _ring() -> Shape:
    return _shape(_arc(1.0, 0, 360)[:-1], _arc(0.58, 360, 0)[:-1])


def _heart() -> Shape:
    t = np.radians(np.linspace(0, 360, _FINE, endpoint=False))
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return _shape(np.column_stack([16 * np.sin(t) ** 3, -y]))


def _arrow() -> Shape:
    return _shape([(1.0, 0.0), (0.1, 0.75), (0.1, 0.27), (-0.9, 0.27), (-0.9, -0.27), (0.1, -0.27), (0.1, -0.75)])


def _crescent() -> Shape:
    """A disc minus a smaller one to its right."""
    inner, apart = 0.82, 0.48
    x = (1 + apart**2 - inner**2) / (2 * apart)
    tip = math.degrees(math.atan2(math.sqrt(1 - x * x), x))
    tip_inside = math.degrees(math.atan2(math.sqrt(1 - x * x), x - apart))
    return _shape(np.concatenate([_arc(1.0, tip, 360 - tip), _arc(inner, 360 - tip_inside, tip_inside, apart)[1:-1]]))


def _drop() -> Shape:
    tangent = math.degrees(math.asin(1 / 2.2))  # the sides touch the round part
    return _shape(np.concatenate([_arc(1.0, -tangent, 180 + tangent), [(0.0, -2.2)]]))


_MAKERS: dict[str, Callable[[], Shape]] = {
    "circle": _circle,
    "square": lambda: _regular(4),
    "triangle": lambda: _regular(3),
    "star": _star,
    "cross": _cross,
    "ring": _ring,
    "heart": _heart,
    "arrow": _arrow,
    "crescent": _crescent,
    "pentagon": lambda: _regular(5),
    "hexagon": lambda: _regular(6),
    "bar": lambda: _shape([(-1.0, -0.24), (1.0, -0.24), (1.0, 0.24), (-1.0, 0.24)]),
    "diamond": lambda: _shape([(0.0, -1.0), (0.52, 0.0), (0.0, 1.0), (-0.52, 0.0)]),
    "semicircle": lambda: _shape(_arc(1.0, 180, 360)),
    "drop": _drop,
}
SHAPES: dict[str, Shape] = {name: make() for name, make in _MAKERS.items()}
"""All shapes by name. Any two are distinguishable at any rotation."""


SIDE = 128
"""Side of a signed-distance tile in samples."""
REACH = 0.625
"""Signed-distance tiles span −REACH to REACH for a shape of size 1: far enough for anti-aliased edges."""

TileKey = tuple[str, int, str]
"""(font, cell, character) of a glyph; (`shape`, 0, name) of a shape; (texture, 0, shape) of a texture."""
TEXTURES = ("stripes", "checks", "dots")
_PERIOD = 0.2
"""Period of textures for a shape of size 1."""


@dataclass(frozen=True, eq=False)
class Atlas:
    """Tiles in row-major order, concatenated."""

    samples: npt.NDArray[np.float32]
    places: Mapping[TileKey, tuple[int, int, int]]
    """Offset, width and height of a tile."""


@lru_cache(maxsize=16)
def atlas(fonts: frozenset[tuple[str, int]] = frozenset(), textures: frozenset[tuple[str, str]] = frozenset()) -> Atlas:
    """The atlas of all shapes, of the glyphs of fonts (name, cell size in pixels) and of textures (name, shape)."""
    tiles: dict[TileKey, npt.NDArray[np.float32]] = {("shape", 0, name): _distances(name) for name in SHAPES}
    for font, cell in sorted(fonts):
        for character, tile in glyph_tiles(font, cell).items():
            tiles[font, cell, character] = np.pad(tile, 1)  # samples beyond a tile repeat its rim, which must be clear
    for texture, shape in sorted(textures):
        tiles[texture, 0, shape] = np.maximum(_distances(shape), _pattern(texture))
    places, start = {}, 0
    for key, tile in tiles.items():
        places[key] = (start, tile.shape[1], tile.shape[0])
        start += tile.size
    return Atlas(np.concatenate([tile.ravel() for tile in tiles.values()]), places)


@lru_cache(maxsize=len(SHAPES))
def _distances(name: str) -> npt.NDArray[np.float32]:
    middles = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * REACH
    points = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 2)
    return signed_distance(SHAPES[name], points).reshape(SIDE, SIDE).astype(np.float32)


@lru_cache(maxsize=len(TEXTURES))
def _pattern(name: str) -> npt.NDArray[np.float32]:
    """Signed distance to the marks of a texture, which cover about half of the plane; negative inside."""
    middles = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * REACH
    along = np.abs(middles / _PERIOD - np.round(middles / _PERIOD))  # 0 at the middle of a mark, 0.5 between two
    across, down = np.meshgrid(along, along)
    if name == "stripes":
        distance = across - 0.25
    elif name == "checks":
        distance = np.where((across < 0.25) == (down < 0.25), -1, 1) * np.minimum(abs(across - 0.25), abs(down - 0.25))
    else:
        distance = np.hypot(across, down) - 0.33
    return np.asarray(distance * _PERIOD, np.float32)


def signed_distance(shape: Shape, points: Floats) -> Floats:
    """Signed distance from points, (n, 2), to the outline of a shape; negative inside.

    >>> signed_distance(SHAPES["square"], np.array([[0.0, 0.0], [0.0, -0.7]])).round(3).tolist()
    [-0.354, 0.2]
    """
    nearest = np.full(len(points), np.inf)
    inside = np.zeros(len(points), dtype=bool)
    px, py = points[:, 0], points[:, 1]
    for outline in shape.outlines:
        for (x0, y0), (x1, y1) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            dx, dy = x1 - x0, y1 - y0
            along = np.clip(((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy), 0.0, 1.0)
            nearest = np.minimum(nearest, (px - x0 - along * dx) ** 2 + (py - y0 - along * dy) ** 2)
            if y0 != y1:
                crosses = (y0 > py) != (y1 > py)
                inside ^= crosses & (px < x0 + (py - y0) * dx / dy)
    return np.asarray(np.where(inside, -1.0, 1.0) * np.sqrt(nearest))
