"""The tables of a set: read, found damaged, and thrown away to be made again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import Records, StorageError

from ._cards import Card, file_hashes
from ._recipe import Recipe, Row, Table


def tables_of(recipe: Recipe) -> tuple[Table, Table]:
    """That of the items, and that of what is in them."""
    return recipe.items, recipe.parts


def table_rows(directory: Path, table: Table, columns: list[str] | None = None) -> Iterator[Row]:
    """The rows of a table, sorted.

    Raises:
        PixelProofError: The table is damaged.
    """
    try:
        yield from Records(directory, table.name, table.schema).rows(columns)
    except PixelProofError as error:  # whose message tells of --resume, which is not needed here
        raise PixelProofError(
            f"{directory / table.name}.parquet is damaged: give the pixelproof world make command again, which makes "
            "it anew."
        ) from error


def count_rows(directory: Path, table: Table) -> int | None:
    """How many rows a table has, or None if not all can be read."""
    try:
        return sum(1 for _ in table_rows(directory, table))
    except PixelProofError:
        return None


def changed_tables(directory: Path, card: Card) -> list[Table]:
    """Tables that are not those that the card of a complete set was written for; none if the card knows of none."""
    hashes = file_hashes(directory, card.recipe) if card.files else {}
    tables = {f"{table.name}.parquet": table for table in tables_of(card.recipe)}
    return [tables[name] for name, sha in hashes.items() if card.files.get(name) != sha]


def lost_tables(directory: Path, card: Card) -> list[Table]:
    """Tables to be made again: those that changed; in a set that was not complete, those that cannot be read."""
    if card.files:
        return changed_tables(directory, card)
    counts = [(table, count_rows(directory, table)) for table in tables_of(card.recipe)]
    (_, items), (parts, found) = counts
    gone = [parts] if items and found == 0 else []
    return [table for table, count in counts if count is None] + gone


def remove_table(directory: Path, table: Table) -> None:
    """Throw a table away, to make it again."""
    path = directory / f"{table.name}.parquet"
    try:
        path.unlink(missing_ok=True)
        shutil.rmtree(path.with_suffix(".parts"), ignore_errors=True)
    except OSError as error:
        raise StorageError(f"Cannot write {path}.") from error
