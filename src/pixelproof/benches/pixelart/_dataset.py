"""Reader of the published data set pixel-art-bench-v1: one row per reply of a model."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import csv, parquet

from pixelproof.contract import PixelProofError
from pixelproof.store import require_inside

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
_NAMES = ("model_slug", "example_name")
_NEEDED = (*_NAMES, "palette", "grid")
_LARGEST = 1e9
"""Upper limit of plausible tokens, dollars and seconds."""
NUMBERS = ("input_tokens", "output_tokens", "cost", "generation_time")


@dataclass(frozen=True)
class Row:
    """One row: model, subject and reply; or, if it has none, the reason."""

    model: str
    subject: str
    reply: str = ""
    """The two lists as JSON."""
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    problem: str = ""


class _Broken(NamedTuple):
    """A row that could not be parsed."""

    why: str


def read_rows(data: Path | None) -> Iterator[Row]:
    """The rows of a file, or of the files in a folder. A malformed row becomes a row with a problem; others are read.

    Raises:
        PixelProofError: There is no such file, it is of another kind, or all its rows are bad.
    """
    if data is None:
        raise PixelProofError(f"The source {NAME} needs --data with its file or folder ({', '.join(_READERS)}).")
    for path in _files(data):
        try:
            found = _READERS[path.suffix](path)
        except (OSError, ValueError, RecursionError, pa.ArrowException) as error:
            reason = " ".join(str(error).split())[:120]
            raise PixelProofError(f"{path} cannot be read as {path.suffix[1:]}: {reason}.") from error
        rows = [_row(cells, f"row {number} of {path.name}") for number, cells in enumerate(found, 1)]
        if rows and all(row.problem for row in rows):
            raise PixelProofError(
                f"No row of {path} can be used ({rows[0].problem}): {NAME} has the columns {', '.join(COLUMNS)}."
            )
        yield from rows


def _files(data: Path) -> list[Path]:
    if data.is_file() and data.suffix in _READERS:
        return [data]
    if data.is_dir():
        for suffix in _READERS:  # one format only: a folder may hold the same rows twice
            if found := sorted(require_inside(path, data) for path in data.rglob(f"*{suffix}")):
                return found
    kinds = ", ".join(_READERS)
    raise PixelProofError(f"{data} is neither a file of {NAME} nor a folder with one; it reads {kinds}.")


def _read_parquet(path: Path) -> list[Any]:
    there = parquet.read_schema(path).names
    rows: list[Any] = parquet.read_table(path, columns=[name for name in COLUMNS if name in there]).to_pylist()
    return rows


def _read_jsonl(path: Path) -> list[Any]:
    return [_decoded(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _Broken("is not valid JSON")


def _read_json(path: Path) -> list[Any]:
    rows = json.loads(path.read_text("utf-8"))
    if not isinstance(rows, list):
        raise ValueError("it holds no list of rows")
    return rows


def _read_csv(path: Path) -> list[Any]:
    broken: list[tuple[int, _Broken]] = []

    def note(row: csv.InvalidRow) -> str:
        why = f"has {row.actual_columns} cells, but there are {row.expected_columns} columns"
        broken.append((row.number - 2, _Broken(why)))  # the heading is number 1
        return "skip"

    table = csv.read_csv(
        path,
        read_options=csv.ReadOptions(block_size=1 << 26, use_threads=False),  # row numbers are lost with threads
        parse_options=csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=True),
    )
    rows: list[Any] = table.to_pylist()
    for place, row in broken:
        rows.insert(place, row)
    return rows


_READERS: dict[str, Callable[[Path], list[Any]]] = {
    ".parquet": _read_parquet,
    ".jsonl": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
}


def _row(cells: Any, where: str) -> Row:
    if isinstance(cells, _Broken):
        return Row("", "", problem=f"{where} {cells.why}")
    if not isinstance(cells, dict):
        return Row("", "", problem=f"{where} has no named columns")
    model, subject = (_text(cells.get(name)) for name in _NAMES)
    missing = [name for name in _NEEDED if cells.get(name) in (None, "")]
    if missing:
        return Row(model, subject, problem=f"{where} has no {', '.join(missing)}")
    if wrong := [name for name, text in zip(_NAMES, (model, subject), strict=True) if not text]:
        return Row(model, subject, problem=f"{where} has no text in {', '.join(wrong)}")
    try:
        lists = {name: _list(cells[name], name) for name in ("palette", "grid")}
        reply = json.dumps(lists, separators=(",", ":"))
    except ValueError as error:
        return Row(model, subject, problem=f"{where} has {error}")
    except TypeError:
        return Row(model, subject, problem=f"{where} has lists of neither text nor numbers")
    return Row(model, subject, reply, {name: _number(cells.get(name)) for name in NUMBERS})


def _text(cell: Any) -> str:
    """Text that can be stored; empty for values that are none, such as numbers or lone surrogates."""
    try:
        return cell if isinstance(cell, str) and cell.encode() else ""
    except UnicodeEncodeError:
        return ""


def _list(cell: Any, name: str) -> list[Any]:
    """A list, also one written as JSON or as Python literal, as in a CSV."""
    if isinstance(cell, str):
        if re.search(r"'\s+'", cell):  # Python would concatenate the strings
            raise ValueError(f"a {name} without commas, as numpy writes it: export the table as .jsonl or .parquet")
        try:
            cell = json.loads(cell) if '"' in cell else ast.literal_eval(cell)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            cell = None
    if not isinstance(cell, list):
        raise ValueError(f"a {name} that is not a list")
    return cell


def _number(cell: Any) -> float | None:
    """A count, price or time; None (unknown) for other values."""
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < _LARGEST and not isinstance(cell, bool) else None
