"""Libraries of cut-outs and photographs, and folders as libraries."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import read_image
from pixelproof.store import require_inside

Pixels = npt.NDArray[np.uint8]

_SUFFIXES = (".png", ".webp")
_PHOTOGRAPHS = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
_MOST = 64_000_000
"""Maximum number of pixels of a cut-out."""
_KEPT = 64
"""Images that a library caches in memory."""
_ARTICLE = re.compile(r"(?:an?|the|some) (.+?)[.!]?", re.IGNORECASE)


@dataclass(frozen=True)
class Cutout:
    """Metadata of a cut-out."""

    id: str
    caption: str
    """Caption, such as `A yellow pear.`"""
    noun: str
    """Noun, such as `yellow pear`."""
    group: str = ""
    """Group; collages sample groups uniformly."""
    size: float | None = None
    """Approximate length of its longer side in metres; None: unknown."""
    mirror: bool = True
    """Whether it may be mirrored; not if it shows text."""


class Library(Protocol):
    """A source of cut-outs."""

    @property
    def cutouts(self) -> Mapping[str, Cutout]:
        """All cut-outs by id, in a stable order."""

    def pixels(self, id: str) -> Pixels:
        """A cut-out as RGBA, (h, w, 4), alpha not premultiplied, without empty margins.

        Raises:
            PixelProofError: There is no cut-out with this id, or it cannot be used.
        """


class Folder:
    """The cut-outs of a folder, recursively: PNG or WebP with transparency.

    A caption comes from `captions.csv` (columns `file`, `caption`, and optionally `noun`, `size` and `mirror`), from
    `captions.json` (file → text, or an object with these keys), from the first line of a text file beside the image
    (`frog.txt` for `frog.png`), or else from the file name.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        files = _files(self.folder, _SUFFIXES, "cut-outs (PNG or WebP with transparency)")
        entries = _captions(self.folder, files)
        self._files = {_id(self.folder, path): path for path in files}
        if len(self._files) < len(files):
            twice = next(path for path in files if path not in self._files.values())
            raise PixelProofError(
                f"{twice} has the same name as another image, except for the suffix: rename one of them."
            )
        self._cutouts = {
            id: _metadata(id, path, entries.get(path.relative_to(self.folder).as_posix(), {}))
            for id, path in self._files.items()
        }
        self.pixels = lru_cache(_KEPT)(self._pixels)

    @property
    def cutouts(self) -> Mapping[str, Cutout]:
        """All cut-outs by id: the path in the folder without the suffix."""
        return self._cutouts

    def _pixels(self, id: str) -> Pixels:
        if id not in self._files:
            raise PixelProofError(f"There is no cut-out {id!r} in {self.folder}: it holds {_some(self._files)}.")
        return read_cutout(self._files[id])


class Photographs:
    """The images of a folder, recursively, as backgrounds."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        files = _files(self.folder, _PHOTOGRAPHS, "photographs (JPEG, PNG, WebP or BMP)")
        self._files = {path.relative_to(self.folder).as_posix(): path for path in files}
        self.pixels = lru_cache(8)(self._pixels)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the photographs: their paths in the folder."""
        return tuple(self._files)

    def _pixels(self, id: str) -> Pixels:
        """A photograph as RGB, (h, w, 3)."""
        if id not in self._files:
            raise PixelProofError(f"There is no photograph {id!r} in {self.folder}: it holds {_some(self._files)}.")
        try:
            return read_image(self._files[id])
        except PixelProofError as error:
            raise PixelProofError(f"{self._files[id]}: {error}") from error


def read_cutout(path: Path) -> Pixels:
    """Read a cut-out as RGBA without empty margins.

    Raises:
        PixelProofError: It cannot be read, has no transparency, or is empty.
    """
    try:
        with Image.open(path, formats=("PNG", "WEBP")) as image:
            if image.width * image.height > _MOST:
                raise PixelProofError(f"{path} is {image.width} × {image.height}: make it {_MOST:,} pixels at most.")
            clear = image.has_transparency_data
            rgba = np.array(image.convert("RGBA"))
    except PixelProofError:
        raise
    except Exception as error:  # decoders raise many exceptions for damaged files
        raise PixelProofError(f"{path} is no whole PNG or WebP ({error}): replace or remove it.") from error
    if not clear or rgba[..., 3].min() == 255:
        raise PixelProofError(
            f"{path} is not cut out, for no pixel of it is transparent: remove it, or its background."
        )
    return trimmed(rgba, str(path))


