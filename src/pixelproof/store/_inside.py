"""Symbolic links that leave a folder, such as a data set that somebody else packed, are refused."""

from __future__ import annotations

import os
from pathlib import Path

from pixelproof.contract import PixelProofError


def leaves_folder(path: Path, folder: Path) -> bool:
    """Whether a path below a folder leads outside through a link; links within it, and the folder itself, may be used.

    Only paths with a link are resolved, so that listing many files stays fast.
    """
    if not path.is_relative_to(folder):
        return True
    place = str(folder)
    for part in path.relative_to(folder).parts:
        place = os.path.join(place, part)
        if part == ".." or os.path.islink(place):
            try:
                return not path.resolve().is_relative_to(folder.resolve())
            except (OSError, RuntimeError):  # a loop of links
                return True
    return False


def require_inside(path: Path, folder: Path) -> Path:
    """The path, if it stays inside the folder.

    Raises:
        PixelProofError: It is, or goes through, a link that leaves the folder.
    """
    if leaves_folder(path, folder):
        raise PixelProofError(f"{path} is a link that leaves {folder}: put a copy of the file there.")
    return path
