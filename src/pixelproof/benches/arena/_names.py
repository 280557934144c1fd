"""How files that belong together are called: masks, their photographs, and the answers to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
_MARK = re.compile(r"(?<=[^/])[._-](?:masks?|labels?|gt|seg|ref(?:erence)?)$", re.IGNORECASE)
"""What tells a mask from its photograph in the names of files, such as `_mask`."""


def pictures_in(folder: Path, suffixes: tuple[str, ...] = PICTURES) -> list[Path]:
    """The pictures of a folder and the folders in it, by name; hidden ones, left behind by systems, do not count."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in suffixes and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def name_of(path: Path, folder: Path) -> str:
    """What a file is called: its path in the folder, less the suffix.

    >>> name_of(Path("refs/day/a.0.png"), Path("refs"))
    'day/a.0'
    """
    return path.relative_to(folder).with_suffix("").as_posix()


def unmarked(name: str) -> str:
    """A name less the mark at its end.

    >>> unmarked("day/a_mask"), unmarked("a.GT"), unmarked("mask")
    ('day/a', 'a', 'mask')
    """
    return _MARK.sub("", name)


def aliases(key: str) -> tuple[str, ...]:
    """What may stand for the name of a reference, best first.

    >>> aliases("day/a_gt")
    ('day/a_gt', 'day/a', 'a_gt', 'a')
    """
    bare = key.rpartition("/")[2]
    return key, unmarked(key), bare, unmarked(bare)


def owners(keys: Iterable[str]) -> dict[str, str | None]:
    """Name → the one reference that it stands for; None where several have an equal claim to it.

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
