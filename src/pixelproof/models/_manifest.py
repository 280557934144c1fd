"""`manifest.csv`: which file answers which sample of which item, or why none does."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from pixelproof.contract import Failure, Fault, PixelProofError

TEXTS = (".json", ".txt")
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
COLUMNS = ("item", "sample", "file", "failure")
FAILURE_WORDS: Mapping[str, Fault] = {
    "refusal": Fault.MODEL,
    "no-answer": Fault.MODEL,
    "no-image": Fault.MODEL,
    "timeout": Fault.INFRASTRUCTURE,
    "error": Fault.INFRASTRUCTURE,
}
"""What a manifest may say in place of a file, and whose fault that is."""


@dataclass(frozen=True)
class Entry:
    """What there is for one sample of one item; paths are relative to the folder."""

    text: str | None = None
    picture: str | None = None
    failure: Failure | None = None


class Manifest:
    """The rows of a manifest. A text and a picture for the same sample are two rows.

    Raises:
        PixelProofError: A row makes no sense; the sentence names its line.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self._entries: dict[tuple[str, int], Entry] = {}
        try:
            # A byte order mark is the work of a spreadsheet, not part of the first column's name.
            rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
            columns = rows.fieldnames or ()
        except (UnicodeDecodeError, csv.Error) as error:
            raise PixelProofError(f"{path} cannot be read ({error}): write it as CSV in UTF-8.") from error
        try:
            _check_columns(columns)
            for row in rows:
                if None in row:
                    raise ValueError("there are more cells than columns")
                self._add({name: (row.get(name) or "").strip() for name in COLUMNS})
        except (ValueError, csv.Error) as error:
            raise PixelProofError(f"{path}, line {max(1, rows.reader.line_num)}: {error}.") from error

    def find(self, item: str, sample: int) -> Entry:
        """The entry for one sample; an empty one if no row tells of it."""
        return self._entries.get((item, sample), Entry())

    def _add(self, row: Mapping[str, str]) -> None:
        item, sample = row["item"], row["sample"] or "0"
        if not item:
            raise ValueError("the item is missing")
        if not (sample.isascii() and sample.isdigit()):
            raise ValueError(f"sample must be a whole number, not {sample!r}")
        new = _entry(row["file"], row["failure"])
        old = self.find(item, int(sample))
        if old.failure or (old.text and new.text) or (old.picture and new.picture) or (old != Entry() and new.failure):
            raise ValueError(f"sample {sample} of {item} is told of twice")
        self._entries[item, int(sample)] = Entry(old.text or new.text, old.picture or new.picture, new.failure)


def _check_columns(columns: Sequence[str]) -> None:
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise ValueError(f"unknown columns {', '.join(map(repr, unknown))}; known are {', '.join(COLUMNS)}")
    if len(set(columns)) < len(columns):
        raise ValueError("a column occurs twice")
    if "item" not in columns or not {"file", "failure"} & set(columns):
        raise ValueError("the first line must name the columns item and file (and may name sample and failure)")


def _entry(file: str, failure: str) -> Entry:
    if not (file or failure):
        raise ValueError("there is neither a file nor a failure")
    if failure and failure not in FAILURE_WORDS:
        raise ValueError(f"unknown failure {failure!r}; known are {', '.join(FAILURE_WORDS)}")
    told = Failure(FAILURE_WORDS[failure], failure, "as the manifest says") if failure else None
    path = PureWindowsPath(file)  # knows drives and both kinds of slashes
    if path.drive or path.root or ".." in path.parts:
        raise ValueError(f"{file!r} leaves the folder; files must lie in it")
    extension = path.suffix.lower()
    if file and extension not in (*PICTURES, *TEXTS):
        raise ValueError(f"{file!r} must end in one of {' '.join((*PICTURES, *TEXTS))}")
    return Entry(file if extension in TEXTS else None, file if extension in PICTURES else None, told)
