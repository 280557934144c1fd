"""Sets of pairs in the files of GSI-Bench."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from pixelproof.benches.spatial._gsi_files import GsiAnnotation, Matrix, write_gsi_item
from pixelproof.contract import PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.world.language import words_of
from pixelproof.world.pairs import PRESETS, Pair
from pixelproof.world.sets import read_set
from pixelproof.world.solid import Camera, Thing, rotation_matrix


def export_gsi(directory: Path, out: Path) -> tuple[int, int]:
    """Write the pairs of a set as GSI-Bench releases them.

    Args:
        directory: A set of `pixelproof spatial make` with the layers `before` and `after`.
        out: Folder to write; it must be new or empty, because a folder of GSI-Bench is read as a whole.

    Returns:
        The number of pairs that were written, and of those that were not: operations that GSI-Bench does not have.

    Raises:
        PixelProofError: The set is missing, not complete, of another kind, or a file of it is damaged; or the folder
            has files already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise PixelProofError(f"{out} has files already: choose a new or an empty folder.")
    pairs = read_set(directory)
    recipe = pairs.card.recipe
    if recipe.kind != "pair" or not {"before", "after"} <= set(recipe.layers):
        raise PixelProofError(f"{directory} is not a set of pairs with both pictures: make one with spatial make.")
    written = 0
    for index in range(len(pairs)):
        pair, layers = pairs[index]
        if pair.operation in PRESETS["gsi"].operations and pair.possible:
            before, after = (encode_png(one.rgb).data for one in (layers.before, layers.after))
            height, width = layers.before.rgb.shape[:2]
            write_gsi_item(out, f"{index:06d}", 0, gsi_annotation(pair, width, height), before, after)
            written += 1
    return written, len(pairs) - written


def gsi_annotation(pair: Pair, width: int, height: int) -> GsiAnnotation:
    """The annotation of a pair of one edit: boxes in the camera's frame, x right, y down, z forward."""
    edit, camera = pair.edit, pair.before.camera
    intrinsics = _matrix(camera.intrinsics(width, height))
    if not edit.target:
        return GsiAnnotation(pair.text, "camera", camera_intrinsics=intrinsics)
    old = pair.before.thing(edit.target)
    new = next((thing for thing in pair.after.things if thing.id == edit.target), None)
    anchor = pair.before.thing(edit.anchor) if edit.anchor else None
    return GsiAnnotation(
        pair.text,
        thing_name(old),
        _box(old, camera),
        None if new is None else _box(new, camera),
        _matrix(camera_axes(old, camera)),
        None if new is None else _matrix(camera_axes(new, camera)),
        intrinsics,
        None if anchor is None else thing_name(anchor),
        None if anchor is None else tuple(camera_point(anchor.centre, camera).tolist()),
    )


def thing_name(thing: Thing) -> str:
    words = words_of(thing)
    return " ".join(word for word in (words.colour, words.material, words.noun) if word)


def camera_point(point: np.ndarray, camera: Camera) -> np.ndarray:
    return np.asarray((point - np.asarray(camera.position)) @ rotation_matrix(camera.rotation))


def camera_axes(thing: Thing, camera: Camera) -> np.ndarray:
    """Columns: directions of width, height (downwards) and length of a thing, in the camera's frame."""
    x, y, z = rotation_matrix(thing.rotation).T
    return np.asarray(rotation_matrix(camera.rotation).T @ np.column_stack([x, -z, y]))


def _box(thing: Thing, camera: Camera) -> tuple[float, ...]:
    axes = camera_axes(thing, camera)
    width, length, height = thing.size
    yaw = math.atan2(float(axes[2, 0]), float(axes[0, 0]))
    return (*camera_point(thing.centre, camera).tolist(), width, height, length, yaw)


def _matrix(values: np.ndarray) -> Matrix:
    return tuple(tuple(row) for row in values.tolist())
