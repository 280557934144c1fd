"""Local views of what is at a URL, for reading: a run, a set, a folder of runs, or plain files."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._digest import digest
from pixelproof.store._files import make_directory
from pixelproof.store._urls import ORIGIN, PROBLEM, REMOTE_BLOBS, Location, file_path, parse_url

from ._copies import hold, prune, remote_cache
from ._download import download
from ._log import FOLDER, Manifest, Pack, read_last
from ._objects import Objects
from ._packs import Member, members_of, require_plain

_CONNECTIONS = 16


def view(url: str) -> Path:
    """A folder or file in the cache with what is at a URL.

    The view of a run has its tables; blobs are read when they are asked for. Plain files, and those of sets, are
    downloaded. What is there already and has not changed is used again.

    Raises:
        PixelProofError: There is nothing at the URL, it cannot be read, or something there is damaged.
    """
    return file_path(url) or _view(parse_url(url))


def _view(location: Location) -> Path:
    objects = Objects(location)
    sizes = objects.sizes()
    if not sizes:
        raise PixelProofError(f"There is nothing at {location.url}: correct the URL, or write there first.")
    prefixes = prefixes_of(sizes)
    if not prefixes:
        tags = objects.tags()
        return _made(location, [location.url, sizes, tags], lambda target: _mirror(objects, sizes, target))
    if "" in prefixes:
        manifest = read_last(objects)
        if not (manifest.files or manifest.packs):
            raise PixelProofError(f"{location.url} has no files yet: {manifest.writer} has begun to write there.")
        key = [location.url, {"": manifest.encoded()}]
        return _made(location, key, lambda target: _download_run(objects, manifest, target))
    return _view_folder(location, prefixes)


def _view_folder(location: Location, prefixes: Sequence[str]) -> Path:
    """The view of a folder of runs. In place of one that cannot be read, there is a file with the reason."""
    runs = {prefix: Objects(location / prefix) for prefix in prefixes}
    manifests: dict[str, Manifest] = {}
    problems: dict[str, str] = {}
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        reading = {prefix: threads.submit(read_last, objects) for prefix, objects in runs.items()}
    for prefix, future in reading.items():
        try:
            if (manifest := future.result()).files or manifest.packs:
                manifests[prefix] = manifest
        except PixelProofError as error:
            problems[prefix] = str(error)
    unreadable = dict(problems)

    def fill(target: Path) -> None:
        make_directory(target, sync=False)
        for prefix, manifest in manifests.items():
            try:
                _download_run(runs[prefix], manifest, target / prefix)
            except PixelProofError as error:
                shutil.rmtree(target / prefix, ignore_errors=True)
                unreadable[prefix] = str(error)
        for prefix, reason in unreadable.items():
            make_directory(target / prefix, sync=False)
            (target / prefix / PROBLEM).write_text(reason, "utf-8")

    key = [location.url, {prefix: manifest.encoded() for prefix, manifest in manifests.items()}, problems]
    # What is damaged now may be restored later: such a view is not used again.
    return _made(location, key, fill, lasts=lambda: not unreadable)


def prefixes_of(names: Iterable[str]) -> list[str]:
    """Folders of ours among objects, by the logs that they have; one that is a run or set itself has no others."""
    prefixes = sorted({_prefix(name) for name in names if name.startswith(f"{FOLDER}/") or f"/{FOLDER}/" in name})
    return [""] if "" in prefixes else prefixes


def _prefix(name: str) -> str:
    return name[: f"/{name}".index(f"/{FOLDER}/")].rstrip("/")


def _made(
    location: Location, key: object, fill: Callable[[Path], None], lasts: Callable[[], bool] = lambda: True
) -> Path:
    """The view of this content: that of an earlier call, or a new one, which appears when it is whole.

    Args:
        location: What is viewed.
        key: Changes when the content does.
        fill: Writes the content to a path.
        lasts: Whether later calls may use what was written.
    """
    root = remote_cache() / "views" / digest(key)[:24]
    if hold(root, ORIGIN):
        return root / location.path
    unique = uuid.uuid4().hex
    temporary = root.with_name(f".{root.name}.{unique}.tmp")
    try:
        make_directory((temporary / location.path).parent, sync=False)
        fill(temporary / location.path)
        (temporary / ORIGIN).write_text(f"{location.scheme}:/", "utf-8")
        if not lasts():
            root = root.with_name(unique[:24])
        with suppress(OSError):  # another process has made the same view meanwhile
            os.rename(temporary, root)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    hold(root, ORIGIN)
    prune()
    return root / location.path


def _download_run(objects: Objects, manifest: Manifest, folder: Path) -> None:
    """Download a run or a set, without its blobs."""
    make_directory(folder, sync=False)
    download(objects, manifest, folder, lambda pack: pack.folder != "blobs", link=True)
    lazy = [asdict(pack) for pack in manifest.packs if pack.folder == "blobs"]
    if lazy:
        make_directory(folder / "blobs", sync=False)
        pointer = {"url": objects.url, "packs": lazy, "removed": list(manifest.removed)}
        (folder / "blobs" / REMOTE_BLOBS).write_text(json.dumps(pointer), "utf-8")


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
            raise objects.damaged(name, "it is missing") from error
        if path.stat().st_size != sizes[name]:
            raise objects.damaged(name, "it changed while it was read")

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
        members = members_of(self._objects, [Pack(**pack) for pack in content["packs"]])
        removed = frozenset(content.get("removed", ()))
        self._members: dict[str, Member] = {name: members[name] for name in members if name not in removed}
        self.keys = frozenset(name.removeprefix("blobs/").replace("/", "") for name in self._members)

    def read(self, name: str) -> bytes | None:
        """The bytes of a member; None if there is none of this name."""
        member = self._members.get(f"blobs/{name}")
        if member is None:
            return None
        try:
            return self._objects.read(member.pack.object, member.start, member.start + member.size)
        except FileNotFoundError as error:
            raise self._objects.damaged(member.pack.object, "it is missing") from error
