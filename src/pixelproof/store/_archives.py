"""Bounded streaming reads of untrusted archives: wheels, tarballs and .deb files."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, cast

from pixelproof.contract import PixelProofError

MAX_MEMBERS = 200_000
_UNPACKED = 200
"""Maximum ratio of unpacked to packed size; real tarballs stay below 20."""
_SLACK = 64 << 20
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,  # a compression that zipfile does not know
    RuntimeError,  # an encrypted member
)


@dataclass(frozen=True)
class Member:
    """A file in an archive; valid until the next member is requested."""

    name: str
    regular: bool
    """Whether it is a regular file, not a link or a device."""
    open: Callable[[], IO[bytes]]


@contextmanager
def opened(path: Path) -> Iterator[Iterator[Member]]:
    """The members of an archive except folders, in order; the format is detected from the content.

    Raises:
        PixelProofError: It is damaged, or made to harm; also while its members are read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(8)
            file.seek(0)
            if start.startswith(b"PK"):
                yield _zipped(file, path)
            else:
                packed = _data_of_deb(file, path) if start == b"!<arch>\n" else file
                yield _tarred(packed, path)
    except (OSError, *_DAMAGE) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # a disk error; decompressors raise OSError without errno, and zipfile seeks beyond the end
        reason = str(error) or type(error).__name__
        raise PixelProofError(f"The archive {path} cannot be read ({reason}): download it again.") from error


def safe_path(name: str, archive: Path) -> str:
    """A member's path, checked to stay inside the target folder.

    Raises:
        PixelProofError: It would lead elsewhere, here or on another system.
    """
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts) or any(c in "\\:" or c < " " for c in name) or len(name) > 400:
        raise hostile(archive, f"a file named {name[:80]!r}, which could be written outside of the folder")
    return name


def _zipped(file: IO[bytes], path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        _count(len(archive.infolist()), path)
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if not info.is_dir():
                yield Member(info.filename, stat.S_IFMT(mode) in (0, stat.S_IFREG), partial(archive.open, info))


def _tarred(file: IO[bytes], path: Path) -> Iterator[Member]:
    bounded = _Bounded(_unpacked(file, path), _SLACK + _UNPACKED * path.stat().st_size, path)
    with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r|") as archive:
        for number, info in enumerate(archive):
            _count(number, path)
            if not info.isdir():
                extract = cast(Callable[[], IO[bytes]], partial(archive.extractfile, info))
                yield Member(info.name.removeprefix("./"), info.isreg(), extract)


def _unpacked(file: IO[bytes], path: Path) -> IO[bytes]:
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        raise PixelProofError(
            f"{path} is compressed with zstd, which is not supported: use the package of Debian itself."
        )
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(file))
    if start == b"\xfd7zXZ\x00":
        return cast(IO[bytes], lzma.open(file))
    return cast(IO[bytes], bz2.open(file)) if start.startswith(b"BZh") else file


def _data_of_deb(file: IO[bytes], path: Path) -> IO[bytes]:
    """The data tarball of a .deb file, which is the last of the three members of an ar archive."""
    file.seek(8)
    while len(header := file.read(60)) == 60 and header.endswith(b"`\n"):
        size = int(header[48:58]) if header[48:58].strip().isdigit() else 0
        if header.startswith(b"data.tar"):
            return cast(IO[bytes], io.BufferedReader(_Window(file, file.tell(), size)))
        file.seek(size + size % 2, io.SEEK_CUR)
    raise PixelProofError(f"The archive {path} is not a complete .deb file: download it again.")


class _Window(io.RawIOBase):
    """A read-only file object over a byte range of a file."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file, self._start, self._size, self._at = file, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._start + self._at)
        data = self._file.read(min(len(buffer), max(0, self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class _Bounded:
    """A stream that fails beyond a maximum length."""

    def __init__(self, stream: IO[bytes], limit: int, path: Path) -> None:
        self._stream, self._left, self._path = stream, limit, path

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise hostile(self._path, f"more than {_UNPACKED} times its packed size")
        return data


def _count(members: int, path: Path) -> None:
    if members > MAX_MEMBERS:
        raise hostile(path, f"more than {MAX_MEMBERS:,} files")


def hostile(path: Path, what: str) -> PixelProofError:
    return PixelProofError(f"The archive {path} is refused because it contains {what}: use another source.")
