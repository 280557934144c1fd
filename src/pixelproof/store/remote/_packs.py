"""Packs: many small files in one object, of which each can be read alone."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pixelproof.contract import PixelProofError

from ._log import Pack
from ._objects import Objects

MOST_BYTES = 64 * 2**20
"""Bytes of a pack, unless a single file has more."""
_DATE = (1980, 1, 1, 0, 0, 0)
_HEADER = 30
"""Bytes of a member's header without its name."""
_CONNECTIONS = 8


@dataclass(frozen=True)
class Member:
    """A file in a pack."""

    pack: Pack
    start: int
    size: int
    crc: int


def grouped(files: Iterable[tuple[str, int]]) -> Iterator[list[str]]:
    """Names of files in groups that fit into a pack each.

    Args:
        files: Name and size, sorted by name; all in one folder.
    """
    group: list[str] = []
    total = 0
    for name, size in files:
        if group and total + size > MOST_BYTES:
            yield group
            group, total = [], 0
        group.append(name)
        total += size
    if group:
        yield group


def write_pack(folder: str, members: Sequence[tuple[str, bytes]], target: Path) -> Pack:
    """Write a pack to a local file; equal members give equal bytes, and the same name of the object."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, _DATE), data)
        archive.close()
        directory = archive.start_dir
    sha256, size = hash_file(target)
    return Pack(f"packs/{sha256[:32]}.zip", size, sha256, directory, folder)


def hash_file(path: Path) -> tuple[str, int]:
    """SHA-256 and size of a file."""
    with path.open("rb") as file:
        value = hashlib.file_digest(file, "sha256").hexdigest()
        return value, file.tell()


def members_of(objects: Objects, packs: Sequence[Pack]) -> dict[str, Member]:
    """Name → member, of all packs; a later pack replaces members of an earlier one. Only the directories are read."""
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        tables = threads.map(lambda pack: _members(objects, pack), packs)
        return {name: member for table in tables for name, member in table.items()}


def _members(objects: Objects, pack: Pack) -> dict[str, Member]:
    try:
        data = objects.read(pack.object, pack.directory, pack.size)
    except FileNotFoundError as error:
        raise objects.damaged(pack.object, "it is missing") from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            shift = pack.directory  # offsets are computed as if the file began with the directory
            return {
                info.filename: Member(
                    pack, info.header_offset + shift + _HEADER + len(info.filename.encode()), info.file_size, info.CRC
                )
                for info in archive.infolist()
            }
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise objects.damaged(pack.object, error) from error


def extract(objects: Objects, pack: Pack, archive: Path, target: Path, removed: Collection[str] = ()) -> None:
    """Write all members of a pack that was downloaded below a folder, but those that were removed since.

    Raises:
        PixelProofError: The pack is damaged, or has members that leave the folder.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                require_plain(objects, info.filename)
                if info.filename in removed:
                    continue
                path = target / info.filename
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(packed.read(info))
    except zipfile.BadZipFile as error:
        raise objects.damaged(pack.object, error) from error


def require_plain(objects: Objects, name: str) -> None:
    """Refuse a file name that leaves the folder."""
    if not is_plain(name):
        raise PixelProofError(f"{objects.url} lists the file {name!r}, which leaves its folder: do not use it.")


def is_plain(name: str) -> bool:
    """Whether the name of a file stays below its folder on every system, and can be written to a log."""
    parts = PurePosixPath(name).parts
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes that are no UTF-8
        return False
    return bool(parts) and not (
        name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]
    )


def is_packed(members: Mapping[str, Member], name: str, size: int, crc: int) -> bool:
    """Whether a file is in a pack with this content."""
    known = members.get(name)
    return known is not None and (known.size, known.crc) == (size, crc)
