"""`push` and `pull`: whole folders to and from URLs."""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._lock import Lock
from pixelproof.store._urls import file_path, is_url, parse_url

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
    if (target := file_path(url)) is not None:
        with Lock(folder):
            _copy_folder(folder, target, url)
        return
    with Lock(folder), working_copy(url) as copy:
        if copy.exists() and any(copy.iterdir()):
            _require_same_card(copy, folder, url)
        # Beside the working copy, which is uploaded also if this is interrupted: readers get all of it or nothing.
        temporary, old = (copy.with_name(f".push-{uuid.uuid4().hex[:8]}.{kind}") for kind in ("tmp", "old"))
        try:
            shutil.copytree(folder, temporary, ignore=shutil.ignore_patterns(".*"), copy_function=_link)
            if copy.exists():
                copy.rename(old)
            temporary.rename(copy)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


def _copy_folder(source: Path, target: Path, url: str) -> None:
    """Copy a folder to another place of this machine, where it appears as a whole."""
    here, there = source.resolve(), target.resolve()
    if here.is_relative_to(there) or there.is_relative_to(here):
        raise PixelProofError(f"{url} and {source} are the same folder, or one is inside the other: choose another.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        _require_same_card(target, source, url)
    unique = uuid.uuid4().hex[:8]
    temporary, old = (target.with_name(f".{target.name}.{unique}.{kind}") for kind in ("tmp", "old"))
    try:
        shutil.copytree(source, temporary, ignore=shutil.ignore_patterns(".*"))
        if target.exists():
            target.rename(old)
        temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


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
    if (source := file_path(url)) is not None:
        if not (source / "card.json").exists():
            raise PixelProofError(f"There is no run and no set at {url}: correct the URL.")
        return _copy_folder(source, folder, url)
    objects = Objects(parse_url(url))
    manifest = read_last(objects)
    if not manifest.files:
        raise PixelProofError(f"There is no run and no set at {objects.url}: correct the URL.")
    temporary = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        download(objects, manifest, temporary, lambda pack: True, link=False)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
