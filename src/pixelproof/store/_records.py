"""Keyed tables that grow row by row, survive `kill -9`, and are compacted to one Parquet file."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from ._files import storage_error, sync_path, write_parquet
from ._journal import Journal
from ._keys import Keys
from ._schema import row_checker
from ._shards import Row, foreign, merged_rows, read_orders

_JOURNAL_BYTES = 32 * 2**20
_GROUP_ROWS = 1024
_GROUP_TEXT = 8 * 2**20


class Records:
    """A table on disk with a unique int64 column `order`; putting an order again replaces its row.

    `<name>.parquet` is the compacted table. `<name>.parts/` has newer rows: a journal, sealed shards
    `part-000001.parquet` of up to `shard_rows` rows, and, at the end of a compaction, `whole.parquet`, which replaces
    everything else. Each file is sorted by order. Opening changes nothing, so any process may read; a writer must hold
    the `Lock` of the directory before it opens.
    """

    def __init__(self, directory: Path, name: str, schema: pa.Schema, shard_rows: int = 4096) -> None:
        self._check = row_checker(schema)
        self._schema = schema
        self._shard_rows = shard_rows
        self._table = directory / f"{name}.parquet"
        self._parts = directory / f"{name}.parts"
        self._whole = self._parts / "whole.parquet"
        self._journal = Journal(self._parts / "journal.jsonl")
        self._began = False
        journal = self._journal_rows()  # first; `rows` gives the reason
        self._keys = Keys([read_orders(path, schema) for path in self._files()])
        for row in journal:
            self._keys.add(row["order"])

    def put(self, row: Mapping[str, Any], *, sync: bool = False) -> None:
        """Store a row; once this returns, the row survives a kill of the process, and with `sync` a power failure.

        Raises:
            PixelProofError: The row cannot be written; all rows before are safe.
            TypeError: The row does not fit the schema.
        """
        self._check(row)
        self._begin()
        self._journal.append(dict(row), sync=sync)
        self._keys.add(row["order"])
        if self._journal.lines >= self._shard_rows or self._journal.size > _JOURNAL_BYTES:
            self._seal()

    def __contains__(self, order: object) -> bool:
        return order in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[Row]:
        """All rows by order, read in small batches; memory use does not grow with the table.

        Args:
            columns: Read only these, and `order`.

        Raises:
            KeyError: There is no such column.
        """
        wanted = self._schema.names if columns is None else dict.fromkeys(["order", *columns])
        names = [self._schema.field(name).name for name in wanted]
        # Read the journal first: the rows of a shard that is sealed meanwhile are then read twice instead of never.
        journal = self._journal_rows()
        latest = (row for batch in self._batches(journal) for row in batch.select(names).to_pylist())
        return merged_rows(self._files(), self._schema, names, latest)

    def compact(self) -> None:
        """Merge all files into `<name>.parquet`; may be killed and repeated at any time."""
        self._begin()
        if self._files() != [self._table] or self._journal.lines:
            self._write_whole(self.rows())

    def replace(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace the whole table, in one step, by rows sorted by order."""
        self._begin()
        orders = array("q")

        def checked() -> Iterator[Row]:
            for row in rows:
                self._check(row)
                if orders and row["order"] <= orders[-1]:
                    raise ValueError(f"Rows must be sorted by order, but {row['order']} follows {orders[-1]}.")
                orders.append(row["order"])
                yield dict(row)

        self._write_whole(checked())
        self._keys = Keys([np.frombuffer(orders, np.int64)])

    def close(self) -> None:
        """Close the journal; no row is lost if this is not called."""
        self._journal.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """Before the first change: finish an interrupted compaction and delete its temporary files."""
        if self._began:
            return
        if self._whole.exists():
            self._finish()
        for leftover in self._parts.glob(".*.tmp"):
            with suppress(OSError):
                leftover.unlink()
        self._began = True

    def _seal(self) -> None:
        """Move the journal to a shard. After a kill between the two steps, rows are in both, and are read once."""
        parts = sorted(self._parts.glob("part-*.parquet"))
        number = int(parts[-1].stem.removeprefix("part-")) + 1 if parts else 1
        shard = self._parts / f"part-{number:06d}.parquet"
        write_parquet(shard, self._batches(self._journal_rows()), self._schema)
        self._journal.remove()
        self._keys.settle()

    def _write_whole(self, rows: Iterable[Row]) -> None:
        self._began = False  # if finishing fails, the next change must finish it first
        write_parquet(self._whole, self._batches(rows), self._schema)  # from here on, only this file counts
        self._begin()

    def _finish(self) -> None:
        self._journal.remove()
        try:
            for part in self._parts.glob("part-*.parquet"):
                part.unlink(missing_ok=True)
            os.replace(self._whole, self._table)
            sync_path(self._table.parent)
        except OSError as error:
            raise storage_error(self._table, error) from error
        with suppress(OSError):  # not empty: it has files of the user
            self._parts.rmdir()

    def _files(self) -> list[Path]:
        """The files to read, oldest first."""
        if self._whole.exists():
            return [self._whole]
        return ([self._table] if self._table.exists() else []) + sorted(self._parts.glob("part-*.parquet"))

    def _journal_rows(self) -> list[Row]:
        """The rows of the journal by order; for equal orders, the last."""
        if self._whole.exists():
            return []
        rows = self._journal.rows()
        try:
            for row in rows:
                self._check(row)
        except (TypeError, AttributeError) as error:
            raise foreign(self._journal.path, str(error)) from error
        latest = {row["order"]: row for row in rows}
        return [latest[order] for order in sorted(latest)]

    def _batches(self, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
        """Batches of bounded size, with boundaries that do not depend on the files that the rows came from."""
        group: list[Row] = []
        text = 0
        for row in rows:
            group.append(row)
            text += sum(len(value) for value in row.values() if isinstance(value, str))
            if len(group) == _GROUP_ROWS or text >= _GROUP_TEXT:
                yield pa.RecordBatch.from_pylist(group, schema=self._schema)
                group, text = [], 0
        if group:
            yield pa.RecordBatch.from_pylist(group, schema=self._schema)
