"""Does a set of scenes hold what it promises? Every rule of every scene, every hash, every layer against the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.store import Records, digest, executor
from pixelproof.world.solid._scene import Scene

from ._cards import Card, file_hashes, read_card
from ._files import Arrays, read_arrays, read_text, scene_digest
from ._making import Progress, nobody
from ._truth import SCENES, THINGS, projected_corners, thing_rows

Row = dict[str, Any]
Wrong = tuple[str, str, str]
"""A rule, a thing, a message."""

_SLACK = 0.01
"""Pixels by which a mask may reach over its projected box: vertices are of single precision."""
_UNIT = 2e-3
"""How far a stored normal may be from length one: float16 has eleven bits."""


@dataclass(frozen=True)
class Problem:
    """Something that is not as it should be."""

    scene: str
    rule: str
    thing: str
    message: str


def check_scene(scene: Scene, name: str = "", occlusion: float = 1.0) -> list[Problem]:
    """What is physically or otherwise wrong in a scene, where things may hide each other so much."""
    from pixelproof.world.solid._rules import violations

    return [Problem(name, found.rule, found.thing, found.message) for found in violations(scene, occlusion)]


def check_set(directory: Path, *, workers: int | None = None, progress: Progress = nobody) -> Iterator[Problem]:
    """All that is wrong in a set, scene by scene.

    Raises:
        PixelProofError: There is no set, or its tables cannot be read at all.
    """
    card = read_card(directory)
    yield from _check_tables(directory, card)
    scenes = Records(directory, "scenes", SCENES).rows()
    tasks = _with_things(scenes, Records(directory, "things", THINGS).rows())
    with executor("serial" if workers == 1 else "processes", workers) as pool:
        for done, problems in enumerate(pool.map(partial(_check_stored, directory, card), tasks, chunk=4), 1):
            progress(done, card.n)
            yield from problems


def _with_things(scenes: Iterator[Row], things: Iterator[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Each row of a scene with those of its things; both come sorted."""
    groups = groupby(things, key=lambda row: row["index"])
    index, group = next(groups, (-1, iter(())))
    for row in scenes:
        while 0 <= index < row["index"]:
            index, group = next(groups, (-1, iter(())))
        yield row, list(group) if index == row["index"] else []


def _check_tables(directory: Path, card: Card) -> Iterator[Problem]:
    if not card.complete:
        yield Problem("", "complete", "", "scenes are missing: give the pixelproof world make command again")
        return
    for name, sha in file_hashes(directory).items():
        if card.files.get(name) != sha:
            yield Problem("", "hash", "", f"{name} is not the file that was made")
    digests = [row["digest"] for row in Records(directory, "scenes", SCENES).rows(["digest"])]
    if len(digests) != card.n:
        yield Problem("", "complete", "", f"there are rows of {len(digests)} scenes, and not of {card.n}")
    elif digest(digests) != card.digest:
        yield Problem("", "hash", "", "the hashes of the scenes are not those that the card was written for")


def _check_stored(directory: Path, card: Card, task: tuple[Row, list[Row]]) -> list[Problem]:
    row, things = task
    stem = card.stem(directory, row["index"])
    try:
        text = read_text(stem)
        arrays = read_arrays(stem, card.recipe.layers)
        scene = Scene.from_json(text)
    except PixelProofError as error:
        return [Problem(row["id"], "files", "", str(error))]
    if scene_digest(text, arrays) != row["digest"] or text != row["scene"]:
        files = f"{stem}.*"
        return [Problem(row["id"], "hash", "", f"{files} are not what was made: delete them and run world make again")]
    wrong = [
        *check_layers(scene, arrays, (card.recipe.height, card.recipe.width)),
        *_check_rows(row["id"], scene, arrays, things),
    ]
    return [Problem(row["id"], *rest) for rest in wrong] + check_scene(scene, row["id"], card.recipe.occlusion)


