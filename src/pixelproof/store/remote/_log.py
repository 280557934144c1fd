"""The log of a remote folder: numbered manifests, of which the last one says what the folder consists of."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pixelproof.store._files import parse_sealed_json, sealed_json

from ._objects import Objects

FOLDER = "_pixelproof"
FORMAT = 1


@dataclass(frozen=True)
class StoredFile:
    """A file that is an object of its own."""

    object: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Pack:
    """An object with many files: a ZIP archive without compression."""

    object: str
    size: int
    sha256: str
    directory: int
    """Offset of the table of its members."""
    folder: str
    """The folder that all its members are in."""


@dataclass(frozen=True)
class Writer:
    """The process that wrote an entry of the log."""

    id: str
    """Of its working copy."""
    host: str
    process: int
    since: str

    @classmethod
    def here(cls, identity: str) -> Writer:
        """This process, as the user of a working copy."""
        return cls(identity, socket.gethostname(), os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}, since {self.since}"


@dataclass(frozen=True)
class Manifest:
    """An entry of the log: all files of the folder at one moment."""

    number: int = 0
    """0: the folder is empty."""
    files: Mapping[str, StoredFile] = field(default_factory=dict)
    packs: Sequence[Pack] = ()
    writer: Writer | None = None
    open: bool = False
    """Whether the writer goes on."""
    removed: Sequence[str] = ()
    """Members of packs that are no longer files of the folder."""
    folders: Sequence[str] = ()
    """Folders without a file."""

    @property
    def name(self) -> str:
        """Name of its object."""
        return entry_name(self.number)

    def encoded(self) -> bytes:
        """As JSON with a checksum."""
        return sealed_json({"format": FORMAT, **asdict(self)})

    def next(self, writer: Writer, is_open: bool, **changes: Any) -> Manifest:
        """The entry after this one."""
        return replace(self, number=self.number + 1, writer=writer, open=is_open, **changes)


def entry_name(number: int) -> str:
    """Name of the object of an entry."""
    return f"{FOLDER}/{number:010d}.json"


def last_number(names: Mapping[str, int]) -> int:
    """Number of the last entry among the names of objects; 0 if there is none."""
    numbers = (name.removeprefix(f"{FOLDER}/").removesuffix(".json") for name in names if name.startswith(f"{FOLDER}/"))
    return max((int(number) for number in numbers if number.isdigit()), default=0)


def read_last(objects: Objects) -> Manifest:
    """The last entry of the log; an empty one if there is no log.

    Raises:
        PixelProofError: It cannot be read, or is damaged.
    """
    number = last_number(objects.sizes(FOLDER))
    return read_entry(objects, number) if number else Manifest()


def read_entry(objects: Objects, number: int) -> Manifest:
    """An entry of the log, verified."""
    name = entry_name(number)
    try:
        content = parse_sealed_json(objects.read(name))
        if content.get("format") != FORMAT or content["number"] != number:
            raise ValueError(f"it is not of format {FORMAT}")
        return Manifest(
            number,
            {path: StoredFile(**entry) for path, entry in content["files"].items()},
            tuple(Pack(**entry) for entry in content["packs"]),
            None if content["writer"] is None else Writer(**content["writer"]),
            bool(content["open"]),
            tuple(content["removed"]),
            tuple(content["folders"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise objects.damaged(name, error) from error


def append(objects: Objects, entry: Manifest) -> None:
    """Add an entry to the log: the moment at which everything that it lists becomes visible.

    Raises:
        FileExistsError: Another process has added an entry meanwhile.
    """
    objects.create(entry.name, entry.encoded())
