"""`manifest.csv`: the file that answers each sample of each item, or the failure in its place."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path, PureWindowsPath

from pixelproof.contract import Failure, Fault, PixelProofError

from ._answer_files import TEXT_SUFFIXES, AnswerEntry

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
"""Images that the answers of models come in."""
COLUMNS = ("item", "sample", "file", "failure")
FAILURE_WORDS: Mapping[str, Fault] = {
    "refusal": Fault.MODEL,
    "no-answer": Fault.MODEL,
    "no-image": Fault.MODEL,
    "timeout": Fault.INFRASTRUCTURE,
    "error": Fault.INFRASTRUCTURE,
}
"""Failures that a manifest may name in place of a file, with their fault."""


class AnswerManifest:
    """The rows of a manifest. A text and an image for the same sample are two rows.

    Raises:
        PixelProofError: A row is malformed; the message names its line.
    """

    def __init__(self, path: str | Path, data: bytes) -> None:
        self._entries: dict[tuple[str, int], AnswerEntry] = {}
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

    def find(self, item: str, sample: int) -> AnswerEntry:
        """The entry for one sample; an empty one if it has no row."""
        return self._entries.get((item, sample), AnswerEntry())

    def _add(self, row: Mapping[str, str]) -> None:
        item, sample = row["item"], row["sample"] or "0"
        if not item:
            raise ValueError("the item is missing")
        if not (sample.isascii() and sample.isdigit()):
            raise ValueError(f"sample must be a whole number, not {sample!r}")
        new = _entry(row["file"], row["failure"])
        old = self.find(item, int(sample))
        texts, images = old.texts + new.texts, old.images + new.images
        if old.failure or len(texts) > 1 or len(images) > 1 or (old != AnswerEntry() and new.failure):
            raise ValueError(f"sample {sample} of {item} is listed twice")
        self._entries[item, int(sample)] = AnswerEntry(texts, images, new.failure)


def _check_columns(columns: Sequence[str]) -> None:
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise ValueError(f"unknown columns {', '.join(map(repr, unknown))}; known are {', '.join(COLUMNS)}")
    if len(set(columns)) < len(columns):
        raise ValueError("a column occurs twice")
    if "item" not in columns or not {"file", "failure"} & set(columns):
        raise ValueError("the first line must name the columns item and file (and may name sample and failure)")


def _entry(file: str, failure: str) -> AnswerEntry:
    if not (file or failure):
        raise ValueError("there is neither a file nor a failure")
    if failure and failure not in FAILURE_WORDS:
        raise ValueError(f"unknown failure {failure!r}; known are {', '.join(FAILURE_WORDS)}")
    named = Failure(FAILURE_WORDS[failure], failure, "as the manifest says") if failure else None
    path = PureWindowsPath(file)  # knows drives and both kinds of slashes
    if path.drive or path.root or ".." in path.parts:
        raise ValueError(f"{file!r} leaves the folder; files must lie in it")
    extension = path.suffix.lower()
    if file and extension not in (*IMAGE_SUFFIXES, *TEXT_SUFFIXES):
        raise ValueError(f"{file!r} must end in one of {' '.join((*IMAGE_SUFFIXES, *TEXT_SUFFIXES))}")
    texts = (file,) if extension in TEXT_SUFFIXES else ()
    return AnswerEntry(texts, (file,) if extension in IMAGE_SUFFIXES else (), named)
