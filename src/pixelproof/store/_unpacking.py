"""Unpack archives to the files of an asset, limited to its known size."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ._archives import Member, hostile, opened, safe_path
from ._catalogue import Asset, Carrier

Carried = tuple[Carrier | None, Path]
"""An archive with the source that selects its files; without a source, the file itself."""
_CHUNK = 1 << 20


def unpack(asset: Asset, carried: Iterable[Carried], folder: Path) -> dict[str, tuple[int, str]]:
    """Write the files of an asset into an empty folder; a file that is split is joined in order.

    Returns:
        Size and SHA-256 of each file.

    Raises:
        PixelProofError: An archive is damaged, or holds what the asset cannot have.
    """
    hashes: dict[str, hashlib._Hash] = defaultdict(hashlib.sha256)
    sizes: dict[str, int] = {}
    room = asset.size
    for source, path in carried:
        with _contents(asset, source, path) as contents:
            for name, open_content in contents:
                if name in sizes and not asset.file:
                    raise hostile(path, f"{name} twice")
                if name not in sizes and len(sizes) == asset.files:
                    raise hostile(path, f"more than the {asset.files:,} files of {asset.name}")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with open_content() as content, target.open("ab") as file:
                    while data := content.read(_CHUNK):
                        room -= len(data)
                        if room < 0:
                            raise hostile(path, f"more than the {asset.size:,} bytes of {asset.name}")
                        hashes[name].update(data)
                        file.write(data)
                    sizes[name] = file.tell()
    return {name: (sizes[name], hashes[name].hexdigest()) for name in sorted(sizes)}


@contextmanager
def _contents(
    asset: Asset, source: Carrier | None, path: Path
) -> Iterator[Iterable[tuple[str, Callable[[], IO[bytes]]]]]:
    if source is None or source.kind == "hub":
        yield [(asset.file, lambda: path.open("rb"))]
    else:
        with opened(path) as members:
            yield _taken(asset, source, members, path)


def _taken(
    asset: Asset, source: Carrier, members: Iterable[Member], path: Path
) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    for member in members:
        place = source.place(member.name)
        if place is None:
            continue
        if not member.regular:
            raise hostile(path, f"{member.name}, which is a link, not a file")
        yield asset.file or safe_path(place, path), member.open
