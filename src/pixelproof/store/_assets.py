"""Assets on disk: locate, download, verify."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from pixelproof.contract import PixelProofError

from ._cache import cache_root
from ._carriers import fetch, find
from ._catalogue import Asset, find_asset
from ._lock import Lock
from ._progress import Progress
from ._unpacking import Carried, unpack

_RECEIPT = ".asset.json"
"""File with the sizes and hashes of an asset's files; in its folder, so that both are created in one step."""
_MOST_NAMED = 5


def asset_path(asset: str | Asset) -> Path:
    """Path of an installed asset: its file or its folder. Never downloads.

    Checks file sizes only, which is fast; `verify_asset` reads everything.

    Raises:
        PixelProofError: The asset is missing or incomplete; the message has the command to get it.
    """
    return _checked(find_asset(asset), thorough=False)


def verify_asset(asset: str | Asset, alone: bool = True) -> Path:
    """Path of an installed asset, after comparing every byte with the catalogue.

    Args:
        asset: Name of the asset.
        alone: Refuse other files in its folder, which a reader of the folder would mistake for parts of the asset.

    Raises:
        PixelProofError: The asset is missing or damaged, or its folder has other files; the message says where.
    """
    asset = find_asset(asset)
    path = _checked(asset, thorough=True)
    if alone and (strangers := _strangers(asset_folder(asset))):
        named = ", ".join(strangers[:_MOST_NAMED]) + (", …" if len(strangers) > _MOST_NAMED else "")
        count, pronoun = ("1 other file", "it") if len(strangers) == 1 else (f"{len(strangers)} other files", "them")
        raise PixelProofError(
            f"The asset {asset.name} is intact, but {asset_folder(asset)} contains {count} ({named}): move {pronoun} "
            "elsewhere."
        )
    return path


def trusted_asset(asset: str | Asset) -> Path:
    """Path of an installed asset that is about to run, such as a network: every byte is verified, once per process.

    Raises:
        PixelProofError: The asset is missing or damaged, or its folder has other files.
    """
    asset = find_asset(asset)
    path = asset_path(asset)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    state = (asset.sha256, tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files))
    if _trusted.get(asset.name) != state:
        verify_asset(asset)
        _trusted[asset.name] = state
    return path


_trusted: dict[str, object] = {}
"""Name of an asset → its files when they were verified."""


def get_asset(asset: str | Asset, source: Path | None = None, progress: Progress | None = None) -> Path:
    """Install an asset, unless it is installed and intact. Calling this accepts its licence: show it first.

    Args:
        asset: Name of the asset.
        source: The file, an archive that contains it, or a folder with either; None: the sources of the catalogue, in
            order.
        progress: Called with the bytes received and the total.

    Raises:
        PixelProofError: No source works. The installed version stays; partial downloads are kept for the next attempt.
    """
    asset = find_asset(asset)
    with suppress(PixelProofError):
        return verify_asset(asset, alone=False)
    downloads = asset_folder(asset).parent / ".downloads" / asset.name
    with _disk(downloads):
        downloads.mkdir(parents=True, exist_ok=True)
        with Lock(downloads):
            _get_locked(asset, source, downloads, progress or (lambda done, total: None))
    return asset_path(asset)


def asset_folder(asset: Asset) -> Path:
    """Folder of an asset in the cache; need not exist."""
    return cache_root() / "assets" / asset.name


def _checked(asset: Asset, thorough: bool) -> Path:
    folder, installed = asset_folder(asset), _installed(asset)
    if folder.is_dir():
        path, problems = folder / asset.file, _problems(asset, folder, thorough)
    elif installed is not None:
        path = installed
        problems = [str(path)] if thorough and _hash(path) != asset.sha256 else []
    else:
        raise PixelProofError(
            f"The asset {asset.name} is not installed: run 'pixelproof data assets get {asset.name}'."
        )
    if problems:
        raise PixelProofError(
            f"The asset {asset.name} is damaged ({len(problems)} of its files, the first being {problems[0]}): run "
            f"'pixelproof data assets get {asset.name}' again."
        )
    return path


def _problems(asset: Asset, folder: Path, thorough: bool) -> list[str]:
    """Files that are missing or differ from the catalogue."""
    try:
        files = json.loads((folder / _RECEIPT).read_text("utf-8"))
        intact = asset.fingerprint({name: sha256 for name, (_, sha256) in files.items()}) == asset.sha256
    except (OSError, ValueError, AttributeError, TypeError):
        intact = False
    if not intact:  # damaged, or the catalogue has a new version
        return [_RECEIPT]
    return [name for name, (size, sha256) in files.items() if not _is(folder / name, size, thorough and sha256)]


