"""Repair of damaged tables: restore what the redundancy allows, keep the intact rows of the rest."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ._files import replacing, write_parquet
from ._journal import intact_lines, zeroed_reason
from ._sealed import Damage, restore, seal, verify


@dataclass
class FileRepair:
    """What was wrong with a file, and what became of it."""

    path: Path
    problem: str
    rows: int | None = 0
    """Rows that are lost; None if their number is unknown."""
    ranges: list[tuple[int, int]] = field(default_factory=list)
    """First and last order of the lost rows, as far as known; rows in between may be intact."""
    zeroed: int = 0
    """Bytes at the end of a journal that have zeros: rows may be lost of which nothing is known."""


class Attic:
    """The folder `damaged/` of a run directory, in which the damaged files are kept."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.folder = directory / "damaged"

    def keep(self, path: Path) -> Path:
        """Copy a file here, under its path in the run directory and a number if that is taken."""
        name = path.relative_to(self.directory)
        target, number = self.folder / name, 1
        while target.exists():
            number += 1
            target = self.folder / name.with_name(f"{name.stem}-{number}{name.suffix}")
        with replacing(target) as temporary:
            shutil.copyfile(path, temporary)
        return target

    def move(self, path: Path) -> None:
        """Move a file here."""
        self.keep(path)
        path.unlink()


def repair_table(directory: Path, name: str, attic: Attic, known: str | None = None) -> list[FileRepair]:
    """Repair all files of a table of `Records`; the damaged ones are kept in the attic.

    Args:
        directory: That of the table.
        name: Of the table.
        attic: For damaged files.
        known: The seal of the compacted table, if it is listed somewhere: rows of another file are not kept.
    """
    parts = directory / f"{name}.parts"
    files = [parts / "whole.parquet", *sorted(parts.glob("part-*.parquet"))]
    table = directory / f"{name}.parquet"
    repairs = [repair_parquet(table, attic, known)] if table.exists() else []
    repairs += [repair_parquet(path, attic) for path in files if path.exists()]
    if (parts / "journal.jsonl").exists():
        repairs.append(_repair_journal(parts / "journal.jsonl", attic))
    return [repair for repair in repairs if repair is not None]


def repair_parquet(path: Path, attic: Attic, known: str | None = None) -> FileRepair | None:
    """Repair a Parquet file; None if it is intact. A file of which nothing is left is moved to the attic.

    Args:
        path: The file.
        attic: For damaged files.
        known: The seal that the file had, if that is listed somewhere.
    """
    try:
        verify(path)
    except Damage as error:
        return _repair_damaged(path, str(error), attic, known)
    return None


def _repair_damaged(path: Path, why: str, attic: Attic, known: str | None) -> FileRepair:
    restored = restore(path.read_bytes(), known)
    attic.keep(path)
    repair = FileRepair(path, why)
    if restored is None:  # without checksums, rows may be those of another program
        path.unlink()
        repair.rows = None
    elif not restored.lost:
        _write_sealed(path, restored.content)
    else:
        schema = pq.read_schema(pa.BufferReader(restored.content))
        write_parquet(path, list(_intact_groups(restored.content, restored.lost, repair)), schema)
    return repair


def _write_sealed(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
        seal(temporary)


def _intact_groups(content: bytes, lost: tuple[tuple[int, int], ...], repair: FileRepair) -> Iterator[pa.Table]:
    """Row groups without a damaged byte; the others are added to the losses."""
    with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            chunks = [group.column(column) for column in range(group.num_columns)]
            starts = [min(filter(None, (c.dictionary_page_offset, c.data_page_offset))) for c in chunks]
            spans = [(at, at + c.total_compressed_size) for at, c in zip(starts, chunks, strict=True)]
            table = None
            if not any(begin < end_ and begin_ < end for begin, end in spans for begin_, end_ in lost):
                try:
                    table = file.read_row_group(number)
                except (pa.ArrowException, OSError, ValueError, MemoryError):
                    table = None
            if table is not None and len(table) == group.num_rows:
                yield table
                continue
            assert repair.rows is not None
            repair.rows += group.num_rows
            order = next((chunk for chunk in chunks if chunk.path_in_schema == "order"), None)
            if order is not None and order.statistics is not None and order.statistics.has_min_max:
                repair.ranges.append((int(order.statistics.min), int(order.statistics.max)))


def _repair_journal(path: Path, attic: Attic) -> FileRepair | None:
    data = path.read_bytes()
    lines, damaged = intact_lines(data)
    content = b"".join(lines)
    rest = data.rpartition(lines[-1])[2] if lines else data
    zeroed = len(rest) if b"\0" in rest else 0
    if data.startswith(content) and not damaged and not zeroed:
        return None  # intact, but for a torn line at its end
    attic.keep(path)
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    if zeroed:
        return FileRepair(path, zeroed_reason(zeroed), damaged, zeroed=zeroed)
    return FileRepair(path, f"{damaged} lines are damaged" if damaged else "a line end is damaged", damaged)
