"""Atomic files: a reader gets the old or the new content, never a part of it."""

from __future__ import annotations

import json
import math
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pixelproof.contract import PixelProofError

from ._digest import digest
from ._scrub import scrub
from ._sealed import seal


class StorageError(PixelProofError):
    """A file could not be written; `__cause__` is the OSError."""


def storage_error(path: Path, error: OSError) -> StorageError:
    """The error for a full disk, a read-only directory or a missing permission."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    return StorageError(
        f"Cannot write {path} ({reason}): everything stored before is safe, so free space or allow writing there, "
        "and run again with --resume."
    )


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write; on success it replaces `path` in one step.

    Args:
        path: The final file; missing directories are created.
        sync: Wait for the disk, so that the file also survives a power failure.

    Raises:
        PixelProofError: The file cannot be written; `path` is unchanged.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        make_directory(path.parent, sync=sync)
        yield temporary
        if sync:
            sync_path(temporary)
        os.replace(temporary, path)
        if sync:
            sync_path(path.parent)
    except OSError as error:
        raise storage_error(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def make_directory(path: Path, *, sync: bool = True) -> None:
    """Create a directory and its parents; with `sync`, their names survive a power failure."""
    missing = []
    while not path.is_dir() and path != path.parent:
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        if sync:
            sync_path(folder.parent)


def sync_ancestors(path: Path) -> None:
    """Make the name of a directory survive a power failure, whoever created it and its parents."""
    for folder in path.absolute().parents:
        with suppress(OSError):  # a folder of somebody else
            sync_path(folder)


def sync_path(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on the disk; Windows cannot wait for directories."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_json(path: Path, obj: Any) -> None:
    """Write strict JSON, without keys; dataclasses become objects, and NaN and infinities null."""
    _write(path, _json(obj))


def _json(obj: Any) -> bytes:
    text = json.dumps(scrub(plain(obj)), indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", "replace")


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(data)


SEAL = "seal"
"""Last entry of a sealed JSON object: the hash of all the others."""


def write_sealed_json(path: Path, obj: Any) -> None:
    """Write a JSON object with a hash of its content, which `read_sealed_json` verifies."""
    _write(path, sealed_json(obj))


def sealed_json(obj: Any) -> bytes:
    """A JSON object with a hash of its content, which `parse_sealed_json` verifies."""
    text = json.dumps(plain(obj), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    content = scrub(json.loads(text))  # before it is hashed
    return _json(content | {SEAL: digest({name: content[name] for name in content if name != SEAL})})


def read_sealed_json(path: Path) -> Any:
    """The content of a JSON file without its seal.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is damaged, or has no seal.
    """
    return parse_sealed_json(path.read_bytes())


def parse_sealed_json(data: bytes) -> Any:
    """The content of JSON without its seal.

    Raises:
        ValueError: It is damaged, or has no seal.
    """
    content = json.loads(data.decode("utf-8"), object_pairs_hook=_unique)
    if not isinstance(content, dict) or SEAL not in content:
        raise ValueError("it has no checksum")
    known = content.pop(SEAL)
    if digest(content) != known:
        raise ValueError("its content does not match its checksum")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; damage may give two entries the same name, of which one would be lost."""
    if len(entries := dict(pairs)) < len(pairs):
        raise ValueError("an entry occurs twice")
    return entries


def plain(obj: Any) -> Any:
    """Convert to JSON values: dataclasses become objects, NaN and infinities null."""
    if isinstance(obj, np.generic):
        obj = obj.item()
    if isinstance(obj, float):
        return obj if math.isfinite(obj) else None
    if is_dataclass(obj) and not isinstance(obj, type):
        return {field.name: plain(getattr(obj, field.name)) for field in fields(obj)}
    if isinstance(obj, Mapping):
        return {key: plain(value) for key, value in obj.items()}
    if isinstance(obj, list | tuple):
        return [plain(value) for value in obj]
    return obj


def write_parquet(
    path: Path, data: pa.Table | Iterable[pa.RecordBatch | pa.Table], schema: pa.Schema | None = None
) -> None:
    """Write a table, or batches as row groups as they arrive; equal data gives equal bytes.

    Args:
        path: The file to be.
        data: A table or batches; batches are written one by one and may be more than fits into memory.
        schema: Needed only where there may be no batch at all.
    """
    batches = iter([data] if isinstance(data, pa.Table) else data)
    if schema is None:
        first = next(batches)
        schema, batches = first.schema, chain([first], batches)
    try:
        with replacing(path) as temporary:
            # Checksums reveal flipped bits in values, which the format itself does not.
            with pq.ParquetWriter(temporary, schema, compression="zstd", write_page_checksum=True) as writer:
                for batch in _shielded(batches):
                    if batch.num_rows:
                        writer.write(batch)
            seal(temporary)
    except _SourceError as error:
        raise error.source from error.source.__cause__


class _SourceError(Exception):
    """An OSError of the iterator that makes the batches, such as a lost connection, as opposed to one of writing."""

    def __init__(self, source: OSError) -> None:
        self.source = source


def _shielded(batches: Iterator[pa.RecordBatch | pa.Table]) -> Iterator[pa.RecordBatch | pa.Table]:
    try:
        yield from batches
    except OSError as error:
        raise _SourceError(error) from error
