"""Paths and URLs alike: what is behind a URL is loaded only if there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._cache import cache_root
from ._urls import ORIGIN, PROBLEM, is_url, require_path


def local_path(place: str | Path) -> Path:
    """A path that can be read: the path itself, or for a URL a view in the cache.

    The view of a run has its tables; blobs are read when they are asked for. Plain files, and those of sets, are
    downloaded. What is there already and has not changed is used again.

    Raises:
        PixelProofError: There is nothing at the URL, it cannot be read, or something there is damaged.
    """
    if not is_url(place):
        require_path(place)
        return Path(place)
    from .remote import view

    return view(str(place))


@contextmanager
def writable(place: str | Path) -> Iterator[Path]:
    """Yield a local folder to write; for a URL, a working copy, which is uploaded when the block ends, however it ends.

    Raises:
        PixelProofError: Another process writes there, or the URL cannot be written.
    """
    if not is_url(place):
        require_path(place)
        yield Path(place)
        return
    from .remote import working_copy

    with working_copy(str(place)) as path:
        yield path


def place_of(text: str | Path) -> str | Path:
    """A path as a `Path`, a URL as it is."""
    return text if isinstance(text, str) and is_url(text) else Path(text)


def view_problem(path: Path) -> str:
    """Why a run cannot be read that a view of a folder of runs should have at a path; empty for anything else."""
    try:
        return (path / PROBLEM).read_text("utf-8")
    except OSError:
        return ""


def origin_of(path: Path) -> str:
    """The URL that a local path is a view or a working copy of; else the path itself, as text."""
    return with_origins(str(path))


def with_origins(text: str) -> str:
    """A text, such as a message, in which paths of views and working copies are replaced by their URLs."""
    root = str(cache_root() / "remote")
    if root not in text:
        return text
    return re.sub(rf"{re.escape(root)}[/\\](?:views|work)[/\\][0-9a-f]+(?=[/\\])", _origin, text)


def _origin(match: re.Match[str]) -> str:
    try:
        return (Path(match[0]) / ORIGIN).read_text("utf-8")
    except OSError:
        return match[0]
