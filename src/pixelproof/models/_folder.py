"""`folder/DIR`: answers that exist as files, from any tool."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pixelproof.benches.sources import AnswerFolder, answer_stem, answer_suffix
from pixelproof.contract import Answer, Bench, Item, Prompt, Source
from pixelproof.store import file_path, is_url

if TYPE_CHECKING:
    from pixelproof.store.remote import RemoteFolder


class FolderModel:
    """Looks answers up in a folder; see `AnswerFolder` for the names of the files.

    Raises:
        PixelProofError: The folder is missing, unreadable or empty, or its manifest is malformed.
    """

    answers_items = True
    spreads = True
    connections = 1

    def __init__(self, name: str, directory: str, bench: Bench | None = None) -> None:
        self.name = name
        self._answers = AnswerFolder(_root(directory), _example(bench))

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Read the files of one sample; a missing file is an infrastructure failure, not a fault of the model."""
        return self._answers.answer(item.id, sample)

    def card(self) -> Mapping[str, Any]:
        """Nothing about the content: files may be added, and the run resumed."""
        return {"kind": "folder"}

    def close(self) -> None:
        """Nothing to release."""


def _root(directory: str) -> Path | RemoteFolder:
    if not is_url(directory):
        return Path(directory).expanduser()
    if (path := file_path(directory)) is not None:
        return path
    from pixelproof.store.remote import RemoteFolder

    return RemoteFolder(directory)


def _example(bench: Bench | None) -> str:
    """A file name that an answer could have, and how to list all names; empty without a bench."""
    if bench is not None:
        for source in bench.sources:
            with suppress(Exception):  # a data set that is not here; an example is not worth another error
                for item in bench.items(Source(source), 0, 1):
                    name = answer_stem(item.id, 0).removesuffix(".0") + answer_suffix(bench.prompt(item))
                    return f"{name} (all names: pixelproof items {bench.name})"
    return ""
