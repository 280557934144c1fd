"""Content-addressed files: the key of a blob is the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from pixelproof.contract import Artefact, PixelProofError

from ._damage import DamagedFile, run_directory_of
from ._files import replacing

_KEY = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """A directory of blobs, `ab/cdef…`; safe for concurrent processes; equal content is stored once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, data: bytes | Artefact) -> str:
        """Store bytes and return their key, the SHA-256."""
        artefact = data if isinstance(data, Artefact) else Artefact(data)
        path = self.path(artefact.sha256)
        # A file of the wrong length was truncated by a power failure: write it again.
        if not path.is_file() or path.stat().st_size != len(artefact.data):
            with replacing(path, sync=False) as temporary:
                temporary.write_bytes(artefact.data)
        return artefact.sha256

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
