"""Merged reading of Parquet files that are sorted by `order`."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pixelproof.contract import PixelProofError

from ._parquet import open_parquet

Row = dict[str, Any]

_READ_ROWS = 256


def foreign(path: Path, reason: str) -> PixelProofError:
    """The error for a file that is intact but of another kind; we never delete it."""
    return PixelProofError(
        f"The file {path} cannot be used ({reason.rstrip('.')}): restore it from a backup, or move it away and "
        "recreate its rows with --resume."
    )


def read_orders(path: Path, schema: pa.Schema) -> NDArray[np.int64]:
    """The keys of a file, strictly increasing.

    Raises:
        PixelProofError: The file is damaged, or is not such a table.
    """
    with _opened(path, schema) as file:
        orders: NDArray[np.int64] = file.read(columns=["order"]).column(0).to_numpy()
    if orders.dtype != np.int64 or (orders[1:] <= orders[:-1]).any():
        raise foreign(path, "its rows are not sorted by order")
    return orders


def merged_rows(files: Sequence[Path], schema: pa.Schema, names: Sequence[str], latest: Iterable[Row]) -> Iterator[Row]:
    """Rows of all files and the latest rows, merged by order; for equal orders, the newest row.

    Args:
        files: Tables, oldest first; rows of later ones replace rows of earlier ones.
        schema: Schema of the rows.
        names: The columns to read, among them `order`.
        latest: Rows that replace those of all files, sorted by order.
    """
    streams = [_ranked(lane, schema, names) for lane in _lanes(files, schema)]
    streams.append((row["order"], len(files), row) for row in latest)
    # Order and rank differ between any two entries, so rows themselves are never compared.
    for _, same in groupby(heapq.merge(*streams), key=lambda entry: entry[0]):
        *_, (_, _, row) = same
        yield row


class _Span(NamedTuple):
    first: int
    last: int
    rank: int
    path: Path


def _lanes(files: Sequence[Path], schema: pa.Schema) -> list[list[_Span]]:
    """Group files into lanes of non-overlapping files, of which only one is open at a time."""
    keys = [read_orders(path, schema) for path in files]
    spans = [
        _Span(int(orders[0]), int(orders[-1]), rank, path)
        for rank, (path, orders) in enumerate(zip(files, keys, strict=True))
        if len(orders)
    ]
    lanes: list[list[_Span]] = []
    for span in sorted(spans):
        free = next((lane for lane in lanes if lane[-1].last < span.first), None)
        if free is None:
            lanes.append([span])
        else:
            free.append(span)
    return lanes


def _ranked(lane: Iterable[_Span], schema: pa.Schema, names: Sequence[str]) -> Iterator[tuple[int, int, Row]]:
    for span in lane:
        for row in _read_rows(span.path, schema, names):
            yield row["order"], span.rank, row


def _read_rows(path: Path, schema: pa.Schema, names: Sequence[str]) -> Iterator[Row]:
    with _opened(path, schema) as file:
        for batch in file.iter_batches(_READ_ROWS, columns=list(names)):
            yield from batch.to_pylist()


@contextmanager
def _opened(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetFile]:
    with open_parquet(path) as file:
        _require_columns(path, file.schema_arrow, schema)
        yield file


def _require_columns(path: Path, found: pa.Schema, wanted: pa.Schema) -> None:
    """Raise if the columns of the file are not those of the schema."""
    wrong = [
        field.name for field in found if field.name not in wanted.names or wanted.field(field.name).type != field.type
    ]
    wrong += [f"no {name}" for name in wanted.names if name not in found.names]
    if wrong:
        raise foreign(path, f"it has other columns than expected: {', '.join(wrong)}")
