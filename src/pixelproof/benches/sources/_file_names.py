"""File names: which mask, photograph and answer belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
_MARK = re.compile(r"(?<=[^/])[._-](?:masks?|labels?|gt|seg|ref(?:erence)?)$", re.IGNORECASE)
"""Ending of a file name that marks a mask, such as `_mask`."""


def list_images(folder: Path, suffixes: tuple[str, ...] = IMAGE_SUFFIXES) -> list[Path]:
    """Image files below a folder, sorted; hidden files and folders are skipped."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in suffixes and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def key_of(path: Path, folder: Path) -> str:
    """Path of a file relative to a folder, without its suffix.

    >>> key_of(Path("refs/day/a.0.png"), Path("refs"))
    'day/a.0'
    """
    return path.relative_to(folder).with_suffix("").as_posix()


def strip_mark(name: str) -> str:
    """A file name without the mark of a mask at its end.

    >>> strip_mark("day/a_mask"), strip_mark("a.GT"), strip_mark("mask")
    ('day/a', 'a', 'mask')
    """
    return _MARK.sub("", name)


def aliases(key: str) -> tuple[str, ...]:
    """Names under which the answer to a reference may be found, best first.

    >>> aliases("day/a_gt")
    ('day/a_gt', 'day/a', 'a_gt', 'a')
    """
    bare = key.rpartition("/")[2]
    return key, strip_mark(key), bare, strip_mark(bare)


def owners(keys: Iterable[str]) -> dict[str, str | None]:
    """Name → the reference that it refers to; None where several references have an equal claim.

    >>> owners(["a", "a_gt", "b_gt", "c_gt", "c_mask"])["a"]
    'a'
    >>> {name: key for name, key in owners(["b_gt", "c_gt", "c_mask"]).items() if name in ("b", "c")}
    {'b': 'b_gt', 'c': None}
    """
    known = list(keys)
    found: dict[str, str | None] = {key: key for key in known}
    for names in zip(*(aliases(key) for key in known), strict=True):
        claimed: dict[str, str | None] = {}
        for name, key in zip(names, known, strict=True):
            if name not in found:
                claimed[name] = key if claimed.get(name, key) == key else None
        found |= claimed
    return found
