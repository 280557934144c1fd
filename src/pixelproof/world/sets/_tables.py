"""The tables of a set: columns that kinds share, reading, damage detection, and random access to items."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Box
from pixelproof.store import Records, StorageError, local_path

from ._cards import Card, file_hashes, read_card
from ._files import Arrays, read_arrays, read_text
from ._recipe import Recipe, Row, Table

BOX = pa.list_(pa.int32())
"""A bounding box: left, top, right, bottom; right and bottom are exclusive."""
ITEM = [
    pa.field("order", pa.int64(), nullable=False),
    pa.field("id", pa.string(), nullable=False),
    ("kind", pa.string()),
    ("seed", pa.int64()),
    ("index", pa.int64()),
    ("shard", pa.string()),
    ("things", pa.int32()),
    ("width", pa.int32()),
    ("height", pa.int32()),
    ("scene", pa.string()),
    ("digest", pa.string()),
    ("sizes", pa.list_(pa.int64())),
]
"""Columns of the table of items of every kind."""
SCENES = Table("scenes", pa.schema(ITEM))
CLIPS = Table("clips", pa.schema([*ITEM, ("frames", pa.int32())]))
PART = [
    pa.field("order", pa.int64(), nullable=False),
    pa.field("scene", pa.string(), nullable=False),
    ("index", pa.int64()),
    ("number", pa.int32()),
    ("thing", pa.string()),
]
"""Columns of the table of parts of every kind."""
FRAME = pa.field("frame", pa.int32())

_MOST_THINGS, _MOST_FRAMES = 2**14, 2**14  # more than any item has


def box_cell(box: Box | None) -> list[int] | None:
    """A bounding box as a table stores it.

    >>> box_cell((1, 2, 3, 4)), box_cell(None)
    ([1, 2, 3, 4], None)
    """
    return None if box is None else list(box)


def part_order(index: int, number: int, frame: int = 0) -> int:
    """Sort key of the row of a thing in a frame of an item: unique, and rows of one item are adjacent.

    >>> part_order(1, 0) - part_order(0, 2**14 - 1, 2**14 - 1)
    1
    """
    return (index * _MOST_FRAMES + frame) * _MOST_THINGS + number


def tables_of(recipe: Recipe) -> tuple[Table, Table]:
    """The table of items and the table of their parts."""
    return recipe.items, recipe.parts


def table_rows(directory: Path, table: Table, columns: list[str] | None = None) -> Iterator[Row]:
    """The rows of a table, sorted.

    Raises:
        PixelProofError: The table is damaged.
    """
    try:
        yield from Records(directory, table.name, table.schema).rows(columns)
    except PixelProofError as error:  # its message mentions --resume, which does not apply here
        raise PixelProofError(
            f"{directory / table.name}.parquet is damaged: run the command that made the set again, which restores it."
        ) from error


def count_rows(directory: Path, table: Table) -> int | None:
    """Number of rows of a table; None if some cannot be read."""
    try:
        return sum(1 for _ in table_rows(directory, table))
    except PixelProofError:
        return None


def changed_tables(directory: Path, card: Card) -> list[Table]:
    """Tables whose hash differs from the card; none if the card has no hashes."""
    hashes = file_hashes(directory, card.recipe) if card.files else {}
    tables = {f"{table.name}.parquet": table for table in tables_of(card.recipe)}
    return [tables[name] for name, sha in hashes.items() if card.files.get(name) != sha]


def lost_tables(directory: Path, card: Card) -> list[Table]:
    """Tables to write again: changed ones; in an incomplete set, those that cannot be read."""
    if card.files:
        return changed_tables(directory, card)
    counts = [(table, count_rows(directory, table)) for table in tables_of(card.recipe)]
    (_, items), (parts, part_count) = counts
    missing = [parts] if items and part_count == 0 else []
    return [table for table, count in counts if count is None] + missing


def remove_table(directory: Path, table: Table) -> None:
    """Delete a table, so that it is written again."""
    path = directory / f"{table.name}.parquet"
    try:
        path.unlink(missing_ok=True)
        shutil.rmtree(path.with_suffix(".parts"), ignore_errors=True)
    except OSError as error:
        raise StorageError(f"Cannot write {path}.") from error


class SceneSet:
    """A set on disk, read lazily: `len(set)`, `set[12]`, and iteration over (item, layers)."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.card = directory, read_card(directory)
        if not self.card.complete:
            raise PixelProofError(
                f"{directory} is not complete: run the command that made the set again, which continues it."
            )

    def __len__(self) -> int:
        return self.card.n

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Read an item, such as a `Scene`, and its layers.

        Raises:
            PixelProofError: A file is missing or damaged.
            IndexError: There is no such item.
        """
        text, arrays = self.stored(index)
        return self.card.recipe.parse(text), self.card.recipe.to_layers(arrays)

    def stored(self, index: int) -> tuple[str, Arrays]:
        """The JSON and the arrays of an item, as stored."""
        if not 0 <= index < len(self):
            raise IndexError(f"The set has items 0 to {len(self) - 1}, not {index}.")
        stem, recipe = self.card.stem(self.directory, index), self.card.recipe
        return read_text(stem), read_arrays(stem, recipe.layers, recipe.height if recipe.moving else None)

    def texts(self) -> Iterator[str]:
        """The JSON of every item, in order.

        Raises:
            PixelProofError: A file is missing, or differs from the table of the set.
        """
        for row in table_rows(self.directory, self.card.recipe.items, ["index", "scene"]):
            stem = self.card.stem(self.directory, row["index"])
            if read_text(stem) != row["scene"]:
                raise PixelProofError(
                    f"{stem}.json differs from the table of the set: delete it and run the command that made the set "
                    "again."
                )
            yield row["scene"]

    def parts(self, index: int) -> list[Row]:
        """The table rows of the parts of an item, such as its things."""
        return [row for row in table_rows(self.directory, self.card.recipe.parts) if row["index"] == index]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return (self[index] for index in range(len(self)))


def read_set(directory: Path | str) -> SceneSet:
    """Open a set in a folder or at a URL.

    Raises:
        PixelProofError: There is no set, or it is not complete.
    """
    return SceneSet(local_path(directory))
