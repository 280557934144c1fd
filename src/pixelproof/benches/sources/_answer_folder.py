"""Folders of answers: files named after items, or listed in a `manifest.csv`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pixelproof.contract import Answer, PixelProofError, Prompt

from ._answer_files import TEXT_SUFFIXES, UNSUPPORTED, AnswerEntry, read_answer_files, read_inside, type_failure
from ._answer_manifest import IMAGE_SUFFIXES, AnswerManifest

if TYPE_CHECKING:
    from pixelproof.store.remote import RemoteFolder

MANIFEST = "manifest.csv"


class AnswerFolder:
    """Answers from any tool: `<item id with / as __>[.k].(png|jpg|jpeg|webp|json|txt)`, or by a `manifest.csv`.

    An answer may be a text and an image. The folder is listed once; files are read when they are asked for.
    """

    def __init__(self, root: Path | RemoteFolder, example: str = "") -> None:
        """List the answers.

        Args:
            root: The folder, which may be at a URL.
            example: A file name that an answer could have, for the message about a folder without answers.

        Raises:
            PixelProofError: It is no folder, cannot be read or holds no answers, or its manifest is malformed.
        """
        if isinstance(root, Path) and not root.is_dir():
            raise PixelProofError(f"There is no folder {root}: pass the one that holds the answers.")
        self._root = root
        try:
            self._index = self._read_index(example or f"{answer_stem('bench/source/1/0', 0)}.png")
        except OSError as error:
            raise PixelProofError(f"The folder {root} cannot be read: {error}.") from error

    def _read_index(self, example: str) -> AnswerManifest | _Listing:
        names = os.listdir(self._root) if isinstance(self._root, Path) else self._root.names()
        if MANIFEST in names:
            return AnswerManifest(f"{self._root}/{MANIFEST}", read_inside(self._root, MANIFEST))
        listing = _Listing(names)
        if not listing:
            raise PixelProofError(f"{self._root} holds no answers: it needs files such as {example}, or a {MANIFEST}.")
        return listing

    def answer(self, item: str, sample: int) -> Answer:
        """Read the answer to one sample of an item; a missing or unreadable file is an infrastructure failure."""
        return read_answer_files(self._root, self._index.find(item, sample), f"sample {sample} of {item}")


class _Listing:
    """Names of the answers in a folder."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, str | tuple[str, ...]] = {}
        self._unsupported: dict[str, str] = {}
        for name in sorted(names):
            base, extension = os.path.splitext(name)
            if extension.lower() in (*IMAGE_SUFFIXES, *TEXT_SUFFIXES):
                key = base + extension.lower()
                if key in self._names:  # `a.png` beside `a.PNG`
                    self._names[key] = (*self._all(key), name)
                else:
                    self._names[key] = name  # no tuple: there may be a hundred thousand files
            elif extension.lower() in UNSUPPORTED:
                self._unsupported[base] = name

    def __len__(self) -> int:
        return len(self._names) + len(self._unsupported)

    def find(self, item: str, sample: int) -> AnswerEntry:
        """The files of one sample."""
        full = answer_stem(item, sample)
        stems = (full, full.removesuffix(".0")) if sample == 0 else (full,)
        texts, images = (
            tuple(name for stem in stems for suffix in suffixes for name in self._all(stem + suffix))
            for suffixes in (TEXT_SUFFIXES, IMAGE_SUFFIXES)
        )
        others = [self._unsupported[stem] for stem in stems if stem in self._unsupported]
        return AnswerEntry(texts, images, None if texts or images or not others else type_failure(others[0]))

    def _all(self, key: str) -> tuple[str, ...]:
        names = self._names.get(key, ())
        return (names,) if isinstance(names, str) else names


def answer_stem(item: str, sample: int) -> str:
    """File name, without its extension, of the answer to one sample of an item; `.0` may be left out.

    >>> answer_stem("coin/tosses/1/3", 2)
    'coin__tosses__1__3.2'
    """
    return f"{item.replace('/', '__')}.{sample}"


def answer_suffix(prompt: Prompt) -> str:
    """Extension of a file that answers a prompt.

    >>> answer_suffix(Prompt(("Draw a cat.",), "image")), answer_suffix(Prompt(("Write a poem.",)))
    ('.png', '.txt')
    """
    if prompt.wants == "image":
        return ".png"
    return ".txt" if prompt.schema is None else ".json"
