"""Which thing each pixel of a small picture shows, from depths of the single things that edited scenes share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.world._memo import Memo
from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Camera, Scene, Thing
from pixelproof.world.solid.shapes import shape_of

from ._hits import Lens
from ._raster import rasterise
from ._vectors import transform


class Overview(NamedTuple):
    """The layers `ids` and `visible` of a picture, as in `Layers`."""

    ids: npt.NDArray[np.uint16]
    visible: npt.NDArray[np.float32]


class _Depths(NamedTuple):
    """Depths of a thing alone, in the rectangle of the picture that it fills."""

    top: int
    left: int
    depth: Floats
    """Infinite where it is not."""


_kept = Memo[tuple[tuple[Camera, int], _Depths]](600)


def overview(scene: Scene, side: int) -> Overview:
    """Which thing each pixel of a square picture shows, and how much of each is visible.

    It has the values of `render`, in less time: depths are kept with each thing, so of an edited scene, only the things
    that changed are drawn again.
    """
    nearest = np.full((side, side), np.inf)
    ids = np.zeros((side, side), np.uint16)
    whole = np.zeros(len(scene.things))
    for number, thing in enumerate(scene.things, 1):
        top, left, depth = _depths(scene.camera, thing, side)
        rows, columns = slice(top, top + depth.shape[0]), slice(left, left + depth.shape[1])
        closer = depth < nearest[rows, columns]  # of equal depths, the first counts
        nearest[rows, columns][closer] = depth[closer]
        ids[rows, columns][closer] = number
        whole[number - 1] = 0 if thing.fixed else np.count_nonzero(depth < np.inf)
    seen = np.bincount(ids.reshape(-1), minlength=len(whole) + 1)[1:]
    shares = np.divide(seen, whole, out=np.zeros(len(whole)), where=whole > 0)
    return Overview(ids, shares.astype(np.float32))


def _depths(camera: Camera, thing: Thing, side: int) -> _Depths:
    key = camera, side
    known = _kept.get(thing, lambda: (key, _drawn(camera, thing, side)))
    return known[1] if known[0] == key else _drawn(camera, thing, side)


def _drawn(camera: Camera, thing: Thing, side: int) -> _Depths:
    lens = Lens.of(camera, side, side)
    depth, triangle = np.full((side, side), np.inf), np.full((side, side), -1, np.int32)
    turn, (x, y, z) = rotation_matrix(thing.rotation), np.subtract(thing.position, camera.position).tolist()
    for part in shape_of(thing).parts:
        vertices = transform(part.vertices, turn * thing.scale, (x, y, z))
        pixels = transform(vertices, lens.matrix @ lens.turn.T, (0.0, 0.0, 0.0))
        nothing, faces = np.full(len(part.faces), -1, np.int32), part.faces.copy()  # the loop is compiled for writable
        rasterise(pixels, faces, nothing, depth, triangle, np.zeros((1, 0, 0), np.bool_))
    rows, columns = (np.flatnonzero((triangle >= 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return _Depths(0, 0, np.empty((0, 0)))
    top, left = int(rows[0]), int(columns[0])
    return _Depths(top, left, depth[top : rows[-1] + 1, left : columns[-1] + 1].copy())
