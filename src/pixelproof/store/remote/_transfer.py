"""`push` and `pull`: whole folders to and from URLs."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._lock import Lock
from pixelproof.store._urls import is_url, parse_url

from ._download import download
from ._log import read_last
from ._objects import Objects
from ._upload import JOURNAL
from ._writing import working_copy


def push(folder: Path, url: str) -> None:
    """Upload a folder, such as a run or a set, so that readers of the URL get all of it or what was there before.

    Raises:
        PixelProofError: There is no such folder, it is being written, or something else is at the URL.
    """
    if not folder.is_dir():
        raise PixelProofError(f"There is no folder {folder}: name a run directory or a set.")
    if not is_url(url):
        raise PixelProofError(f"{url!r} is no URL: write it like s3://bucket/folder.")
    if not (folder / "card.json").exists():
        raise PixelProofError(f"{folder} is no run directory and no set: it has no card.json.")
    with Lock(folder), working_copy(url) as copy:
        if copy.exists() and any(copy.iterdir()):
            _require_same_card(copy, folder, url)
            shutil.rmtree(copy)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".*"), copy_function=_link)


def _link(source: str, target: str) -> None:
    """Link a file that is replaced when it changes; copy a journal, which grows, and a file elsewhere."""
    if not source.endswith(JOURNAL) and not os.path.islink(source):
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)


def _require_same_card(copy: Path, folder: Path, url: str) -> None:
    if not (copy / "card.json").exists() or (copy / "card.json").read_bytes() != (folder / "card.json").read_bytes():
        raise PixelProofError(f"{url} holds something else: choose another URL.")


def pull(url: str, folder: Path) -> None:
    """Download a folder that `push`, or `--out` with a URL, has written; every file is verified.

    Raises:
        PixelProofError: There is none, something is damaged, or the local folder exists.
    """
    if folder.exists():
        raise PixelProofError(f"{folder} exists: choose a new folder.")
    objects = Objects(parse_url(url))
    manifest = read_last(objects)
    if not manifest.files:
        raise PixelProofError(f"There is no run and no set at {objects.url}: correct the URL.")
    temporary = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        download(objects, manifest, temporary, lambda pack: True, link=False)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
