"""Display lists: scenes as arrays for the renderer."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_kind

from ._scene import Background, FlatScene, Sprite, rgb, texture_shade
from ._shapes import REACH, SIDE, Atlas, atlas

Array = Any
"""A numpy array or a torch tensor."""


def namespace(array: Array) -> Any:
    """The library that an array belongs to.

    >>> namespace(np.zeros(3)).__name__
    'numpy'
    """
    return sys.modules[type(array).__module__.partition(".")[0]]


def cast(array: Array, dtype: str) -> Array:
    """Convert an array to another dtype."""
    xp = namespace(array)
    return array.astype(getattr(xp, dtype), copy=False) if xp is np else array.to(getattr(xp, dtype))


def count(n: int, like: Array, dtype: str) -> Array:
    """`arange(n)` on the device of `like`."""
    xp = namespace(like)
    kind = getattr(xp, dtype)
    return np.arange(n, dtype=kind) if xp is np else xp.arange(n, dtype=kind, device=like.device)


def empty(shape: tuple[int, ...], like: Array, dtype: str) -> Array:
    """An uninitialised array on the device of `like`."""
    xp = namespace(like)
    kind = getattr(xp, dtype)
    return np.empty(shape, kind) if xp is np else xp.empty(shape, dtype=kind, device=like.device)


TILE, BOX, NOISE = range(3)
"""Fill of a window: a colour masked by an atlas tile, a colour in a rectangle, noise in a rectangle."""
_LADDER = np.array([8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192])
"""Window sizes: few, so that many sprites share one, and dense, so that little is painted in vain."""


class Pass(NamedTuple):
    """Sprites of one kind with windows of one size that do not overlap."""

    kind: int
    start: int
    stop: int
    width: int
    height: int


@dataclass(frozen=True, eq=False)
class DisplayList:
    """A batch of scenes of one size as arrays: the n sprites of all scenes, in painting order.

    A sprite is painted into a window of pixels (j, i), counted from the window's corner. For tiles, `affine` maps them
    to samples of the tile, and `edge` maps a sample s to coverage: clip(edge₀ + edge₁·s, 0, 1). For rectangles,
    `affine` maps to pixels from the centre, and `edge` is half of width and height.
    """

    width: int
    height: int
    scenes: int
    passes: tuple[Pass, ...]
    scene: Array
    """(n,) int: scene of the sprite."""
    sprite: Array
    """(n,) int: position of the sprite in its scene's list; −1 for glyphs and textures, which belong to the row
    before."""
    corner: Array
    """(n, 2) int: column and row of the window's first pixel."""
    affine: Array
    """(n, 6): across = a·j + b·i + c and down = d·j + e·i + f."""
    tile: Array
    """(n, 3) int: offset of the tile in the atlas, its width and height."""
    edge: Array
    """(n, 2) see above."""
    colour: Array
    """(n, 3) RGB from 0 to 255."""
    seed: Array
    """(n,) int: seed of noise."""
    ground: Array
    """(scenes, 11) parameters of the background: two colours, wave vector, two phases, scale."""
    ground_seed: Array
    """(scenes,) int: seed of the background."""
    ground_kinds: tuple[tuple[str, int, int], ...]
    """Background kind with its range of scenes."""
    place: Array
    """(scenes,) int: position of each input scene in this list, which is sorted by background kind."""
    atlas: Array

    def map(self, move: Callable[[npt.NDArray[Any]], Array]) -> DisplayList:
        """A copy with each array converted: `display.map(lambda array: torch.as_tensor(array, device="cuda"))`."""
        moved = {
            field.name: move(getattr(self, field.name))
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **moved)


@dataclass(frozen=True, eq=False)
class Rows:
    """Sprites and glyphs as columns, before window allocation; a glyph follows its plate."""

    kind: npt.NDArray[np.int64]
    scene: npt.NDArray[np.int64]
    sprite: npt.NDArray[np.int64]
    """Position in the scene's list; −1 for glyphs and textures."""
    box: npt.NDArray[np.int64]
    """Bounding box of the pixels that it may touch, also outside the image."""
    numbers: npt.NDArray[np.float64]
    """Centre x, y; size along x and y; cosine and sine; colour."""
    tile: npt.NDArray[np.int64]
    seed: npt.NDArray[np.int64]
    shaped: npt.NDArray[np.bool_]
    """Whether the tile is a signed distance, of a shape or its texture, and not a glyph."""


