"""Data sets in folders: entries with their files, listed once and read when they are needed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette, read_image, read_labels
from pixelproof.stats import generator
from pixelproof.store import digest, require_inside

from ._file_names import key_of

Pixels = npt.NDArray[np.uint8]

_ASPECT_TOLERANCE = 0.01
"""Relative difference of aspect ratios between a photograph and its mask that is accepted."""


@dataclass(frozen=True)
class FileEntry:
    """One sample of a data set: its key, and its files by role."""

    key: str
    files: Mapping[str, str]
    """Role, such as `photo` or `mask` → path relative to the root."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is needed to read it; plain data."""
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FolderSource:
    """A data set in a folder."""

    name: str
    root: Path
    entries: tuple[FileEntry, ...]
    shuffled: bool = field(default=True, kw_only=True)
    """Whether the seed sets the order, so that the first entries represent all; otherwise they come by name."""
    options: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    """What changes pixels besides the files, such as a crop size."""

    def __post_init__(self) -> None:
        """Refuse links that leave the folder; another folder that the user named is checked where it is listed."""
        for entry in self.entries:
            for path in entry.files.values():
                if not path.startswith(("..", "/")):
                    require_inside(self.root / path, self.root)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of all entries."""
        return frozenset(entry.key for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def ordered(self, seed: int, purpose: str) -> Iterator[FileEntry]:
        """Every entry once, in an order that depends on seed and purpose if the source is shuffled."""
        count = len(self.entries)
        order = generator(seed, purpose).permutation(count) if self.shuffled else range(count)
        return (self.entries[place] for place in order)

    def content_hash(self, entry: FileEntry) -> str:
        """Hash of an entry's files, details and options; unreadable files count as empty."""
        hashes = {role: file_hash(self.root / path) for role, path in entry.files.items()}
        return digest([hashes, dict(entry.details), dict(self.options)])


def file_hash(path: Path) -> str:
    """SHA-256 of a file, empty if it cannot be read; cached until the file changes."""
    try:
        facts = path.stat()
        return _hash(path, facts.st_size, facts.st_mtime_ns)
    except OSError:
        return ""


@lru_cache(1 << 16)
def _hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def list_files(path: Path) -> frozenset[tuple[str, int, int]]:
    """Path, size and time of change of every file below a folder, or of a single file; empty where there is none."""
    found, files = set(), [str(path)]
    for folder, _, names in os.walk(path):
        files += [os.path.join(folder, name) for name in names]
    for file in files:
        try:
            facts = os.stat(file)
        except (OSError, ValueError):  # removed meanwhile, a broken link, or no path at all
            continue
        if stat.S_ISREG(facts.st_mode):
            found.add((file, facts.st_size, facts.st_mtime_ns))
    return frozenset(found)


def require_folder(data: Path | None, name: str, parts: tuple[str, ...], steps: str) -> Path:
    """The root of a data set, if all that it needs is there.

    Args:
        data: The folder that was given.
        name: Name of the source.
        parts: Files and folders that it must contain.
        steps: How to get them, as an instruction.

    Raises:
        PixelProofError: A part is missing.
    """
    if data is None:
        raise PixelProofError(f"The source {name!r} needs its files: {steps}, and pass their folder with --data DIR.")
    if missing := [part for part in parts if not (data / part).exists()]:
        raise PixelProofError(f"There is no {data / missing[0]}, which {name!r} needs: {steps}.")
    return data.absolute()


def index_files(paths: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Files by key (relative path without suffix).

    Raises:
        PixelProofError: Two files have one key, or a file is a link that leaves the folder.
    """
    index: dict[str, Path] = {}
    for path in paths:
        key = key_of(require_inside(path, folder), folder)
        if key in index:
            raise PixelProofError(f"{index[key]} and {path} would both be {key!r}: remove or rename one of them.")
        index[key] = path
    return index


def relative_path(path: Path, root: Path) -> str:
    """A path relative to a root, so that a data set may be moved as a whole."""
    try:
        return Path(os.path.relpath(path.absolute(), root.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())


def read_photo(path: Path, shape: tuple[int, int]) -> Pixels:
    """Read a photograph, resized (Lanczos) to the shape of its mask.

    Raises:
        PixelProofError: It cannot be read, or its aspect ratio is not that of the mask.
    """
    photo = read_named_image(path)
    height, width = shape
    if photo.shape[:2] == shape:
        return photo
    ratio = photo.shape[1] * height / (photo.shape[0] * width)
    if abs(ratio - 1) > _ASPECT_TOLERANCE:
        raise PixelProofError(
            f"{path} is {photo.shape[1]}×{photo.shape[0]} and its mask {width}×{height}: they must show the same frame."
        )
    return np.array(Image.fromarray(photo).resize((width, height), Image.Resampling.LANCZOS))


def read_named_image(path: Path) -> Pixels:
    """Read an image; errors name the file."""
    try:
        return read_image(path)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error


def read_named_labels(path: Path, palette: Palette) -> Pixels:
    """Read a label map; errors name the file."""
    try:
        return read_labels(path, palette)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error


def read_id_map(path: Path) -> Pixels:
    """Read the ids of an index PNG, 0 to 254, with 255 for void."""
    return read_named_labels(path, _IDS)


_IDS = Palette(tuple(map(str, range(255))), tuple((n, n, n) for n in range(255)))
"""With a grey for each id, a map of ids and its image are the same."""
