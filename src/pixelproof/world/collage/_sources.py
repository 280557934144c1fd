"""Where the pictures of collages come from: folders, or libraries with a name, known again by a hash of their files."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property, lru_cache, partial
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path

from ._library import Folder, Library, Photographs
from ._solids import SolidCutouts
from ._stamps import TuxPaintStamps

SOLID, STAMPS, NATURE = "solid", "tuxpaint-stamps", "nature-photographs"
"""What can be named instead of a folder: the first two of cut-outs, the last of photographs."""
_THINGS = 200
"""Things of the solid world that collages of one seed are made of."""

_State = tuple[tuple[str, int, int], ...]
"""Of each file its path, its time and its size."""


def absolute(name: str) -> str:
    """A folder, whatever the current directory will be; what has a name of ours, and nothing, as it is."""
    return name if name in (SOLID, STAMPS, NATURE, "") else os.path.abspath(os.path.expanduser(name))


class Sources:
    """The cut-outs and the photographs that collages are made of.

    Raises:
        PixelProofError: They are not there.
    """

    def __init__(self, cutouts: str, photographs: str, seed: int, files: tuple[_State, _State]) -> None:
        self.photographs = Photographs(_folder(photographs)) if photographs else None
        self._open = partial(_library, cutouts, seed)
        if cutouts != SOLID:
            _ = self.library  # which says in a sentence what is wrong; solid things take long to open
        self.content = _content((cutouts, photographs), files)
        """A hash of all files, and of the names of libraries that are read in a way of their own."""

    @cached_property
    def library(self) -> Library:
        """The cut-outs."""
        return self._open()


def sources(cutouts: str, photographs: str, seed: int) -> Sources:
    """The pictures that collages are made of, opened once in a process unless files change."""
    return _opened(cutouts, photographs, seed if cutouts == SOLID else 0, (_state(cutouts), _state(photographs)))


def same_sources(cutouts: str, photographs: str, seed: int, content: str) -> Sources:
    """The pictures that a set was begun with.

    Raises:
        PixelProofError: A folder is not where it was, or holds something else.
    """
    for option, folder in (("--cutouts", cutouts), ("--photographs", photographs)):
        if os.path.isabs(folder) and not os.path.isdir(folder):
            raise PixelProofError(
                f"The set was made with pictures of {folder}, which is not there: bring it back, or say with {option} "
                "where it is now."
            )
    found = sources(cutouts, photographs, seed)
    if found.content != content:
        options = " and --photographs" if photographs else ""
        raise PixelProofError(
            f"The pictures of {' and '.join(filter(None, (cutouts, photographs)))} are not those that the set was made "
            f"with: bring those back, or say with --cutouts{options} where they are now."
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
        code.update(b"\0\0")  # so that a photograph is not taken for a cut-out
    return code.hexdigest()[:16]


def _folder(name: str) -> Path:
    return Path(name) if os.path.isabs(name) else asset_path(name)


def _state(name: str) -> _State:
    """The files of a library; hidden ones, which systems leave behind, do not count."""
    if name in ("", SOLID):
        return ()
    folder, found = _folder(name), list[tuple[str, int, int]]()
    for path in folder.rglob("*"):
        place = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in place.parts):
            facts = path.stat()
            found.append((place.as_posix(), facts.st_mtime_ns, facts.st_size))
    return tuple(sorted(found))
