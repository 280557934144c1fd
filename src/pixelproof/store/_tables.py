"""Tables in CSV, Parquet, JSONL and XLSX as columns of Python values."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from csv import reader
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name

from ._xlsx import read_xlsx

FloatArray = npt.NDArray[np.float64]
Columns = Mapping[str, Sequence[Any]]
"""Column name → one value per row; None where a cell is empty."""
SUFFIXES = (".csv", ".csv.gz", ".tsv", ".parquet", ".jsonl", ".xlsx")


def read_table(path: Path) -> Columns:
    """Read a table; the format follows from the file name.

    Raises:
        PixelProofError: The file is missing, has another format, or cannot be parsed.
    """
    if not path.is_file():
        raise PixelProofError(f"There is no file {path}.")
    name = path.name.lower()
    try:
        if name.endswith((".csv", ".csv.gz", ".tsv")):
            return _read_csv(path, "\t" if name.endswith(".tsv") else ",")
        if name.endswith(".parquet"):
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(path)
            return {column: table[column].to_pylist() for column in table.column_names}
        if name.endswith((".jsonl", ".ndjson")):
            return read_jsonl(path)
        if name.endswith(".xlsx"):
            return read_xlsx(path)
    except PixelProofError:
        raise
    except (OSError, ValueError, KeyError) as error:  # pyarrow's errors derive from ValueError and OSError
        raise PixelProofError(f"{path} cannot be read as a table: {error}") from None
    raise PixelProofError(f"{path}: the format is not known; use one of {', '.join(SUFFIXES)}.")


def _read_csv(path: Path, delimiter: str) -> Columns:
    import pyarrow as pa
    from pyarrow import csv

    with pa.input_stream(str(path), compression="gzip" if path.suffix == ".gz" else None) as stream:
        data = stream.read()
    first = io.StringIO(data[:100_000].decode("utf-8-sig", "replace"), newline="")
    names = next(reader(first, delimiter=delimiter), [])
    if len(set(names)) != len(names):
        raise PixelProofError(f"{path}: a column name occurs twice: {', '.join(names)}.")
    # As text: ids such as 007 must keep their zeros, and numbers are parsed where one is expected.
    options = csv.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    table = csv.read_csv(pa.BufferReader(data), parse_options=parse, convert_options=options)
    return {column: table[column].to_pylist() for column in table.column_names}


def read_jsonl(path: Path) -> Columns:
    """Read one JSON object per line; a key that a line lacks is None there."""
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise PixelProofError(f"{path}, line {number}: not a JSON object.")
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def table_column(table: Columns, name: str, path: Path) -> Sequence[Any]:
    """A column by name.

    Raises:
        PixelProofError: There is none; the message suggests the closest.
    """
    if name not in table:
        raise PixelProofError(f"{path}: {unknown_name('column', name, table)}")
    return table[name]


def as_texts(values: Sequence[Any]) -> list[str]:
    """Values as texts; whole numbers without a decimal point, so that 7, 7.0 and "7" are equal.

    >>> as_texts([7, 7.0, "007", None])
    ['7', '7', '007', '']
    """
    return [
        "" if value is None else str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        for value in values
    ]


def as_numbers(values: Sequence[Any]) -> tuple[FloatArray, list[int]]:
    """Values as floats with nan for what is empty or no finite number, and the rows of the latter.

    >>> as_numbers(["1.5", "", "high", True])
    (array([1.5, nan, nan, 1. ]), [2])
    """
    numbers = np.full(len(values), math.nan)
    bad = []
    for row, value in enumerate(values):
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        try:
            numbers[row] = float(value)
        except (TypeError, ValueError):
            bad.append(row)
            continue
        if not math.isfinite(numbers[row]):
            numbers[row] = math.nan
            bad.append(row)
    return numbers, bad