def trimmed(rgba: Pixels, name: str) -> Pixels:
    """Crop a cut-out to its non-transparent pixels.

    Raises:
        PixelProofError: No pixel is at least half opaque.
    """
    if rgba[..., 3].max() < 128:
        raise PixelProofError(f"{name} is empty: no pixel is at least half opaque. Remove it.")
    rows, columns = (np.flatnonzero(rgba[..., 3].any(axis=axis)) for axis in (1, 0))
    return np.ascontiguousarray(rgba[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def noun_of(caption: str, name: str) -> str:
    """The noun of a caption, or else of a file name.

    >>> noun_of("A yellow pear.", "pear"), noun_of("Eat your bread!", "loaf_of_bread"), noun_of("", "frog-1")
    ('yellow pear', 'loaf of bread', 'frog')
    """
    match = _ARTICLE.fullmatch(re.sub(r"\s*\(.*?\)", "", caption).strip())
    if match and len(match[1].split()) <= 4 and not re.search("[,;:.—]", match[1]):
        return match[1]
    words = re.sub(r"[\W_]+", " ", re.sub(r"\d+", " ", name)).split()
    return " ".join(words).lower() or name


def _metadata(id: str, path: Path, entries: Mapping[str, str]) -> Cutout:
    caption = entries.get("caption") or _sidecar_text(path) or re.sub(r"[_-]+", " ", path.stem)
    try:
        size = float(entries["size"]) if entries.get("size") else None
    except ValueError:
        size = float("nan")
    if size is not None and not 0 < size < 1000:
        raise PixelProofError(f"The size of {path} is {entries['size']!r}: give metres, or nothing.")
    mirror = str(entries.get("mirror", "yes")).lower() not in ("no", "false", "0")
    noun = entries.get("noun") or noun_of(caption, path.stem)
    return Cutout(id, caption, noun, id.rpartition("/")[0], size, mirror)


def _sidecar_text(path: Path) -> str:
    """The first line of the text file beside an image, or an empty string."""
    try:
        with path.with_suffix(".txt").open(encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def _captions(folder: Path, files: Iterable[Path]) -> dict[str, dict[str, str]]:
    """File → entries of captions.csv or captions.json."""
    table, tree = folder / "captions.csv", folder / "captions.json"
    entries: dict[str, dict[str, str]] = {}
    try:
        if table.exists():
            with table.open(encoding="utf-8-sig", newline="") as file:
                rows = list(csv.DictReader(file))
            if rows and not {"file", "caption"} <= rows[0].keys():
                raise ValueError("its first line lacks the columns file and caption")
            entries = {row["file"]: {key: value for key, value in row.items() if key and value} for row in rows}
        elif tree.exists():
            data = json.loads(tree.read_text("utf-8"))
            if not isinstance(data, dict):
                raise ValueError("it is not an object")
            entries = {name: _entry(entry) for name, entry in data.items()}
    except (OSError, ValueError, csv.Error) as error:
        source = table if table.exists() else tree
        raise PixelProofError(f"{source} cannot be read ({error}): repair or remove it.") from error
    here = {path.relative_to(folder).as_posix() for path in files}
    if missing := sorted(set(entries) - here):
        raise PixelProofError(
            f"The captions of {folder} mention {missing[0]!r}, which does not exist: remove that entry."
        )
    return entries


def _entry(entry: object) -> dict[str, str]:
    return {key: str(value) for key, value in entry.items()} if isinstance(entry, dict) else {"caption": str(entry)}


def _files(folder: Path, suffixes: tuple[str, ...], what: str) -> list[Path]:
    if not folder.is_dir():
        raise PixelProofError(f"There is no folder {folder}: name one that holds {what}.")
    paths = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file())
    files = sorted(require_inside(path, folder) for path in paths)
    if not files:
        raise PixelProofError(f"{folder} holds no {what}: put some there, or name another folder.")
    return files


def _id(folder: Path, path: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _some(names: Iterable[str]) -> str:
    ordered = list(names)
    return ", ".join(ordered[:3]) + (f" and {len(ordered) - 3} more" if len(ordered) > 3 else "")
