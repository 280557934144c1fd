"""Content-addressed files: the key of a blob is the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pixelproof.contract import Artefact, PixelProofError

from ._damage import DamagedFile, run_directory_of
from ._files import make_directory, replacing, sync_path
from ._urls import REMOTE_BLOBS

if TYPE_CHECKING:
    from .remote import RemoteBlobs

_KEY = re.compile(r"[0-9a-f]{64}")


class LostReference(PixelProofError):
    """A file outside of a run directory, which the run refers to by path and hash, is missing or has changed."""

    def __init__(self, path: Path, file: Path, reason: str) -> None:
        super().__init__(path, file, reason)  # all in args, so that the error survives pickling
        self.path, self.file, self.reason = path, file, reason

    def __str__(self) -> str:
        return (
            f"{run_directory_of(self.path)} refers to the file {self.file}, which {self.reason}: restore that file, or "
            "make a new run."
        )


class BlobStore:
    """A directory of blobs, `ab/cdef…`; safe for concurrent processes; equal content is stored once.

    A blob may be a reference: a symbolic link to a file elsewhere, whose content is verified like that of any other.
    """

    def __init__(self, directory: Path, sync: bool = False, refers: bool = False) -> None:
        """Open a directory, which need not exist.

        Args:
            directory: Of the blobs.
            sync: Whether blobs that are put wait for the disk, so that they survive a power failure.
            refers: Whether artefacts that were read from a file are stored as references to it instead of copies.
        """
        self._refers = refers
        self._directory = directory
        self._sync = sync

    def put(self, data: bytes | Artefact) -> str:
        """Store bytes and return their key, the SHA-256."""
        artefact = data if isinstance(data, Artefact) else Artefact(data)
        path = self.path(artefact.sha256)
        if self._refers and artefact.file and _refer(path, Path(artefact.file)):
            return artefact.sha256
        if not self._holds(path, artefact.data):
            with replacing(path, sync=self._sync) as temporary:
                temporary.write_bytes(artefact.data)
        elif self._sync:  # it may have been written without
            for written in (path, path.parent, path.parent.parent):
                sync_path(written)
        return artefact.sha256

    @staticmethod
    def _holds(path: Path, data: bytes) -> bool:
        """Whether a file has this content; after a power failure it may be truncated, or consist of zeros."""
        try:
            return path.stat().st_size == len(data) and path.read_bytes() == data
        except OSError:
            return False

    def get(self, key: str) -> bytes:
        """The content of a blob, verified.

        Raises:
            PixelProofError: The blob is missing or damaged.
        """
        path = self.path(key)
        if path.is_symlink():
            return _referred(path, key)
        try:
            data = self.file(key).read_bytes()
        except OSError as error:
            raise PixelProofError(
                f"The blob {path} cannot be read ({error.strerror}): restore it from a backup, or run 'pixelproof "
                f"repair {run_directory_of(path)}', which says what it belonged to."
            ) from error
        if hashlib.sha256(data).hexdigest() != key:
            raise DamagedFile(path, "its content does not match its name")
        return data

    def path(self, key: str) -> Path:
        """Path of the blob of a key; need not exist."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"A key is 64 hexadecimal digits, not {key!r}.")
        return self._directory / key[:2] / key[2:]

    def file(self, key: str) -> Path:
        """Path of the blob of a key; in the view of a run on a URL, it is downloaded first if it has not been read yet.

        Raises:
            PixelProofError: It cannot be downloaded, or is damaged.
        """
        path = self.path(key)
        if self._remote is not None and not path.exists():
            data = self._remote.read(f"{key[:2]}/{key[2:]}")
            if data is not None:
                if hashlib.sha256(data).hexdigest() != key:
                    raise DamagedFile(path, "its content does not match its name")
                with replacing(path, sync=False) as temporary:
                    temporary.write_bytes(data)
        return path

    @cached_property
    def _remote(self) -> RemoteBlobs | None:
        """Blobs of a view that are still at its URL; None for a directory that has all of them."""
        pointer = self._directory / REMOTE_BLOBS
        if not pointer.exists():
            return None
        from .remote import remote_blobs

        return remote_blobs(pointer)

    def is_reference(self, key: str) -> bool:
        """Whether a blob is a reference to a file elsewhere, which may be missing."""
        return bool(_KEY.fullmatch(key)) and self.path(key).is_symlink()

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            return False
        return self.path(key).is_file() or (self._remote is not None and key in self._remote.keys)

    def keys(self) -> Iterator[str]:
        """All keys, sorted."""
        if self._remote is not None:
            yield from sorted(self._remote.keys)
            return
        for folder in sorted(self._directory.glob("??")):
            names = (folder.name + path.name for path in folder.iterdir())
            yield from sorted(name for name in names if _KEY.fullmatch(name))


def _refer(path: Path, file: Path) -> bool:
    """Make a blob a reference to a file, unless there is a copy; False where links cannot be made."""
    try:
        try:
            os.symlink(file, path)
        except FileNotFoundError:
            make_directory(path.parent, sync=False)
            os.symlink(file, path)
    except FileExistsError:
        if not path.is_symlink():
            return False
        if os.readlink(path) != str(file):  # equal content in another file, which was read just now
            with replacing(path, sync=False) as temporary:
                os.symlink(file, temporary)
    except OSError:  # a file system, or a user, that may not have links
        return False
    return True


def _referred(path: Path, key: str) -> bytes:
    """The content of a file that a blob refers to."""
    file = Path(os.readlink(path))
    try:
        data = file.read_bytes() if file.is_file() else None  # opening a pipe would wait for ever
    except OSError as error:
        raise LostReference(path, file, f"cannot be read ({error.strerror})") from error
    if data is None:
        raise LostReference(path, file, "is missing")
    if hashlib.sha256(data).hexdigest() != key:
        raise LostReference(path, file, "has changed since")
    return data