def _strangers(folder: Path) -> list[str]:
    """Other files in the folder of an intact asset."""
    if not folder.is_dir():  # the asset is used inside of an installed package
        return []
    known = {_RECEIPT, *json.loads((folder / _RECEIPT).read_text("utf-8"))}
    others = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted({path.relative_to(folder).as_posix() for path in others} - known)


def _is(path: Path, size: int, sha256: str | bool) -> bool:
    try:
        return path.stat().st_size == size and (not sha256 or _hash(path) == sha256)
    except OSError:
        return False


def _installed(asset: Asset) -> Path | None:
    """File of an asset inside of an installed package, located without importing it."""
    for source in asset.sources:
        spec = importlib.util.find_spec(source.package) if source.kind == "installed" else None
        for location in (spec and spec.submodule_search_locations) or ():
            for member in (folder + name for folder, names in source.take.items() for name in names):
                path = Path(location).parent / member
                if path.is_file() and path.stat().st_size == asset.size:
                    return path
    return None


def _get_locked(asset: Asset, source: Path | None, downloads: Path, progress: Progress) -> None:
    if source is not None:
        _put(asset, find_on_disk(asset, source), str(source), downloads)
    else:
        _get_from_any(asset, downloads, progress)
    for leftover in downloads.iterdir():
        if leftover.name != ".lock":
            _remove(leftover)


def _get_from_any(asset: Asset, downloads: Path, progress: Progress) -> None:
    failures = []
    for source in asset.sources:
        if source.kind != "installed":
            try:
                return _put(asset, fetch(source, asset.size, downloads, progress), source.words, downloads)
            except PixelProofError as error:
                failures.append(str(error).rstrip("."))
    raise PixelProofError("; ".join(failures) + ".")


def find_on_disk(asset: Asset, path: Path) -> Sequence[Carried]:
    """The files that `--from` points to: the asset itself, or the archives of one of its sources.

    Raises:
        PixelProofError: It is neither; the message says what would do, and who carries the asset.
    """
    here = path / asset.file if path.is_dir() else path
    if asset.file and here.is_file() and here.stat().st_size == asset.size:
        return [(None, here)]
    for source in asset.sources:
        if path.is_dir():
            found = [(part, find(part, path)) for part in source.each()]
            if all(archive for _, archive in found):
                return [(part, archive) for part, archive in found if archive]
        elif path.is_file() and source.parts == 1 and fnmatchcase(path.name, source.archive()):
            return [(source, path)]
    names = [source.archive().replace("{n}", "*") for source in asset.sources if source.archive()]
    wanted = " or ".join(dict.fromkeys([*filter(None, [asset.file]), *names]))
    carriers = " or ".join(source.words for source in asset.sources if source.kind != "installed")
    wrong = f"{path} is not {asset.name}" if path.exists() else f"There is no file or folder {path}"
    raise PixelProofError(
        f"{wrong}: give the path of {wanted}, or of a folder that contains it, or omit --from to download it from "
        f"{carriers}."
    )


def _put(asset: Asset, carried: Sequence[Carried], where: str, downloads: Path) -> None:
    """Unpack into a temporary folder, verify, and move into place in one step."""
    staging, old = downloads / "staging", downloads / "old"
    _remove(staging)
    staging.mkdir()
    try:
        files = _unpacked(asset, carried, where, staging)
    except PixelProofError:
        for _, path in carried:
            if path.parent == downloads:  # never delete files of the user
                path.unlink()
        raise
    (staging / _RECEIPT).write_text(json.dumps(files, indent=1), "utf-8")
    _remove(old)
    with suppress(FileNotFoundError):
        asset_folder(asset).rename(old)
    staging.rename(asset_folder(asset))


def _unpacked(asset: Asset, carried: Sequence[Carried], where: str, staging: Path) -> dict[str, tuple[int, str]]:
    files = unpack(asset, carried, staging)
    found = asset.fingerprint({name: sha256 for name, (_, sha256) in files.items()})
    if found != asset.sha256:
        raise PixelProofError(
            f"The content of {where} is not {asset.name} (SHA-256 {found[:16]}… instead of {asset.sha256[:16]}…): try "
            "again, or give another copy with --from."
        )
    return files


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise PixelProofError(
            f"{error.filename or folder} cannot be read or written ({reason}): change its permissions, free space, or "
            "set PIXELPROOF_CACHE to another folder, and run the same command again."
        ) from error
