"""The tables of a set: reading, damage detection, removal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import Records, StorageError

from ._cards import Card, file_hashes
from ._recipe import Recipe, Row, Table


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
