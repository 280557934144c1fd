"""Local views of what is at a URL, for reading: a run, a set, a folder of runs, or plain files."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._cache import cache_root
from pixelproof.store._digest import digest
from pixelproof.store._files import make_directory
from pixelproof.store._urls import ORIGIN, REMOTE_BLOBS, Location, file_path, parse_url

from ._download import download
from ._log import FOLDER, Manifest, Pack, read_last
from ._objects import Objects
from ._packs import Member, damaged_object, members_of, require_plain

_CONNECTIONS = 16


def view(url: str) -> Path:
    """A folder or file in the cache with what is at a URL.

    The view of a run has its tables; blobs are read when they are asked for. Plain files, and those of sets, are
    downloaded. What is there already and has not changed is used again.

    Raises:
        PixelProofError: There is nothing at the URL, it cannot be read, or something there is damaged.
    """
    return file_path(url) or _view(parse_url(url))


def _views() -> Path:
    return cache_root() / "remote" / "views"


def _view(location: Location) -> Path:
    objects = Objects(location)
    sizes = objects.sizes()
    if not sizes:
        raise PixelProofError(f"There is nothing at {location.url}: correct the URL, or write there first.")
    prefixes = sorted({_prefix(name) for name in sizes if name.startswith(f"{FOLDER}/") or f"/{FOLDER}/" in name})
    if not prefixes:
        tags = objects.tags()
        return _made(location, [location.url, sizes, tags], lambda target: _mirror(objects, sizes, target))
    if "" in prefixes:
        prefixes = [""]
    found: dict[str, tuple[Objects, Manifest]] = {}
    for prefix in prefixes:
        inner = Objects(location / prefix)
        manifest = read_last(inner)
        if manifest.files or manifest.packs:
            found[prefix] = inner, manifest
        elif not prefix:
            raise PixelProofError(f"{location.url} has no files yet: {manifest.writer} has begun to write there.")
    key = [location.url, {prefix: manifest.encoded() for prefix, (_, manifest) in found.items()}]
    return _made(location, key, lambda target: _download_all(found, target))


def _prefix(name: str) -> str:
    return name[: f"/{name}".index(f"/{FOLDER}/")].rstrip("/")


def _made(location: Location, key: object, fill: Callable[[Path], None]) -> Path:
    """The view of this content: that of an earlier call, or a new one, which appears when it is whole."""
    root = _views() / digest(key)[:24]
    target = root / location.path
    if (root / ORIGIN).exists():
        return target
    temporary = root.with_name(f".{root.name}.{uuid.uuid4().hex}.tmp")
    try:
        make_directory((temporary / location.path).parent, sync=False)
        fill(temporary / location.path)
        (temporary / ORIGIN).write_text(f"{location.scheme}:/", "utf-8")
        with suppress(OSError):  # another process has made the same view meanwhile
            os.rename(temporary, root)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target


def _download_all(found: Mapping[str, tuple[Objects, Manifest]], target: Path) -> None:
    for prefix, (objects, manifest) in found.items():
        folder = target / prefix
        make_directory(folder, sync=False)
        download(objects, manifest, folder, lambda pack: pack.folder != "blobs", link=True)
        lazy = [asdict(pack) for pack in manifest.packs if pack.folder == "blobs"]
        if lazy:
            make_directory(folder / "blobs", sync=False)
            (folder / "blobs" / REMOTE_BLOBS).write_text(json.dumps({"url": objects.url, "packs": lazy}), "utf-8")


def _mirror(objects: Objects, sizes: Mapping[str, int], target: Path) -> None:
    """Download plain objects; the location may be one object itself."""

    def fetch(name: str) -> None:
        path = target / name if name else target
        if name:
            require_plain(objects, name)
        make_directory(path.parent, sync=False)
        try:
            objects.download(name, path)
        except FileNotFoundError as error:
            raise damaged_object(objects, name, "it is missing") from error
        if path.stat().st_size != sizes[name]:
            raise damaged_object(objects, name, "it changed while it was read")

    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        list(threads.map(fetch, (name for name in sizes if not name.endswith("/"))))


@lru_cache(maxsize=256)
def remote_blobs(pointer: Path) -> RemoteBlobs:
    """The blobs that a file in a view refers to; their directories are read once per process."""
    return RemoteBlobs(pointer)


class RemoteBlobs:
    """The blobs of a view that are still remote."""

    def __init__(self, pointer: Path) -> None:
        """Read where they are, and the directories of their packs."""
        content = json.loads(pointer.read_text("utf-8"))
        self._objects = Objects(parse_url(content["url"]))
        self._members: dict[str, Member] = members_of(self._objects, [Pack(**pack) for pack in content["packs"]])
        self.keys = frozenset(name.removeprefix("blobs/").replace("/", "") for name in self._members)

    def read(self, name: str) -> bytes | None:
        """The bytes of a member; None if there is none of this name."""
        member = self._members.get(f"blobs/{name}")
        if member is None:
            return None
        try:
            return self._objects.read(member.pack.object, member.start, member.start + member.size)
        except FileNotFoundError as error:
            raise damaged_object(self._objects, member.pack.object, "it is missing") from error
