"""Exclusive lock on a directory."""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from pixelproof.contract import PixelProofError

from ._files import storage_error
from ._holder import Holder

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


BEAT_S = 15.0
"""Seconds between signs of life of a holder: the time of change of its lock file."""
SILENCE_S = 60.0
"""Seconds without a sign of life after which a holder on another machine counts as dead."""
_POLL_S = 2.0


def _holder(path: Path) -> Holder | None:
    """The process that a lock file names; None after a release."""
    try:
        return Holder.parse(path.read_text("utf-8", "replace"))
    except OSError:
        return None


def is_held(directory: Path) -> bool:
    """Whether the process that last locked a directory still runs; nothing is locked or waited for.

    Of a process on another machine, a recent sign of life counts, by the clocks of both.
    """
    path = directory / ".lock"
    holder = _holder(path)
    if holder is None or not holder.elsewhere:
        return holder is not None and holder.runs()
    try:
        return time.time() - path.stat().st_mtime < 2 * SILENCE_S
    except OSError:
        return False


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
        raise _occupied(path, _holder(path)) from error
    return descriptor


def _occupied(path: Path, holder: Holder | None, hint: str = "") -> PixelProofError:
    return PixelProofError(
        f"Another process ({holder or 'unknown'}) is working in {path.parent}: wait until it ends, or choose another "
        f"directory.{hint}"
    )


def _require_dead(path: Path, holder: Holder) -> None:
    """Refuse a lock whose last holder, on another machine, shows signs of life; wait for them if it is not long dead.

    The lock is free, because that holder was killed, or because the file system does not share locks between machines.
    """
    last = _changed(path)
    begun = time.monotonic()
    silence = _now_of(path) - last  # both by the clock of the file system
    if silence < SILENCE_S:
        print(f"{path.parent} was last written by another machine ({holder}), which did not release its lock: waiting "
              f"up to {SILENCE_S - max(0.0, silence):.0f} s for a sign of life.",
              file=sys.stderr, flush=True)  # fmt: skip
    while silence + time.monotonic() - begun < SILENCE_S:
        time.sleep(_POLL_S)
        if _holder(path) is None:
            return
        if _changed(path) != last:
            raise _occupied(
                path,
                holder,
                " This machine does not see its lock: use a file system, or an option of its mount, that shares locks "
                "between machines (such as flock instead of localflock for Lustre).",
            )
    print(f"{path.parent} was last written by another machine ({holder}), which has shown no sign of life for "
          f"{SILENCE_S:.0f} s and counts as killed.", file=sys.stderr, flush=True)  # fmt: skip


def _changed(path: Path) -> float:
    """Time of change of a file; it is opened, because network file systems update their copy of that time only then."""
    with path.open("rb") as file:
        return os.fstat(file.fileno()).st_mtime


def _now_of(path: Path) -> float:
    """The time by the clock of the file system."""
    probe = path.with_name(f".lock.{uuid.uuid4().hex[:8]}.tmp")
    try:
        probe.write_bytes(b"")
        return probe.stat().st_mtime
    finally:
        probe.unlink(missing_ok=True)


def _is_file(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to the file that is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


class Lock:
    """An exclusive lock on a directory, acquired at creation; the system releases it when the process ends.

    The file names host and process, and its time of change shows that they live, for machines that do not see the lock
    itself.

    Raises:
        PixelProofError: Another process holds it, or the directory cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        self._path = path = directory / ".lock"
        descriptor = _acquired(path)
        while not _is_file(descriptor, path):  # its holder deleted the directory meanwhile, and others may make it anew
            os.close(descriptor)
            descriptor = _acquired(path)
        self._descriptor: int | None = descriptor
        try:
            if (last := _holder(path)) is not None and last.elsewhere:
                _require_dead(path, last)
        except OSError as error:
            self._close()
            raise storage_error(path, error) from error
        except BaseException:
            self._close()
            raise
        self._write(Holder.here().encoded())
        self._released = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def _write(self, text: bytes) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # information for others only; a full disk must not prevent locking
                os.ftruncate(self._descriptor, 0)
                os.lseek(self._descriptor, 0, os.SEEK_SET)
                os.write(self._descriptor, text)

    def _beat(self) -> None:
        """Show that this process lives."""
        while not self._released.wait(BEAT_S):
            with suppress(OSError):
                os.utime(self._path)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def release(self) -> None:
        """Release the lock; the file stays, because removing it would race with the next process."""
        if self._descriptor is not None:
            self._released.set()
            self._write(b"")
            self._close()

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
