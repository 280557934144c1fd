"""Sources that are gathered: files of a data set, listed once, read when they are needed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.benches.arena._case import Case, Frame, Labels, Pixels
from pixelproof.benches.arena._names import name_of
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette, read_image, read_labels
from pixelproof.stats import generator
from pixelproof.store import digest

_NEAR = 0.01
"""Share by which the shapes of a photograph and its mask may differ before they are taken for strangers."""


@dataclass(frozen=True)
class Entry:
    """A picture of a data set: what it is called, and its files by role, relative to the root."""

    key: str
    files: Mapping[str, str]
    """Role → path in the root."""
    details: Mapping[str, Any] = field(default_factory=dict)
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Files:
    """A data set."""

    name: str
    root: Path
    palette: Palette
    entries: tuple[Entry, ...]
    read: Callable[[Case], Frame]
    ignored: frozenset[str] = frozenset()
    pairs: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of results should know of how the set was read, in sentences."""
    shuffled: bool = True
    """Whether the seed sets the order, so that the first cases stand for all; else they come by name."""
    way: Mapping[str, Any] = field(default_factory=dict)
    """What changes pixels beside the files, such as a crop."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All labels."""
        return self.palette.labels

    @cached_property
    def keys(self) -> frozenset[str]:
        """What its pictures are called."""
        return frozenset(entry.key for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def cases(self, seed: int) -> Iterator[Case]:
        """Every case once."""
        order = generator(seed, f"arena/{self.name}").permutation(len(self)) if self.shuffled else range(len(self))
        for place in order:
            yield self.case(self.entries[place])

    def case(self, entry: Entry) -> Case:
        """The case of an entry; a file that cannot be read is found out when the case is loaded."""
        hashes = {role: file_hash(self.root / path) for role, path in entry.files.items()}
        return Case(
            self.name,
            entry.key,
            self.palette,
            digest([hashes, dict(entry.details), dict(self.way)]),
            {**entry.details, "files": dict(entry.files), "way": dict(self.way)},
            root=self.root,
            cluster=entry.cluster,
            tags=entry.tags,
        )

    def load(self, case: Case) -> Frame:
        """The photograph and its label map.

        Raises:
            PixelProofError: A file is missing, damaged or not what it should be.
        """
        try:
            return self.read(case)
        except PixelProofError as error:
            raise PixelProofError(f"{self.name} {case.key}: {error}") from error


def file_hash(path: Path) -> str:
    """SHA-256 of a file, empty if it cannot be read; remembered until the file changes."""
    try:
        facts = path.stat()
        return _hash(path, facts.st_size, facts.st_mtime_ns)
    except OSError:
        return ""


@lru_cache(1 << 16)
def _hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_folder(data: Path | None, name: str, parts: tuple[str, ...], steps: str) -> Path:
    """The root of a data set, if all that it needs is there.

    Raises:
        PixelProofError: It is not; the sentence says what is missing and how to get it.
    """
    if data is None:
        raise PixelProofError(f"The source {name!r} needs its files: {steps}, and give their folder with --data DIR.")
    if missing := [part for part in parts if not (data / part).exists()]:
        raise PixelProofError(f"There is no {data / missing[0]}, which {name!r} needs: {steps}.")
    return data.absolute()


def by_name(paths: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Files by their path in a folder, less the suffix.

    Raises:
        PixelProofError: Two of them have one name.
    """
    found: dict[str, Path] = {}
    for path in paths:
        key = name_of(path, folder)
        if key in found:
            raise PixelProofError(f"{found[key]} and {path} would both be {key!r}: remove or rename one of them.")
        found[key] = path
    return found


def inside(path: Path, root: Path) -> str:
    """A path as an entry has it, relative to the root, so that a data set may be moved as a whole."""
    try:
        return Path(os.path.relpath(path.absolute(), root.absolute())).as_posix()
    except ValueError:  # on another drive
        return str(path.absolute())


def photograph(path: Path, shape: tuple[int, int]) -> Pixels:
    """A photograph, resized if its mask has more pixels or fewer.

    Raises:
        PixelProofError: It cannot be read, or its shape is not that of the mask.
    """
    photo = picture(path)
    height, width = shape
    if photo.shape[:2] == shape:
        return photo
    ratio = photo.shape[1] * height / (photo.shape[0] * width)
    if abs(ratio - 1) > _NEAR:
        raise PixelProofError(
            f"{path} is {photo.shape[1]}×{photo.shape[0]} and its mask {width}×{height}: they must show the same frame."
        )
    return np.array(Image.fromarray(photo).resize((width, height), Image.Resampling.LANCZOS))


def picture(path: Path) -> Pixels:
    """A picture; the error names its file."""
    try:
        return read_image(path)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error


def label_map(path: Path, palette: Palette) -> Labels:
    """A label map; the error names its file."""
    try:
        return read_labels(path, palette)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error


def id_map(path: Path) -> npt.NDArray[np.uint8]:
    """The numbers of an index PNG, 0 to 254, with 255 for void."""
    return label_map(path, _NUMBERS)


_NUMBERS = Palette(tuple(map(str, range(255))), tuple((n, n, n) for n in range(255)))
"""With a grey for each number, a map of numbers and its picture are the same."""
