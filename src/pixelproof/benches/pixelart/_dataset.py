"""Reader of the published source data set, pixel-art-bench-v1: one row per reply that a model once gave."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from pixelproof.contract import PixelProofError

NAME = "pixel-art-bench-v1"
COLUMNS = (
    "id",
    "model_slug",
    "model_name",
    "example_id",
    "example_name",
    "palette",
    "grid",
    "is_appropriate",
    "height",
    "width",
    "num_colors",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost",
    "generation_time",
)
_NEEDED = ("model_slug", "example_name", "palette", "grid")
NUMBERS = ("input_tokens", "output_tokens", "cost", "generation_time")

Row = Mapping[str, Any]


def read_rows(data: Path | None) -> Iterator[Row]:
    """The rows of a file, or of the files in a folder; only the columns that the bench uses."""
    if data is None:
        raise PixelProofError(f"The source {NAME} needs --data with its file or folder ({', '.join(_READERS)}).")
    for path in _files(data):
        try:
            rows = _READERS[path.suffix](path)
        except (OSError, ValueError, SyntaxError, pa.ArrowException) as error:
            reason = " ".join(str(error).split())[:120]
            raise PixelProofError(f"{path} cannot be read as {path.suffix[1:]}: {reason}.") from error
        for number, row in enumerate(rows):
            yield _checked(row, f"{path}, row {number}")


def _files(data: Path) -> list[Path]:
    if data.is_file() and data.suffix in _READERS:
        return [data]
    if data.is_dir():
        for suffix in _READERS:  # one kind only: a folder may hold the same rows twice
            if found := sorted(data.rglob(f"*{suffix}")):
                return found
    kinds = ", ".join(_READERS)
    raise PixelProofError(f"{data} is neither a file of {NAME} nor a folder with one; it reads {kinds}.")


def _read_parquet(path: Path) -> list[Row]:
    there = parquet.read_schema(path).names
    rows: list[Row] = parquet.read_table(path, columns=[name for name in COLUMNS if name in there]).to_pylist()
    return rows


def _read_jsonl(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _read_json(path: Path) -> list[Row]:
    rows = json.loads(path.read_text("utf-8"))
    if not isinstance(rows, list):
        raise ValueError("it holds no list of rows")
    return rows


def _read_csv(path: Path) -> list[Row]:
    """Rows of a CSV, whose lists are written as JSON or as Python writes them."""
    columns = csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=True)
    table = csv.read_csv(
        path,
        read_options=csv.ReadOptions(block_size=1 << 26),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=columns,
    )
    rows: list[dict[str, Any]] = table.to_pylist()
    for row in rows:
        for name in ("palette", "grid"):
            if isinstance(text := row.get(name), str):
                row[name] = _list(text)
    return list(rows)


def _list(text: str) -> Any:
    if re.search(r"'\s+'", text):  # Python would glue the strings together
        raise ValueError("its lists have no commas, as numpy writes them; export it as .jsonl or .parquet")
    return json.loads(text) if '"' in text else ast.literal_eval(text)


_READERS: dict[str, Callable[[Path], list[Row]]] = {
    ".parquet": _read_parquet,
    ".jsonl": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
}


def _checked(row: Any, where: str) -> Row:
    if not isinstance(row, dict):
        raise PixelProofError(f"{where} is not a row with named columns.")
    missing = [name for name in _NEEDED if row.get(name) is None]
    if missing:
        raise PixelProofError(f"{where} has no {', '.join(missing)}; {NAME} has the columns {', '.join(COLUMNS)}.")
    for name in ("palette", "grid"):
        if not isinstance(row[name], list):
            raise PixelProofError(f"{where} has a {name} that is not a list.")
    try:
        numbers = {name: _number(row.get(name)) for name in NUMBERS}
    except (TypeError, ValueError) as error:
        raise PixelProofError(f"{where} has a token count, cost or time that is not a number.") from error
    return {**{name: row[name] for name in _NEEDED}, **numbers}


def _number(value: Any) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
