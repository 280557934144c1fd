"""Content-addressed files: the key of a blob is the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from pixelproof.contract import Artefact, PixelProofError

from ._damage import DamagedFile, run_directory_of
from ._files import replacing, sync_path

_KEY = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """A directory of blobs, `ab/cdef…`; safe for concurrent processes; equal content is stored once."""

    def __init__(self, directory: Path, sync: bool = False) -> None:
        """Open a directory, which need not exist.

        Args:
            directory: Of the blobs.
            sync: Whether blobs that are put wait for the disk, so that they survive a power failure.
        """
        self._directory = directory
        self._sync = sync

    def put(self, data: bytes | Artefact) -> str:
        """Store bytes and return their key, the SHA-256."""
        artefact = data if isinstance(data, Artefact) else Artefact(data)
        path = self.path(artefact.sha256)
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
        try:
            data = path.read_bytes()
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

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(_KEY.fullmatch(key)) and self.path(key).is_file()

    def keys(self) -> Iterator[str]:
        """All keys, sorted."""
        for folder in sorted(self._directory.glob("??")):
            names = (folder.name + path.name for path in folder.iterdir())
            yield from sorted(name for name in names if _KEY.fullmatch(name))