def rows_of(scenes: Sequence[FlatScene], sheet: Atlas) -> Rows:
    """All sprites and glyphs of scenes."""
    heads, numbers = [], []
    for place, scene in enumerate(scenes):
        for order, sprite in enumerate(scene.sprites):
            for (kind, itself, *tile_and_seed), row in _rows(sprite, sheet, scene.hue):
                heads.append((kind, place, order if itself else -1, *tile_and_seed))
                numbers.append(row)
    head = np.array(heads, dtype=np.int64).reshape(-1, 8)
    number = np.array(numbers, dtype=np.float64).reshape(-1, 9)
    shaped = head[:, 7] > 0
    reach = number[:, 2:4] / 2 + np.where(shaped, 0.5, 0.0)[:, None]  # anti-aliased edges beyond the outline
    box = np.hstack([np.floor(number[:, :2] - reach), np.ceil(number[:, :2] + reach)]).astype(np.int64)
    return Rows(head[:, 0], head[:, 1], head[:, 2], box, number, head[:, 3:6], head[:, 6], shaped)


def _rows(sprite: Sprite, sheet: Atlas, hue: float) -> Iterator[tuple[tuple[int, ...], tuple[float, ...]]]:
    """Rows of a sprite, its texture and its glyphs: (kind, is the sprite itself, tile, seed, is shaped) and numbers."""
    if not sprite.upright:
        turn = math.radians(sprite.angle)
        place = (sprite.x, sprite.y, sprite.size, sprite.size, math.cos(turn), math.sin(turn))
        colour = rgb(sprite.colour, hue)
        yield (TILE, 1, *sheet.places["shape", 0, sprite.shape], 0, 1), (*place, *colour)
        if sprite.texture:
            yield (TILE, 0, *sheet.places[sprite.texture, 0, sprite.shape], 0, 1), (*place, *texture_shade(colour))
        return
    x0, y0, x1, y1 = sprite.rectangle
    noise = sprite.shape == "noise"
    place = ((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, 1.0, 0.0)
    yield (
        (NOISE if noise else BOX, 1, 0, 1, 1, sprite.seed, 0),
        (*place, *((0, 0, 0) if noise else rgb(sprite.colour, hue))),
    )
    cell, ink = round(sprite.size), rgb(sprite.ink, hue) if sprite.text else (0, 0, 0)
    for column, character in enumerate(sprite.text):
        middle = (x0 + cell // 2 + (column + 0.5) * cell, y0 + cell // 2 + cell / 2, cell, cell, 1.0, 0.0)
        yield (TILE, 0, *sheet.places[sprite.font, cell, character], 0, 0), (*middle, *ink)


def coefficients(rows: Rows, corner: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """`affine` and `edge` of a display list, for windows with given corners."""
    middle, size, (cos, sin) = rows.numbers[:, :2], rows.numbers[:, 2], rows.numbers[:, 4:6].T
    shapes, glyphs = rows.shaped, (rows.kind == TILE) & ~rows.shaped
    dx, dy = (corner + 0.5 - middle).T
    # Samples per pixel, and the sample at the centre: a glyph has one per pixel, and a margin of one.
    scale = np.where(shapes, SIDE / (2 * REACH) / size, 1.0)
    centre = np.where(shapes, SIDE / 2 - 0.5, np.where(glyphs, size / 2 + 0.5, 0.0))
    a, b = scale * cos, scale * sin
    affine = np.stack([a, b, a * dx + b * dy + centre, -b, a, a * dy - b * dx + centre], axis=1)
    boxes = (rows.kind != TILE)[:, None]
    tiles = np.where(shapes[:, None], np.stack([np.full(len(size), 0.5), -size], axis=1), (0.0, 1.0))
    edge = np.where(boxes, rows.numbers[:, 2:4] / 2, tiles)
    return affine.astype(np.float32), edge.astype(np.float32)


def sheet_for(scenes: Sequence[FlatScene]) -> Atlas:
    """The atlas with all glyphs and textures of the scenes."""
    sprites = [sprite for scene in scenes for sprite in scene.sprites]
    fonts = frozenset((sprite.font, round(sprite.size)) for sprite in sprites if sprite.text)
    return atlas(fonts, frozenset((sprite.texture, sprite.shape) for sprite in sprites if sprite.texture))


def lower(scenes: Sequence[FlatScene]) -> DisplayList:
    """Make the display list of scenes of one size.

    Raises:
        PixelProofError: There are no scenes, their sizes differ, or an element is not a scene.
    """
    require_kind("The argument of lower", scenes, Sequence, "give a list of scenes")
    for scene in scenes:
        require_kind("A scene to draw", scene, FlatScene, "pass a result of make_flat, or a frame of a clip")
    if len({(scene.width, scene.height) for scene in scenes}) != 1:
        raise PixelProofError("A display list needs at least one scene, and all of one size: group them by size.")
    width, height = scenes[0].width, scenes[0].height
    order = sorted(range(len(scenes)), key=lambda place: scenes[place].background.kind)
    place = np.argsort(order)
    scenes = [scenes[number] for number in order]
    sheet = sheet_for(scenes)
    rows = rows_of(scenes, sheet)
    frame = np.array([width, height])
    seen = np.hstack([rows.box[:, :2] < frame, rows.box[:, 2:] > 0]).all(axis=1)
    rows = _select(rows, np.flatnonzero(seen))
    corner, size = _windows(rows, frame)
    stage = _stages(rows, size)
    turn = _rounds(rows.scene, corner, size, stage, len(scenes))
    sorting = np.lexsort((stage, turn))
    rows, corner, size = _select(rows, sorting), corner[sorting], size[sorting]
    affine, edge = coefficients(rows, corner)
    keys = np.column_stack([turn[sorting], stage[sorting], rows.kind, size])
    return DisplayList(
        width=width, height=height, scenes=len(scenes), passes=tuple(_passes(keys)), scene=rows.scene,
        sprite=rows.sprite, corner=corner, affine=affine, tile=rows.tile, edge=edge,
        colour=rows.numbers[:, 6:].astype(np.float32), seed=rows.seed,
        ground=np.array([_ground(scene.background) for scene in scenes], dtype=np.float32),
        ground_seed=np.array([scene.background.seed for scene in scenes], dtype=np.int64),
        ground_kinds=tuple(_kinds(scenes)), place=place, atlas=sheet.samples,
    )  # fmt: skip


def _select(rows: Rows, which: npt.NDArray[Any]) -> Rows:
    return Rows(**{field.name: getattr(rows, field.name)[which] for field in fields(rows)})


def _windows(rows: Rows, frame: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Corner and size of windows within the image; for shapes, the next size of `_LADDER`."""
    low, high = rows.box[:, :2], rows.box[:, 2:]
    size = high - low
    shapes = rows.shaped
    size[shapes] = _LADDER[np.searchsorted(_LADDER, size[shapes].max(axis=1, initial=0))][:, None]
    size = np.minimum(size, frame)
    return np.clip(low, 0, frame - size), size


def _stages(rows: Rows, size: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sort key of each kind and size of window, in the usual painting order, so that one round paints most of it."""
    glyphs = rows.sprite < 0
    kind = np.where(glyphs, 3, np.choose(rows.kind, [1, 2, 0]))  # noise, shapes, plates, glyphs
    return np.asarray((kind << 32) + (size[:, 0] << 16) + size[:, 1])


def _rounds(
    scene: npt.NDArray[np.int64],
    corner: npt.NDArray[np.int64],
    size: npt.NDArray[np.int64],
    stage: npt.NDArray[np.int64],
    scenes: int,
) -> npt.NDArray[np.int64]:
    """Round of each sprite: all stages of a round are painted in order, then those of the next round.

    A sprite is painted after the sprites below it whose windows overlap its own: in the same round if their stage comes
    before its own, else in the next.
    """
    if not len(scene):
        return np.zeros(0, dtype=np.int64)
    counts = np.bincount(scene, minlength=scenes)
    place = np.arange(len(scene)) - (np.cumsum(counts) - counts)[scene]
    low, high = np.zeros((2, 2, counts.max(), scenes), dtype=np.int32)
    low[:, place, scene], high[:, place, scene] = corner.T, (corner + size).T
    stages, turn = np.zeros((2, counts.max(), scenes), dtype=np.int64)
    stages[place, scene] = stage
    for now in range(1, counts.max()):
        clear = (low[:, :now] >= high[:, now : now + 1]) | (high[:, :now] <= low[:, now : now + 1])
        turn[now] = np.where(clear.any(axis=0), 0, turn[:now] + (stages[:now] >= stages[now])).max(axis=0)
    return np.asarray(turn[place, scene])


def _passes(keys: npt.NDArray[np.int64]) -> Iterator[Pass]:
    """Runs of rows with the same round and stage, hence the same kind and size."""
    if not len(keys):
        return
    edges = [0, *(np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1).tolist(), len(keys)]
    for start, stop in pairwise(edges):
        kind, width, height = keys[start, 2:].tolist()
        yield Pass(kind, start, stop, width, height)


def _ground(ground: Background) -> tuple[float, ...]:
    turn = math.radians(ground.angle)
    a, b = math.cos(turn) / ground.scale, math.sin(turn) / ground.scale
    dx, dy = 0.5 - ground.x, 0.5 - ground.y
    if ground.kind == "speckle":
        return *ground.colour, *ground.other, 0.0, 0.0, -round(ground.x), -round(ground.y), round(ground.scale)
    return *ground.colour, *ground.other, a, b, a * dx + b * dy, a * dy - b * dx, ground.scale


def _kinds(scenes: Sequence[FlatScene]) -> Iterator[tuple[str, int, int]]:
    start = 0
    for kind, some in groupby(scene.background.kind for scene in scenes):
        stop = start + len(list(some))
        yield kind, start, stop
        start = stop
