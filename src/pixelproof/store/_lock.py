"""Exclusive lock on a directory."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from pixelproof.contract import PixelProofError

from ._files import storage_error

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond the text, so that others can still read it
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")[:20] or "pid unknown"
    except OSError:
        return "pid unknown"


def is_held(directory: Path) -> bool:
    """Whether the process that last locked a directory still runs; nothing is locked or waited for."""
    try:
        process = int(_holder(directory / ".lock").removeprefix("pid "))
        os.kill(process, 0)
    except PermissionError:  # it runs, as another user
        return True
    except (ValueError, OSError, OverflowError):
        return False
    return True


def _acquired(path: Path) -> int:
    """Descriptor of the lock file, locked."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise storage_error(path, error) from error
    try:
        _lock(descriptor)
    except OSError as error:
        os.close(descriptor)
        if not isinstance(error, BlockingIOError | PermissionError):
            raise storage_error(path, error) from error  # a file system without locks
        raise PixelProofError(
            f"Another process ({_holder(path)}) is working in {path.parent}: wait until it ends, or choose another "
            "directory."
        ) from error
    return descriptor


def _is_file(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to the file that is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


class Lock:
    """An exclusive lock on a directory, acquired at creation; the system releases it when the process ends.

    Raises:
        PixelProofError: Another process holds it, or the directory cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / ".lock"
        descriptor = _acquired(path)
        while not _is_file(descriptor, path):  # its holder deleted the directory meanwhile, and others may make it anew
            os.close(descriptor)
            descriptor = _acquired(path)
        with suppress(OSError):  # information for the next process only; a full disk must not prevent locking
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"pid {os.getpid()}".encode())
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Release the lock; the file stays, because removing it would race with the next process."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
