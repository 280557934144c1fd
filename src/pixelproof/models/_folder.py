"""`folder/DIR`: answers that exist as files, from any tool."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pixelproof.contract import Answer, Artefact, Bench, Failure, Fault, Item, PixelProofError, Prompt, Source
from pixelproof.pixels import media_type_of

from ._manifest import PICTURES, TEXTS, Entry, Manifest

MANIFEST = "manifest.csv"
MAX_BYTES = 256 * 1024 * 1024


class FolderModel:
    """Looks answers up: `<item id with / as __>[.k].(png|jpg|jpeg|webp|json|txt)`, or by a `manifest.csv`.

    An answer may be a text and a picture. The folder is listed once; contents are read when they are asked for.
    """

    answers_items = True
    spreads = True
    connections = 1

    def __init__(self, name: str, directory: str, bench: Bench | None = None) -> None:
        self.name = name
        self._bench = bench
        self._root = Path(directory).expanduser()
        if not self._root.is_dir():
            raise PixelProofError(f"There is no folder {directory}: give the one that holds the answers.")
        try:
            self._index = self._read_index()
        except OSError as error:
            raise PixelProofError(f"The folder {directory} cannot be read: {error}.") from error

    def _read_index(self) -> Manifest | _Listing:
        manifest = self._root / MANIFEST
        if manifest.exists():
            return Manifest(manifest, _read(manifest))
        listing = _Listing(self._root)
        if not listing:
            raise PixelProofError(
                f"{self._root} holds no answers: it needs files such as {_example(self._bench)}, or a {MANIFEST}."
            )
        return listing

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Read the files of one sample. What is missing was never made, and that is no verdict on the model."""
        entry = self._index.find(item.id, sample)
        if entry == Entry():
            return _lost("missing-file", f"there is nothing for sample {sample} of {item.id}")
        try:
            text = "" if entry.text is None else _read(self._root / entry.text).decode("utf-8-sig")
            images = () if entry.picture is None else (_picture(self._root / entry.picture),)
        except FileNotFoundError as error:
            return _lost("missing-file", f"there is no {error.filename}")
        except UnicodeDecodeError as error:
            return _lost("unreadable-file", f"{entry.text} is not UTF-8: {error}")
        except OSError as error:
            return _lost("unreadable-file", str(error))
        return Answer(text, images, failure=entry.failure)

    def card(self) -> Mapping[str, Any]:
        """Nothing about the content: a folder may be filled further, and the run be continued."""
        return {"kind": "folder"}

    def close(self) -> None:
        """Nothing is kept open."""


def stem(item: str, sample: int) -> str:
    """Name, without its extension, of a file that answers one sample of an item; `.0` may be left out.

    >>> stem("pixelart/published/1/3", 2)
    'pixelart__published__1__3.2'
    """
    return f"{item.replace('/', '__')}.{sample}"


def suffix_for(prompt: Prompt) -> str:
    """How the name of a file that answers a prompt best ends.

    >>> suffix_for(Prompt(("Draw a cat.",), "image")), suffix_for(Prompt(("Write a poem.",)))
    ('.png', '.txt')
    """
    if prompt.wants == "image":
        return ".png"
    return ".txt" if prompt.schema is None else ".json"


def _example(bench: Bench | None) -> str:
    """A name that an answer could have, with a word on how to see them all."""
    if bench is not None:
        for source in bench.sources:
            with suppress(Exception):  # a data set that is not here; an example is not worth another complaint
                for item in bench.items(Source(source), 0, 1):
                    name = stem(item.id, 0).removesuffix(".0") + suffix_for(bench.prompt(item))
                    return f"{name} (all names: pixelproof items {bench.name})"
    return f"{stem('bench/source/1/0', 0)}.png"


class _Listing:
    """The names of all answers in a folder."""

    def __init__(self, root: Path) -> None:
        self._names: dict[str, str] = {}
        for name in os.listdir(root):
            base, extension = os.path.splitext(name)
            if extension.lower() in (*PICTURES, *TEXTS):
                twin = self._names.setdefault(base + extension.lower(), name)
                if twin != name:
                    raise _rivals([twin, name])

    def __len__(self) -> int:
        return len(self._names)

    def find(self, item: str, sample: int) -> Entry:
        """The entry for one sample; an empty one if no file is named after it."""
        full = stem(item, sample)
        stems = (full, full.removesuffix(".0")) if sample == 0 else (full,)
        return Entry(self._one(stems, TEXTS), self._one(stems, tuple(PICTURES)))

    def _one(self, stems: tuple[str, ...], extensions: tuple[str, ...]) -> str | None:
        keys = (base + extension for base in stems for extension in extensions)
        found = [self._names[key] for key in keys if key in self._names]
        if len(found) > 1:
            raise _rivals(found)
        return found[0] if found else None


def _rivals(names: list[str]) -> PixelProofError:
    return PixelProofError(f"{' and '.join(sorted(names))} answer the same sample of the same item: keep one of them.")


def _picture(path: Path) -> Artefact:
    data = _read(path)
    found = media_type_of(data)  # names of files lie more often than their content does
    return Artefact(data, found if found.startswith("image/") else PICTURES[path.suffix.lower()])


def _read(path: Path) -> bytes:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        raise OSError(f"{path} is not a file")
    if found.st_size > MAX_BYTES:
        raise OSError(f"{path} has more than {MAX_BYTES >> 20} MB")
    return path.read_bytes()


def _lost(name: str, detail: str) -> Answer:
    return Answer(failure=Failure(Fault.INFRASTRUCTURE, name, detail))
