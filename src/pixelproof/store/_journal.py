"""An append-only file of JSON rows, one per line, which grows by whole lines only."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError

from ._damage import DamagedFile
from ._files import storage_error, sync_path

_CRC = 9
"""Length of the checksum and the space at the start of a line."""
_START = re.compile(rb"[0-9a-f]{8} \{")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class Journal:
    """Rows that are not in a shard yet. Once `append` has returned, a row survives `kill -9`; with `sync`, a power cut.

    A line is the CRC-32 of the JSON, a space, the JSON. Reading never changes the file, so others may read it while
    its writer lives; a torn last line is cut off before the next append. If it has zeros, more rows than one may be
    lost: see `zeroed_tail`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = self.lines = 0
        self._file: FileIO | None = None
        self._named = False
        """Whether the name of the open file is on the disk."""

    def rows(self) -> list[dict[str, Any]]:
        """All rows in order; must be called once before the first append."""
        rows, size = self._load()
        if self._file is None:  # once open for writing, the length is known
            self.size, self.lines = size, len(rows)
        return rows

    def append(self, row: Mapping[str, Any], *, sync: bool = False) -> None:
        """Add a row. When this returns, it is in the operating system's buffers; with `sync`, it is on the disk."""
        # Lone surrogates, which replies may contain, have no UTF-8 encoding and become question marks.
        text = _encode(row).encode("utf-8", "replace")
        rest = memoryview(b"%08x %s\n" % (zlib.crc32(text), text))
        size = self.size + len(rest)
        try:
            file = self._file or self._open()
            while rest:
                rest = rest[file.write(rest) :]
            self.size = size  # from here on, an interruption keeps the row
            self.lines += 1
            if sync:
                self._sync(file)
        except OSError as error:
            self.close()
            raise storage_error(self.path, error) from error
        except BaseException:
            self.close()
            raise

    def remove(self) -> None:
        """Delete the file; readers that have it open keep it."""
        self.close()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(self.path, error) from error
        self.size = self.lines = 0

    def close(self) -> None:
        """Close the file and truncate it after its last whole line."""
        if self._file is not None:
            with suppress(OSError):
                self._file.truncate(self.size)
            self._file.close()
            self._file = None
            self._named = False

    def _sync(self, file: FileIO) -> None:
        os.fsync(file.fileno())
        if not self._named:  # the names of the file and of its directory
            for folder in (self.path.parent, self.path.parent.parent):
                sync_path(folder)
            self._named = True

    def _open(self) -> FileIO:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "ab", buffering=0)
        self._file.truncate(self.size)
        return self._file

    def _load(self) -> tuple[list[dict[str, Any]], int]:
        """The rows, and the length of the file up to the last valid one."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return [], 0
        except OSError as error:
            raise PixelProofError(f"Cannot read {self.path} ({error.strerror}): check its permissions.") from error
        rows: list[dict[str, Any]] = []
        size = 0
        *lines, tail = data.split(b"\n")  # the tail is empty, or an incomplete line
        for number, line in enumerate(lines, 1):
            if _is_intact(line):
                rows.append(json.loads(line[_CRC:]))
                size += len(line) + 1
            elif number < len(lines) or tail or not _is_torn(line):
                raise DamagedFile(self.path, f"the checksum of line {number} is wrong")
        if _is_intact(tail[:-1]):  # a whole row whose line end is damaged, not a torn one
            raise DamagedFile(self.path, f"line {len(lines) + 1} does not end")
        return rows, size


def journal_damage(path: Path) -> str | None:
    """What is wrong with a journal; None if it is intact, but perhaps for a torn line at its end, without zeros."""
    try:
        zeroed = zeroed_tail(path)
    except DamagedFile as error:
        return error.reason
    return zeroed_reason(zeroed) if zeroed else None


def zeroed_tail(path: Path) -> int:
    """Bytes after the last row of a journal if there are zeros among them, else 0.

    A kill leaves a part of a line. A power failure leaves zeros where the file had grown and its content was not on the
    disk yet. Zeros in place of rows that were on the disk look the same, so who drops them has to say so.

    Raises:
        DamagedFile: There is other damage.
    """
    journal = Journal(path)
    journal.rows()
    with suppress(FileNotFoundError), open(path, "rb") as file:
        file.seek(journal.size)
        rest = file.read()
        return len(rest) if b"\0" in rest else 0
    return 0


def zeroed_reason(count: int) -> str:
    """What is to be said of a tail with zeros."""
    return (
        f"its last {count} bytes are lost: they have zeros, as after a power failure, which spares the rows that were "
        "on the disk, or after damage, which does not"
    )


def intact_lines(data: bytes) -> tuple[list[bytes], int]:
    """All intact lines of a damaged journal, with their line ends, and the number of damaged ones."""
    intact: list[bytes] = []
    damaged = 0
    *lines, tail = data.split(b"\n")
    for line in [*lines, *([tail[:-1]] if _is_intact(tail[:-1]) else [])]:
        # Where a line end is damaged, two rows are in one line.
        starts = [0, *(match.start() for match in _START.finditer(line, 1))]
        pieces = [line] if _is_intact(line) else []
        for split in starts[1:] if not pieces else []:
            pieces += [piece for piece in (line[: split - 1], line[split:]) if _is_intact(piece)]
        intact += dict.fromkeys(piece + b"\n" for piece in pieces)
        damaged += not pieces and bool(line.strip(b"\0"))
    return intact, damaged


def _is_intact(line: bytes) -> bool:
    return line[:_CRC] == b"%08x " % zlib.crc32(line[_CRC:])


def _is_torn(line: bytes) -> bool:
    """Whether a power failure may have left a line: parts that were not written yet are zeros; a flip makes one."""
    return b"\0\0" in line
