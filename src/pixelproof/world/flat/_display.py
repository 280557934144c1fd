"""Scenes lowered to plain arrays: what a renderer needs, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_kind

from ._atlas import REACH, SIDE, Atlas, atlas
from ._namespace import Array
from ._scene import Background, FlatScene, Sprite, rgb

TILE, BOX, NOISE = range(3)
"""What fills a window: one colour through a tile of the atlas, one colour in a rectangle, noise in a rectangle."""
_LADDER = np.array([8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192])
"""Sides of windows: few, so that many sprites share one, and close, so that little is drawn in vain."""


class Pass(NamedTuple):
    """Sprites of one kind with windows of one size, of which no two touch a pixel in common."""

    kind: int
    start: int
    stop: int
    width: int
    height: int


@dataclass(frozen=True, eq=False)
class DisplayList:
    """A batch of scenes of one size as arrays: n sprites of all scenes, in the order in which they can be painted.

    A sprite is painted into a window of pixels (j, i), counted from the window's corner. For tiles, `affine` leads from
    there to samples of the tile, and `edge` turns the sample s into cover: clip(edge₀ + edge₁·s, 0, 1). For rectangles,
    it leads to pixels from the centre, and `edge` is half of width and height.
    """

    width: int
    height: int
    scenes: int
    passes: tuple[Pass, ...]
    scene: Array
    """(n,) whole numbers: to which scene a sprite belongs."""
    corner: Array
    """(n, 2) whole numbers: column and row of the window's first pixel."""
    affine: Array
    """(n, 6): across = a·j + b·i + c and down = d·j + e·i + f."""
    tile: Array
    """(n, 3) whole numbers: where the tile begins in the atlas, its width and height."""
    edge: Array
    """(n, 2)."""
    colour: Array
    """(n, 3), from 0 to 255."""
    seed: Array
    """(n,) whole numbers, for noise."""
    ground: Array
    """(scenes, 11): two colours, a wave vector, its two phases, and a scale."""
    ground_seed: Array
    """(scenes,) whole numbers."""
    ground_kinds: tuple[tuple[str, int, int], ...]
    """Kinds of backgrounds, and from which to which scene they go."""
    place: Array
    """(scenes,) whole numbers: where each of the scenes that were given is in this list, which sorts them by kind."""
    atlas: Array

    def map(self, move: Callable[[npt.NDArray[Any]], Array]) -> DisplayList:
        """This list with each array moved: `display.map(lambda array: torch.as_tensor(array, device="cuda"))`."""
        moved = {
            field.name: move(getattr(self, field.name))
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **moved)


@dataclass(frozen=True, eq=False)
class Rows:
    """Sprites and glyphs as columns, before windows are chosen; a glyph follows its plate."""

    kind: npt.NDArray[np.int64]
    scene: npt.NDArray[np.int64]
    sprite: npt.NDArray[np.int64]
    """Place in the scene's list; −1 for glyphs."""
    box: npt.NDArray[np.int64]
    """x0, y0, x1, y1 of the pixels that it may touch, also outside of the picture."""
    numbers: npt.NDArray[np.float64]
    """Centre x, y; size along x and y; cosine and sine; colour."""
    tile: npt.NDArray[np.int64]
    seed: npt.NDArray[np.int64]


def rows_of(scenes: Sequence[FlatScene], sheet: Atlas) -> Rows:
    """All sprites and glyphs of scenes."""
    heads, numbers = [], []
    for place, scene in enumerate(scenes):
        for order, sprite in enumerate(scene.sprites):
            for (kind, itself, *tile_and_seed), row in _rows(sprite, sheet, scene.hue):
                heads.append((kind, place, order if itself else -1, *tile_and_seed))
                numbers.append(row)
    head = np.array(heads, dtype=np.int64).reshape(-1, 7)
    number = np.array(numbers, dtype=np.float64).reshape(-1, 9)
    soft = (head[:, 0] == TILE) & (head[:, 2] >= 0)  # only shapes have edges that reach beyond them
    reach = number[:, 2:4] / 2 + np.where(soft, 0.5, 0.0)[:, None]
    box = np.hstack([np.floor(number[:, :2] - reach), np.ceil(number[:, :2] + reach)]).astype(np.int64)
    return Rows(head[:, 0], head[:, 1], head[:, 2], box, number, head[:, 3:6], head[:, 6])


