"""Sources of the images of collages: folders or named libraries, identified by a hash of their content."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property, lru_cache, partial
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path, require_inside

from ._library import Folder, Library, Photographs
from ._solids import SolidCutouts
from ._stamps import TuxPaintStamps

SOLID, STAMPS, NATURE = "solid", "tuxpaint-stamps", "nature-photographs"
"""Names that can be given instead of a folder: two for cut-outs, one for photographs."""
_THINGS = 200
"""Number of solid things that collages of one seed use."""

_State = tuple[tuple[str, int, int], ...]
"""(path, modification time, size) of each file."""


def absolute(name: str) -> str:
    """The absolute path of a folder; names of libraries and an empty string are unchanged."""
    return name if name in (SOLID, STAMPS, NATURE, "") else os.path.abspath(os.path.expanduser(name))


class Sources:
    """The cut-outs and photographs of collages.

    Raises:
        PixelProofError: They are missing.
    """

    def __init__(self, cutouts: str, photographs: str, seed: int, files: tuple[_State, _State]) -> None:
        self.photographs = Photographs(_folder(photographs)) if photographs else None
        self._open = partial(_library, cutouts, seed)
        if cutouts != SOLID:
            _ = self.library  # raises an error now if something is wrong; solid things take long to open
        self.content = _content((cutouts, photographs), files)
        """Hash of all files, and of the names of libraries with a special reader."""

    @cached_property
    def library(self) -> Library:
        """The cut-outs."""
        return self._open()


def sources(cutouts: str, photographs: str, seed: int) -> Sources:
    """The sources of collages, opened once per process unless files change."""
    return _opened(cutouts, photographs, seed if cutouts == SOLID else 0, (_state(cutouts), _state(photographs)))


def same_sources(cutouts: str, photographs: str, seed: int, content: str) -> Sources:
    """The sources that a set was begun with.

    Raises:
        PixelProofError: A folder is missing, or has other content.
    """
    for option, folder in (("--cutouts", cutouts), ("--photographs", photographs)):
        if os.path.isabs(folder) and not os.path.isdir(folder):
            raise PixelProofError(
                f"The set was made with images of {folder}, which is missing: restore it, or give its new path with "
                f"{option}."
            )
    found = sources(cutouts, photographs, seed)
    if found.content != content:
        options = " and --photographs" if photographs else ""
        raise PixelProofError(
            f"The images of {' and '.join(filter(None, (cutouts, photographs)))} differ from those of the set: "
            f"restore them, or give their new path with --cutouts{options}."
        )
    return found


_opened = lru_cache(4)(Sources)


def _library(name: str, seed: int) -> Library:
    if name == SOLID:
        return SolidCutouts(seed, _THINGS)
    return TuxPaintStamps() if name == STAMPS else Folder(name)


def _content(names: tuple[str, str], files: tuple[_State, _State]) -> str:
    code = hashlib.sha256()
    for name, state in zip(names, files, strict=True):
        code.update(b"" if os.path.isabs(name) else name.encode())
        for file, _, _ in state:
            data = (_folder(name) / file).read_bytes()
            code.update(b"\0" + file.encode() + b"\0" + hashlib.sha256(data).digest())
        code.update(b"\0\0")  # separates cut-outs from photographs
    return code.hexdigest()[:16]


def _folder(name: str) -> Path:
    return Path(name) if os.path.isabs(name) else asset_path(name)


def _state(name: str) -> _State:
    """The files of a library, without hidden ones."""
    if name in ("", SOLID):
        return ()
    folder, found = _folder(name), list[tuple[str, int, int]]()
    for path in folder.rglob("*"):
        place = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in place.parts):
            facts = require_inside(path, folder).stat()
            found.append((place.as_posix(), facts.st_mtime_ns, facts.st_size))
    return tuple(sorted(found))
