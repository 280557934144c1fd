"""The log of a run: rows of numbers, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

Row = dict[str, float]
"""Numbers by column; `step` is one of them, and grows."""
FILE = "log.jsonl"


def read_rows(path: Path) -> list[Row]:
    """Rows of a log; a last line that a kill cut off is left out."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def write_rows(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """Append rows to a log, and pass them on.

    Before the first, the file is cut to the steps before it: a run that continues from a checkpoint repeats the steps
    after it, and the log is that of an uninterrupted run.
    """
    started = False
    for row in rows:
        if not started:
            before = [old for old in read_rows(path) if old["step"] < row["step"]]
            path.write_text("".join(map(_line, before)), "utf-8")
            started = True
        with path.open("a", encoding="utf-8") as file:
            file.write(_line(row))
        yield row


def _line(row: Row) -> str:
    return json.dumps(row, allow_nan=False) + "\n"