def check_layers(scene: Scene, arrays: Arrays, size: tuple[int, int]) -> Iterator[Wrong]:
    """What is wrong in layers by themselves or with one another.

    Args:
        scene: That they show.
        arrays: Stored layers, all or some.
        size: Height and width that they should have.
    """
    count = len(scene.things)
    shapes = {"rgb": (*size, 3), "depth": size, "normals": (*size, 3), "ids": size, "amodal": (count, *size)}
    wrong = [name for name, array in arrays.items() if array.shape != shapes.get(name, (count,))]
    for name in wrong:
        yield "size", "", f"{name} is of shape {arrays[name].shape} and not {shapes.get(name, (count,))}"
    if wrong:
        return
    ids = arrays.get("ids")
    if ids is not None:
        if ids.max(initial=0) > count:
            yield "ids", "", f"id {ids.max()} is seen where there are {count} things"
        yield from _check_surfaces(ids > 0, arrays)
    if "amodal" in arrays:
        yield from _check_masks(scene, arrays)


def _check_surfaces(something: npt.NDArray[np.bool_], arrays: Arrays) -> Iterator[Wrong]:
    if "depth" in arrays:
        depth = arrays["depth"]
        if not (np.isfinite(depth[something]).all() and (depth[something] > 0).all()):
            yield "depth", "", "there is a thing without a finite depth"
        if not np.isposinf(depth[~something]).all():
            yield "depth", "", "there is a depth where there is no thing"
    if "normals" in arrays:
        length = np.linalg.norm(arrays["normals"].astype(np.float32), axis=-1)
        if not (np.abs(length[something] - 1) < _UNIT).all() or length[~something].any():
            yield "normals", "", "there are normals that are not of length one on things and zero elsewhere"


def _check_masks(scene: Scene, arrays: Arrays) -> Iterator[Wrong]:
    ids, visible = arrays.get("ids"), arrays.get("visible")
    for number, (thing, mask) in enumerate(zip(scene.things, arrays["amodal"], strict=True), 1):
        if thing.fixed:
            if mask.any():
                yield "amodal", thing.id, "a fixed thing has an amodal mask"
            continue
        if ids is not None:
            seen = ids == number
            if (seen & ~mask).any():
                yield "amodal", thing.id, f"{(seen & ~mask).sum()} pixels are seen outside of its amodal mask"
            share = seen.sum() / max(mask.sum(), 1)
            if visible is not None and abs(visible[number - 1] - share) > 1e-6:
                yield "visible", thing.id, f"{visible[number - 1]:.4f} is stored, and {share:.4f} is seen"
        outside = _outside_box(mask, projected_corners(thing, scene.camera, *mask.shape[::-1]))
        if outside:
            yield "box", thing.id, f"{outside} pixels of its mask are outside of its projected box"


def _outside_box(mask: npt.NDArray[np.bool_], corners: npt.NDArray[np.float64] | None) -> int:
    """Pixels of a mask outside of the convex hull of projected corners; none where a corner is behind the camera."""
    from scipy.spatial import ConvexHull

    if corners is None or not mask.any():
        return 0
    points = np.argwhere(mask)[:, ::-1] + 0.5
    planes = ConvexHull(corners[:, :2], qhull_options="QJ").equations  # which also takes a plate seen from its edge
    return int((points @ planes[:, :2].T + planes[:, 2] > _SLACK).any(axis=1).sum())


def _check_rows(id: str, scene: Scene, arrays: Arrays, rows: list[Row]) -> Iterator[Wrong]:
    """What the table of things says otherwise than the layers do."""
    if not {"ids", "amodal"} <= arrays.keys() or arrays["amodal"].shape[1:] != arrays["ids"].shape:
        return
    fresh = thing_rows(id, scene, arrays["ids"], arrays["amodal"])
    if len(fresh) != len(rows):
        yield "table", "", f"things.parquet has {len(rows)} of {len(fresh)} things"
        return
    for new, old in zip(fresh, rows, strict=True):
        for key in new:
            if not _alike(new[key], old[key]):
                yield "table", new["thing"], f"things.parquet has {key} {old[key]}, and it is {new[key]}"


def _alike(a: Any, b: Any) -> bool:
    """Equal but for the last digits, which another processor may round otherwise."""
    if a is None or b is None or isinstance(a, str):
        return bool(a == b)
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-6)
