"""Sets of scenes on disk: made in parallel, continued after any interruption, read one scene at a time.

    DIR/card.json                  what the set was made from and by, and the hash of its content
    DIR/scenes.parquet             a row for each scene
    DIR/things.parquet             a row for each thing of each scene
    DIR/shard-00000/000012.json    the scene,
                    000012.png     its picture
                    000012.npz     and its other layers

A scene is done once its row is stored, which happens after its files are whole. A folder that lacks scenes has `.part`
at the end of its name, so one without it is complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.store import Lock, Records, executor, replacing

from ._cards import Card, open_card
from ._files import encode_files, scene_digest, stored_arrays, suffixes
from ._recipe import Recipe
from ._truth import SCENES, THINGS, scene_row, thing_rows

Progress = Callable[[int, int], None]
"""Called with the number of scenes that are done and of all."""


@dataclass(frozen=True)
class MadeScene:
    """A scene that a worker made: its files by suffix, and its rows."""

    index: int
    files: dict[str, bytes]
    row: dict[str, Any]
    things: list[dict[str, Any]]


def make_one(recipe: Recipe, index: int) -> MadeScene:
    """Make one scene of a set, with its picture and truth."""
    scene = recipe.scene(index)
    layers = recipe.picture(scene)
    text = scene.to_json()
    arrays = stored_arrays(layers, recipe.layers)
    id = recipe.scene_id(index)
    row = scene_row(id, scene, recipe.width, recipe.height) | {
        "split": recipe.split,
        "scene": text,
        "digest": scene_digest(text, arrays),
    }
    return MadeScene(index, encode_files(text, arrays), row, thing_rows(id, scene, layers.ids, layers.amodal))


def nobody(done: int, total: int) -> None:
    """Watch nothing."""


def make_set(
    recipe: Recipe, n: int, out: Path | str, *, workers: int | None = None, progress: Progress = nobody
) -> Card:
    """Make a set of n scenes, or what is missing of it; the same recipe always gives the same bytes.

    Args:
        recipe: What to make.
        n: How many scenes, with indices from 0. A set can be continued with a larger number.
        out: Its folder.
        workers: Processes; as many as there are cores unless told otherwise.
        progress: Called after each scene.

    Raises:
        PixelProofError: The folder holds something else, the disk is full, or a scene cannot be laid out. What was
            made before is safe, and the same call goes on from there.
    """
    out = Path(out)
    try:
        with _lock(out):
            return _SetWriter(out, open_card(out, recipe, n)).make(workers, progress)
    except PixelProofError as error:
        cause = error.__cause__
        if not isinstance(cause, OSError) or not str(error).startswith("Cannot write"):
            raise
        raise PixelProofError(  # the message of the store tells of --resume, which is not needed here
            f"Cannot write in {out} ({cause.strerror or cause}): make room or allow writing there, and give the same "
            "command again, which goes on from the scenes that are done."
        ) from error


def _lock(out: Path) -> Lock:
    if out.exists() and not (out / "card.json").exists():
        if not out.is_dir() or any(path.name != ".lock" for path in out.iterdir()):
            raise PixelProofError(f"{out} is no set of scenes, and nothing in it is touched: choose another folder.")
    return Lock(out)


class _SetWriter:
    def __init__(self, out: Path, card: Card) -> None:
        self._out, self._card = out, card
        self._suffixes = suffixes(card.recipe.layers)
        # Short parts: a part is held in memory when it is sealed, and rows of scenes are long.
        self._scenes = Records(out, "scenes", SCENES, shard_rows=256)
        self._things = Records(out, "things", THINGS, shard_rows=1024)

    def make(self, workers: int | None, progress: Progress) -> Card:
        card = self._card
        missing = [index for index in range(card.n) if not self._is_done(index)]
        progress(card.n - len(missing), card.n)
        if not missing and card.complete:
            return card
        for shard in sorted({card.shard_of(index) for index in missing}):
            self._move(shard, to=".part")
        with self._scenes, self._things:
            with executor("serial" if workers == 1 else "processes", workers) as pool:
                made = pool.map(partial(make_one, card.recipe), iter(missing), chunk=1)
                for done, scene in enumerate(made, card.n - len(missing) + 1):
                    self._store(scene)
                    progress(done, card.n)
            for shard in sorted({card.shard_of(index) for index in range(card.n)}):
                self._move(shard, to="")
            self._scenes.compact()
            self._things.compact()
        return card.completed(self._out, (row["digest"] for row in self._scenes.rows(["digest"])))

    def _is_done(self, index: int) -> bool:
        if index not in self._scenes:
            return False
        stem = self._card.stem(self._out, index)
        return all(stem.with_name(stem.name + suffix).exists() for suffix in self._suffixes)

    def _store(self, scene: MadeScene) -> None:
        """Files first, its row last: a scene with a row is whole."""
        stem = self._card.stem(self._out, scene.index)
        for suffix, content in scene.files.items():
            with replacing(stem.with_name(stem.name + suffix), sync=False) as temporary:
                temporary.write_bytes(content)
        for row in scene.things:
            self._things.put(row)
        shard = self._card.shard_of(scene.index)
        self._scenes.put(scene.row | {"shard": shard})
        last = min((scene.index // self._card.shard + 1) * self._card.shard, self._card.n) - 1
        if scene.index == last:
            self._move(shard, to="")

    def _move(self, shard: str, to: str) -> None:
        """Give a folder the name of one that is full, or `.part`."""
        source, target = self._out / (shard if to else shard + ".part"), self._out / (shard + to)
        try:
            if source.is_dir():
                for leftover in source.glob(".*.tmp"):  # of a process that was killed
                    leftover.unlink()
                os.replace(source, target)
        except OSError as error:
            raise PixelProofError(f"Cannot write {target}.") from error


def picture_of(work: tuple[Recipe, int]) -> npt.NDArray[np.uint8]:
    """The picture alone of the scene that a recipe has at an index; for other processes to run."""
    recipe, index = work
    return recipe.picture(recipe.scene(index)).rgb
