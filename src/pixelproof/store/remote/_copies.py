"""Local copies of what is at URLs: how much they take, and which may be removed."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._cache import cache_root
from pixelproof.store._files import make_directory
from pixelproof.store._lock import Lock
from pixelproof.store._urls import ORIGIN

BOUND_VARIABLE = "PIXELPROOF_CACHE_GB"
BOUND_GB = 20.0
"""Default bound of all copies together."""
UPLOADED = "uploaded"
"""File of a working copy: everything in it is at its URL."""
_HELD = ".held"
"""File of a copy that processes lock, shared, while they may read it."""
_MOST_HELD = 64
_RECENT_S = 3600.0
"""Seconds for which an object, which nothing holds, is not removed after its last use; and between two checks."""
_ABANDONED_S = 86400.0
"""Seconds after which a copy that was never finished counts as one of a process that was killed."""
_held: OrderedDict[Path, int] = OrderedDict()


@dataclass(frozen=True)
class LocalCopy:
    """A working copy, a view, or a downloaded object."""

    kind: str
    """`work`, `views` or `objects`: its folder in the cache."""
    path: Path
    size: int
    """Bytes; those of an object that is also in a view count there."""
    used: float
    """Time of the last use, in seconds."""
    sent: bool = True
    """False for a working copy that has files which may be nowhere else."""

    @property
    def origin(self) -> str:
        """The URL that it is a copy of, or the folder of that URL."""
        with suppress(OSError):
            return (self.path / ORIGIN).read_text("utf-8")
        return ""


def remote_cache() -> Path:
    """The folder of all copies."""
    return cache_root() / "remote"


def local_copies() -> list[LocalCopy]:
    """All copies, those that were not used for longest first."""
    root = remote_cache()
    copies = [_folder_copy("views", path) for path in _entries(root / "views")]
    copies += [_folder_copy("work", path) for path in _entries(root / "work")]
    copies += _objects(root / "objects")
    return sorted(copies, key=lambda copy: copy.used)


def _entries(folder: Path) -> list[Path]:
    """Copies in a folder; hidden ones are being made or removed, unless they are old."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in entries if not path.name.startswith(".") or time.time() - _time_of(path) > _ABANDONED_S]


def _folder_copy(kind: str, path: Path) -> LocalCopy:
    mark = path / (ORIGIN if kind == "views" else UPLOADED)
    try:
        used, sent = mark.stat().st_mtime, True
    except OSError:  # a view that was never finished, or a working copy that was not uploaded
        used, sent = _time_of(path), kind == "views"
    return LocalCopy(kind, path, sum(size for _, size, _ in _files(path)), used, sent)


def _objects(folder: Path) -> Iterator[LocalCopy]:
    for path, size, links in _files(folder):
        yield LocalCopy("objects", path, 0 if links > 1 else size, _time_of(path))


def _files(folder: Path) -> Iterator[tuple[Path, int, int]]:
    """Path, size and number of links of every file below a folder."""
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                state = os.lstat(path := Path(root, name))
                yield path, state.st_size, state.st_nlink


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def hold(root: Path, mark: str) -> bool:
    """Note the use of a copy, which is then not removed while this process runs.

    Args:
        root: Its folder.
        mark: The file of it whose time is that of the last use.

    Returns:
        Whether the copy is there.
    """
    try:
        os.utime(root / mark)
        if root not in _held:
            descriptor = os.open(root / _HELD, os.O_RDWR | os.O_CREAT, 0o666)
            _held[root] = descriptor
            _lock(descriptor, shared=True)
            while len(_held) > _MOST_HELD:
                os.close(_held.popitem(last=False)[1])
    except OSError:
        release(root)
        return False
    return (root / mark).exists()


def release(root: Path) -> None:
    """Allow that a copy is removed."""
    if (descriptor := _held.pop(root, None)) is not None:
        os.close(descriptor)


if sys.platform == "win32":

    def _lock(descriptor: int, shared: bool) -> None:
        """Do nothing: the system refuses to remove a folder with an open file."""
else:
    import fcntl

    def _lock(descriptor: int, shared: bool) -> None:
        """Lock a file that is open.

        Raises:
            OSError: Another process has locked it.
        """
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def remove(copy: LocalCopy) -> bool:
    """Remove a copy; False if a process uses it."""
    if copy.kind == "objects":
        with suppress(OSError):
            copy.path.unlink()
        return not copy.path.exists()
    if copy.path in _held:
        return False
    if copy.kind == "views":
        return _remove_unheld(copy.path)
    try:
        with Lock(copy.path):
            return _remove_unheld(copy.path)
    except PixelProofError:
        return False


def _remove_unheld(root: Path) -> bool:
    aside = root.with_name(f".{root.name.lstrip('.')}.gone")
    try:
        descriptor = os.open(root / _HELD, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor, shared=False)
            root.rename(aside)  # at once: readers get all of it or nothing
        finally:
            os.close(descriptor)
    except OSError:
        return False
    shutil.rmtree(aside, ignore_errors=True)
    return True


def prune() -> None:
    """Remove copies that were not used for longest, until the rest is within the bound; at most once an hour."""
    stamp = remote_cache() / ".pruned"
    now = time.time()
    if now - _time_of(stamp) < _RECENT_S:
        return
    with suppress(OSError):
        make_directory(stamp.parent, sync=False)
        stamp.touch()
        for _ in range(2):  # an object takes space of its own only when the views that have it are gone
            copies = local_copies()
            surplus = sum(copy.size for copy in copies) - bound()
            for copy in copies:
                recent = copy.kind == "objects" and now - copy.used < _RECENT_S
                if surplus > 0 and copy.sent and not recent and remove(copy):
                    surplus -= copy.size


def clear_copies(unsent: bool = False) -> list[LocalCopy]:
    """Remove all copies that no process uses.

    Args:
        unsent: Whether working copies that were not uploaded are removed, too; what is only there is lost then.

    Returns:
        Those that are left.
    """
    copies = sorted(local_copies(), key=lambda copy: copy.kind == "objects")
    return [copy for copy in copies if (not copy.sent and not unsent) or not remove(copy)]


def bound() -> float:
    """Bytes that all copies together may take.

    Raises:
        PixelProofError: The environment variable is no number.
    """
    text = os.environ.get(BOUND_VARIABLE, "") or str(BOUND_GB)
    try:
        if (value := float(text)) >= 0:
            return value * 1e9
    except ValueError:
        pass
    raise PixelProofError(f"{BOUND_VARIABLE} must be a number of gigabytes, not {text!r}.")