def _rows(sprite: Sprite, sheet: Atlas, hue: float) -> Iterator[tuple[tuple[int, ...], tuple[float, ...]]]:
    """Kind, whether it is the sprite itself, tile and seed; and the numbers: for a sprite, and then for its glyphs."""
    if not sprite.upright:
        turn = math.radians(sprite.angle)
        place = (sprite.x, sprite.y, sprite.size, sprite.size, math.cos(turn), math.sin(turn))
        yield (TILE, 1, *sheet.places["shape", 0, sprite.shape], 0), (*place, *rgb(sprite.colour, hue))
        return
    x0, y0, x1, y1 = sprite.rectangle
    noise = sprite.shape == "noise"
    place = ((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, 1.0, 0.0)
    yield (
        (NOISE if noise else BOX, 1, 0, 1, 1, sprite.seed),
        (*place, *((0, 0, 0) if noise else rgb(sprite.colour, hue))),
    )
    cell, ink = round(sprite.size), rgb(sprite.ink, hue) if sprite.text else (0, 0, 0)
    for column, character in enumerate(sprite.text):
        middle = (x0 + cell // 2 + (column + 0.5) * cell, y0 + cell // 2 + cell / 2, cell, cell, 1.0, 0.0)
        yield (TILE, 0, *sheet.places[sprite.font, cell, character], 0), (*middle, *ink)


def coefficients(rows: Rows, corner: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """`affine` and `edge` of a display list, for windows with these corners."""
    middle, size, (cos, sin) = rows.numbers[:, :2], rows.numbers[:, 2], rows.numbers[:, 4:6].T
    shapes, glyphs = (rows.kind == TILE) & (rows.sprite >= 0), rows.sprite < 0
    dx, dy = (corner + 0.5 - middle).T
    # Samples per pixel, and the sample at the centre: a glyph has one per pixel, and a rim of one.
    scale = np.where(shapes, SIDE / (2 * REACH) / size, 1.0)
    centre = np.where(shapes, SIDE / 2 - 0.5, np.where(glyphs, size / 2 + 0.5, 0.0))
    a, b = scale * cos, scale * sin
    affine = np.stack([a, b, a * dx + b * dy + centre, -b, a, a * dy - b * dx + centre], axis=1)
    boxes = (rows.kind != TILE)[:, None]
    tiles = np.where(shapes[:, None], np.stack([np.full(len(size), 0.5), -size], axis=1), (0.0, 1.0))
    edge = np.where(boxes, rows.numbers[:, 2:4] / 2, tiles)
    return affine.astype(np.float32), edge.astype(np.float32)


def sheet_for(scenes: Sequence[FlatScene]) -> Atlas:
    """The atlas with every glyph that the scenes show."""
    return atlas(frozenset((s.font, round(s.size)) for scene in scenes for s in scene.sprites if s.text))


def lower(scenes: Sequence[FlatScene]) -> DisplayList:
    """Make a display list of scenes of one size.

    Raises:
        PixelProofError: There are none, their sizes differ, or something is no scene.
    """
    require_kind("What is lowered", scenes, Sequence, "give a list of scenes")
    for scene in scenes:
        require_kind("What is drawn", scene, FlatScene, "take one of make_flat, or a frame of a clip")
    if len({(scene.width, scene.height) for scene in scenes}) != 1:
        raise PixelProofError("A display list holds one scene or more, all of one width and height: sort them by size.")
    width, height = scenes[0].width, scenes[0].height
    order = sorted(range(len(scenes)), key=lambda place: scenes[place].background.kind)
    place = np.argsort(order)
    scenes = [scenes[number] for number in order]
    sheet = sheet_for(scenes)
    rows = rows_of(scenes, sheet)
    frame = np.array([width, height])
    seen = np.hstack([rows.box[:, :2] < frame, rows.box[:, 2:] > 0]).all(axis=1)
    rows = _taken(rows, np.flatnonzero(seen))
    corner, size = _windows(rows, frame)
    stage = _stages(rows, size)
    turn = _turns(rows.scene, corner, size, stage, len(scenes))
    sorting = np.lexsort((stage, turn))
    rows, corner, size = _taken(rows, sorting), corner[sorting], size[sorting]
    affine, edge = coefficients(rows, corner)
    keys = np.column_stack([turn[sorting], stage[sorting], rows.kind, size])
    return DisplayList(
        width=width, height=height, scenes=len(scenes), passes=tuple(_passes(keys)), scene=rows.scene, corner=corner,
        affine=affine, tile=rows.tile, edge=edge, colour=rows.numbers[:, 6:].astype(np.float32), seed=rows.seed,
        ground=np.array([_ground(scene.background) for scene in scenes], dtype=np.float32),
        ground_seed=np.array([scene.background.seed for scene in scenes], dtype=np.int64),
        ground_kinds=tuple(_kinds(scenes)), place=place, atlas=sheet.samples,
    )  # fmt: skip


def _taken(rows: Rows, which: npt.NDArray[Any]) -> Rows:
    return Rows(**{field.name: getattr(rows, field.name)[which] for field in fields(rows)})


def _windows(rows: Rows, frame: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Corner and size of windows within the picture: as large as needed, for shapes as the next rung of the ladder."""
    low, high = rows.box[:, :2], rows.box[:, 2:]
    size = high - low
    shapes = (rows.kind == TILE) & (rows.sprite >= 0)
    size[shapes] = _LADDER[np.searchsorted(_LADDER, size[shapes].max(axis=1, initial=0))][:, None]
    size = np.minimum(size, frame)
    return np.clip(low, 0, frame - size), size


def _stages(rows: Rows, size: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A number for each kind and size of window: low for what is mostly below, so that one turn paints most of it."""
    glyphs = rows.sprite < 0
    kind = np.where(glyphs, 3, np.choose(rows.kind, [1, 2, 0]))  # noise, shapes, plates, glyphs
    return np.asarray((kind << 32) + (size[:, 0] << 16) + size[:, 1])


def _turns(
    scene: npt.NDArray[np.int64],
    corner: npt.NDArray[np.int64],
    size: npt.NDArray[np.int64],
    stage: npt.NDArray[np.int64],
    scenes: int,
) -> npt.NDArray[np.int64]:
    """For each sprite its turn: all stages of a turn are painted in order, and then those of the next turn.

    A sprite waits for those below it whose windows touch its own: for their stage in the same turn if that comes
    before its own, else for the next turn.
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
    """Runs of rows with one turn and stage, and so with one kind and size."""
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
