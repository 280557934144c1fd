"""Upload of a folder: new objects first, then the entry of the log that makes them visible."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from pixelproof.contract import PixelProofError

from ._log import Manifest, Pack, StoredFile, Writer, append
from ._objects import Objects
from ._packs import Member, grouped, hash_file, is_packed, is_plain, write_pack

JOURNAL = "journal.jsonl"
_BLOB = re.compile(r"blobs/([0-9a-f]{2})/([0-9a-f]{62})")
_CONNECTIONS = 4


class Changed(Exception):
    """A file was replaced or removed while the folder was read."""


def upload(
    folder: Path, objects: Objects, last: Manifest, members: Mapping[str, Member], writer: Writer, is_open: bool
) -> Manifest:
    """Upload what is new in a folder, and add an entry to the log.

    Files at the top, and tables that are being written (`*.parts/`), are objects of their own; those of other folders
    are members of packs. Hidden files and incomplete folders (`*.part`) stay local; of a journal, which grows, a copy
    is uploaded. Every object is written once, under a name that depends on its content, so nothing that an earlier
    entry lists is ever changed.

    Raises:
        Changed: The folder changes meanwhile; nothing is visible yet.
        FileExistsError: Another process has added an entry to the log.
        PixelProofError: Something cannot be written, or a file is damaged.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".upload-") as temporary:
        # Journals first: rows that move to a shard meanwhile are then uploaded twice instead of never. And results
        # before answers, which are stored first: there may be answers without a result, but not the reverse.
        copies = {path.relative_to(folder).as_posix(): _copy(path, Path(temporary)) for path in _journals(folder)}
        alone, packed, empty = _listed(folder)
        copies |= {name: _snapshot(path, Path(temporary)) for name, path in sorted(alone.items(), reverse=True)}
        files, new = _compared(copies, last)
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            sent = [threads.submit(objects.write, entry.object, copies[name]) for name, entry in new.items()]
            packs = [
                threads.submit(_send_pack, objects, top, group, folder, Path(temporary))
                for top, names in packed.items()
                for group in grouped(_new_members(folder, top, names, members))
            ]
            for future in sent:
                future.result()
            written = [future.result() for future in packs]
    entry = last.next(
        writer,
        is_open,
        files=dict(sorted(files.items())),
        packs=(*last.packs, *written),
        removed=sorted(members.keys() - {name for names in packed.values() for name in names}),
        folders=empty,
    )
    append(objects, entry)
    return entry


def _listed(folder: Path) -> tuple[dict[str, Path], dict[str, list[str]], list[str]]:
    """Files that become objects of their own, the names of the others by their top folder, and empty folders."""
    alone: dict[str, Path] = {}
    packed: dict[str, list[str]] = {}
    empty: list[str] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not name.endswith(".part"))
        if not folders and not names and Path(root) != folder:
            empty.append(_portable(Path(root), folder))
        for name in sorted(names):
            path = Path(root, name)
            if name.startswith(".") or name == JOURNAL:
                continue
            relative = _portable(path, folder)
            top, inside, _ = relative.partition("/")
            if not inside or top.endswith(".parts"):
                alone[relative] = path
            else:
                packed.setdefault(top, []).append(relative)
    return alone, packed, empty


def _portable(path: Path, folder: Path) -> str:
    """The name of a file below a folder, which must be one on every system."""
    name = path.relative_to(folder).as_posix()
    if not is_plain(name):
        raise PixelProofError(f"{path} has a name that cannot be stored at a URL ({name!r}): rename it.")
    return name


def _journals(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*.parts/{JOURNAL}"), reverse=True)


def _copy(path: Path, folder: Path) -> Path:
    """The current content of a file that grows; its last line may be torn, and readers drop that."""
    target = _next(folder)
    try:
        shutil.copyfile(path, target)
    except FileNotFoundError as error:
        raise Changed(str(path)) from error
    return target


def _next(folder: Path) -> Path:
    return folder / f"{len(os.listdir(folder)):06d}"


def _snapshot(path: Path, folder: Path) -> Path:
    """A name for the current content of a file, which writers replace but never change in place."""
    target = _next(folder)
    try:
        os.link(path, target, follow_symlinks=True)
    except FileNotFoundError as error:
        raise Changed(str(path)) from error
    except OSError:  # a file system without links
        shutil.copyfile(path, target)
    return target


def _compared(copies: Mapping[str, Path], last: Manifest) -> tuple[dict[str, StoredFile], dict[str, StoredFile]]:
    """All files as the next entry lists them, and those that are new."""
    files: dict[str, StoredFile] = {}
    new: dict[str, StoredFile] = {}
    for name, copy in copies.items():
        sha256, size = hash_file(copy)
        known = last.files.get(name)
        if known is not None and known.sha256 == sha256:
            files[name] = known
            continue
        path = PurePosixPath(name)
        place = path.with_name(f"{path.stem}.{sha256[:16]}{path.suffix}")
        files[name] = new[name] = StoredFile(place.as_posix(), size, sha256)
    return files, new


def _new_members(folder: Path, top: str, names: list[str], members: Mapping[str, Member]) -> Iterator[tuple[str, int]]:
    """Name and size of the files of a folder that are in no pack yet."""
    for name in names:
        path = folder / name
        if _BLOB.fullmatch(name):  # named by its content
            if name not in members:
                yield name, _size(path)
        elif not is_packed(members, name, _size(path), zlib.crc32(_content(path, name))):
            yield name, _size(path)


def _send_pack(objects: Objects, top: str, names: list[str], folder: Path, temporary: Path) -> Pack:
    target = temporary / f"{hashlib.sha256(names[0].encode()).hexdigest()[:16]}.zip"
    pack = write_pack(top, [(name, _content(folder / name, name)) for name in names], target)
    objects.write(pack.object, target)
    target.unlink()
    return pack


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        if path.is_symlink():
            raise _lost(path) from None
        raise Changed(str(path)) from None


def _content(path: Path, name: str) -> bytes:
    """The content of a file, also of one elsewhere that a blob refers to; that of a blob is verified."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        if path.is_symlink():
            raise _lost(path) from error
        raise Changed(str(path)) from error
    match = _BLOB.fullmatch(name)
    if match and hashlib.sha256(data).hexdigest() != match[1] + match[2]:
        raise PixelProofError(
            f"The file {path} is damaged (its content does not match its name): repair the run first."
        )
    return data


def _lost(path: Path) -> PixelProofError:
    return PixelProofError(
        f"{path} refers to the file {os.readlink(path)}, which is missing: restore that file, or make a new run."
    )
