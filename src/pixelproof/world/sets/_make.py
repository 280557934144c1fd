"""Generation of sets on disk: in parallel, resumable after any interruption.

    DIR/card.json                  recipe, software versions and content hash
    DIR/scenes.parquet             one row per scene (clips: clips.parquet)
    DIR/things.parquet             one row per thing (clips: tracks.parquet, one row per thing and frame)
    DIR/shard-00000/000012.json    the scene
                    000012.png     its image, or its frames stacked vertically (pairs: .before.png, .after.png)
                    000012.npz     its other layers

An item is done once its row is stored, after its files are complete. The name of a folder that lacks items ends in
`.part`. The file `.lock` remains when a set is done: removing it would race with the next process that locks it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.store import (
    Lock,
    Progress,
    Records,
    StorageError,
    Workers,
    executor_for,
    no_progress,
    place_of,
    replacing,
    writable,
)

from ._cards import Card, open_card, require_count
from ._files import encode_files, file_sizes, scene_digest, suffixes
from ._recipe import Recipe, Table
from ._tables import lost_tables, remove_table, table_rows


@dataclass(frozen=True)
class EncodedItem:
    """An encoded item: file suffix → bytes, and its table rows."""

    index: int
    files: dict[str, bytes]
    row: dict[str, Any]
    parts: list[dict[str, Any]]


def generate_item(recipe: Recipe, index: int) -> EncodedItem:
    """Generate, render and encode one item of a set."""
    made = recipe.render(index, recipe.item(index))
    files = encode_files(made.json, made.arrays)
    row = made.row | {
        "id": recipe.item_id(index),
        "scene": made.json,
        "digest": scene_digest(made.json, made.arrays),
        "sizes": [len(content) for content in files.values()],
    }
    return EncodedItem(index, files, row, made.parts)


def make_set(
    recipe: Recipe, n: int, out: Path | str, *, workers: Workers = None, progress: Progress = no_progress
) -> Card:
    """Generate a set of n items, or the items that are missing; the same recipe gives the same bytes.

    Args:
        recipe: What to generate.
        n: Number of items, with indices from 0. A larger number extends an existing set.
        out: Folder of the set, or a URL.
        workers: Number of processes, or a cluster; None: a process per core.
        progress: Called after each item.

    Raises:
        PixelProofError: The folder holds something else, the disk is full, or an item cannot be generated. Finished
            items are kept, and the same call continues.
    """
    if not hasattr(recipe, "render"):
        raise PixelProofError("The first argument must be a recipe, such as recipe_class('flat')('flat', seed=7).")
    if not isinstance(out, str | os.PathLike):
        raise PixelProofError(f"out must be the path of a folder, not {out}.")
    require_count(recipe, n)  # before there is a folder
    with writable(place_of(out)) as folder:
        return _made(recipe, n, folder, workers, progress)


def _made(recipe: Recipe, n: int, out: Path, workers: Workers, progress: Progress) -> Card:
    try:
        with _lock(out):
            return _SetWriter(out, open_card(out, recipe, n)).make(workers, progress)
    except StorageError as error:  # its message mentions --resume, which does not apply here
        reason = getattr(error.__cause__, "strerror", None) or error.__cause__
        raise PixelProofError(
            f"Cannot write in {out} ({reason}): free disk space or allow writing, then run the same command again, "
            "which continues with the missing scenes."
        ) from error


def _lock(out: Path) -> Lock:
    if out.exists() and not (out / "card.json").exists():
        if not out.is_dir() or any(path.name != ".lock" for path in out.iterdir()):
            raise PixelProofError(f"{out} is not a set of scenes and was not changed: choose another folder.")
    return Lock(out)


class _SetWriter:
    def __init__(self, out: Path, card: Card) -> None:
        self._out, self._card = out, card
        self._suffixes = suffixes(card.recipe.layers, card.recipe.moving)

    def make(self, workers: Workers, progress: Progress) -> Card:
        card = self._card
        lost = lost_tables(self._out, card)
        done = set() if lost else self._done()
        missing = [index for index in range(card.n) if index not in done]
        progress(len(done), card.n)
        if not missing and card.complete:
            return card
        card.require_software(self._out)
        with executor_for(workers) as pool:
            work = partial(generate_item, card.recipe)
            made = iter(pool.map(work, iter(missing), chunk=getattr(card.recipe, "batch", 1)))
            first = list(
                islice(made, 1)
            )  # before anything is written, so that an impossible recipe leaves nothing behind
            self._begin(missing, lost)
            with self._items, self._parts:
                for count, item in enumerate(chain(first, made), len(done) + 1):
                    self._store(item)
                    progress(count, card.n)
                for shard in sorted({card.shard_of(index) for index in range(card.n)}):
                    self._move(shard, to="")
                self._items.compact()
                self._parts.compact()
        return card.completed(self._out, (row["digest"] for row in self._items.rows(["digest"])))

    def _done(self) -> set[int]:
        """Indices of items that have a row and files of the recorded sizes."""
        rows = table_rows(self._out, self._card.recipe.items, ["index", "sizes"])
        return {
            row["index"]
            for row in rows
            if file_sizes(self._card.stem(self._out, row["index"]), self._suffixes) == row["sizes"]
        }

    def _begin(self, missing: list[int], lost: list[Table]) -> None:
        recipe = self._card.recipe
        self._card.begun(self._out)
        for table in lost:
            remove_table(self._out, table)
        for shard in sorted({self._card.shard_of(index) for index in missing}):
            self._move(shard, to=".part")
        # Short shards: a shard is held in memory when it is sealed, and rows of scenes are long.
        self._items = Records(self._out, recipe.items.name, recipe.items.schema, shard_rows=256)
        self._parts = Records(self._out, recipe.parts.name, recipe.parts.schema, shard_rows=1024)

    def _store(self, item: EncodedItem) -> None:
        """Write the files first and the row last, so that an item with a row is complete."""
        stem = self._card.stem(self._out, item.index)
        for suffix, content in item.files.items():
            with replacing(stem.with_name(stem.name + suffix), sync=False) as temporary:
                temporary.write_bytes(content)
        for row in item.parts:
            self._parts.put(row)
        shard = self._card.shard_of(item.index)
        self._items.put(item.row | {"shard": shard})
        last = min((item.index // self._card.shard + 1) * self._card.shard, self._card.n) - 1
        if item.index == last:
            self._move(shard, to="")

    def _move(self, shard: str, to: str) -> None:
        """Rename a shard folder: to its final name, or to the name that ends in `.part`."""
        source, target = self._out / (shard if to else shard + ".part"), self._out / (shard + to)
        try:
            if source.is_dir():
                for leftover in source.glob(".*.tmp"):  # left by a killed process
                    leftover.unlink()
                os.replace(source, target)
        except OSError as error:
            raise StorageError(f"Cannot write {target}.") from error


def picture_of(work: tuple[Recipe, int]) -> npt.NDArray[np.uint8]:
    """Render the RGB image of one item (recipe, index); of a clip, its middle frame. Suits worker processes."""
    recipe, index = work
    bare: Recipe = replace(recipe, layers=("rgb",))  # type: ignore[type-var]  # recipes are data classes
    rgb = bare.render(index, bare.item(index)).arrays["rgb"]
    return np.asarray(rgb[len(rgb) // 2] if recipe.moving else rgb, np.uint8)
