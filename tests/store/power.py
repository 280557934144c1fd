"""A disk that loses everything that was not synchronised: what a power cut leaves, in the worst case."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest


class Disk:
    """Records each fsync: the content of a file, or the names in a directory, are on the disk as of then.

    Everything else is lost: contents, names and deletions after the last fsync of their file or directory.
    """

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.syncs = 0
        self._files: dict[int, bytes] = {}
        self._folders: dict[int, dict[str, int]] = {}
        self._held: list[int] = []
        self._fsync = os.fsync
        patch.setattr(os, "fsync", self.fsync)

    def fsync(self, descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        if not path.startswith(str(self.root)):
            return
        self.syncs += 1
        self._held.append(os.dup(descriptor))  # while it is open, its inode number is not used again
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            self._folders[state.st_ino] = {entry.name: entry.inode() for entry in os.scandir(path)}
        else:
            self._files[state.st_ino] = Path(path).read_bytes()

    def cut(self, target: Path) -> Path:
        """Write what is on the disk into another directory."""
        self._write(os.stat(self.root).st_ino, target)
        return target

    def _write(self, folder: int, target: Path) -> None:
        target.mkdir(parents=True)
        for name, inode in self._folders.get(folder, {}).items():
            if inode in self._folders:
                self._write(inode, target / name)
            else:
                (target / name).write_bytes(self._files.get(inode, b""))  # a name without content: an empty file

    def close(self) -> None:
        for descriptor in self._held:
            os.close(descriptor)
