"""Download of what a manifest lists, verified."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from pixelproof.store._files import make_directory

from ._copies import remote_cache
from ._log import Manifest, Pack, StoredFile
from ._objects import Objects
from ._packs import extract, hash_file, require_plain

_CONNECTIONS = 8


def download(objects: Objects, manifest: Manifest, target: Path, wanted: Callable[[Pack], bool], link: bool) -> None:
    """Write the files of a manifest below a folder.

    Args:
        objects: Where they are.
        manifest: What to download.
        target: The folder.
        wanted: Which packs to extract.
        link: Whether files may be links into the cache, because nothing writes to the folder.

    Raises:
        PixelProofError: An object is missing, damaged or cannot be read.
    """
    for name in (*manifest.files, *manifest.folders):
        require_plain(objects, name)
    for name in manifest.folders:
        make_directory(target / name, sync=False)
    removed = frozenset(manifest.removed)
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        work = [threads.submit(_file, objects, entry, target / name, link) for name, entry in manifest.files.items()]
        for future in work:
            future.result()
        archives = [(pack, threads.submit(cached, objects, pack)) for pack in manifest.packs if wanted(pack)]
        for pack, arriving in archives:  # in order: a later pack replaces members of an earlier one
            archive = arriving.result()
            extract(objects, pack, archive, target, removed)
            with suppress(OSError):
                archive.unlink()  # its members are in the folder


def _file(objects: Objects, entry: StoredFile, target: Path, link: bool) -> None:
    source = cached(objects, entry)
    make_directory(target.parent, sync=False)
    if link:
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)


def cached(objects: Objects, entry: StoredFile | Pack) -> Path:
    """An object in the local cache, which names files by their hash; downloaded and verified if it is not there."""
    path = remote_cache() / "objects" / entry.sha256[:2] / entry.sha256[2:]
    try:
        os.utime(path)  # it is in use
        if path.stat().st_size == entry.size and hash_file(path)[0] == entry.sha256:
            return path
    except OSError:
        make_directory(path.parent, sync=False)
    with _fetched(objects, entry, path.parent) as temporary:
        os.replace(temporary, path)
    return path


def verify(objects: Objects, entry: StoredFile | Pack) -> None:
    """Download an object, compare it with its entry, and keep nothing of it.

    Raises:
        PixelProofError: It is missing, damaged or cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="pixelproof-") as folder, _fetched(objects, entry, Path(folder)):
        pass


@contextmanager
def _fetched(objects: Objects, entry: StoredFile | Pack, folder: Path) -> Iterator[Path]:
    """Yield a temporary file with the verified content of an object."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
    os.close(descriptor)
    temporary = Path(name)
    try:
        try:
            objects.download(entry.object, temporary)
        except FileNotFoundError as error:
            raise objects.damaged(entry.object, "it is missing") from error
        sha256, size = hash_file(temporary)
        if (sha256, size) != (entry.sha256, entry.size):
            reason = f"it has {size} bytes instead of {entry.size}" if size != entry.size else "its checksum is wrong"
            raise objects.damaged(entry.object, reason)
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink()
