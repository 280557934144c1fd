"""The texture atlas: a signed-distance tile per shape and a coverage tile per glyph, in one flat array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ._glyphs import glyph_tiles
from ._shapes import SHAPES, Floats, Shape

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
