"""The server of a live report: it follows its runs."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.report import Skipped, open_groups, render, report_page, run_directories
from pixelproof.store import BlobStore, digest
from pixelproof.web import Page, fragment, header, static, tag
from pixelproof.web.server import (
    Access,
    ContentFiles,
    JSONResponse,
    Request,
    Response,
    Route,
    application,
    bind,
    file_url,
    respond,
    serve,
)

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two renderings."""
_PAUSE_FACTOR = 2
"""A pause takes this many times as long as a rendering: the runs need the machine, too."""
_MAX_BYTES = 40_000_000


class LiveReport:
    """Renders the report again when the files of its runs have changed. Safe for several threads."""

    def __init__(self, paths: Sequence[str | Path], link: Callable[[str], str], bench: Bench | None = None) -> None:
        """Follow some runs.

        Args:
            paths: Run directories, and folders in which runs are, or will be.
            link: From the key of a blob to its address.
            bench: The bench of the runs with its name, if it is not an installed one.
        """
        self._paths = [Path(path) for path in paths]
        self._link = link
        self._bench = bench
        self._lock = threading.Lock()
        self._directories: list[Path] = []
        self._version = ""
        self._page: Page | None = None
        self._next = 0.0

    def version(self) -> str:
        """The version that `page` returns now; cheap."""
        if self._page is not None and time.monotonic() < self._next:
            return self._version
        return self._fingerprint(self._find())

    def page(self) -> tuple[Page, str]:
        """The page and its version, rendered again if the runs have changed and the last rendering is not recent."""
        with self._lock:
            if self._page is None or time.monotonic() >= self._next:
                directories = self._find()
                version = self._fingerprint(directories)
                if self._page is None or version != self._version:
                    began = time.monotonic()
                    self._page, self._version = self._render(directories), version
                    spent = time.monotonic() - began
                    self._next = time.monotonic() + min(LONGEST_PAUSE, max(SHORTEST_PAUSE, _PAUSE_FACTOR * spent))
            return self._page, self._version

    def blob(self, key: str) -> bytes:
        """The bytes of a file of any of the runs.

        Raises:
            PixelProofError: None of them has it.
        """
        for directory in self._directories:
            blobs = BlobStore(directory / "blobs")
            if key in blobs:
                return blobs.get(key)
        raise PixelProofError("No run has this file.")

    def _find(self) -> list[Path]:
        try:
            self._directories = run_directories(self._paths)
        except PixelProofError:
            if not all(path.is_dir() for path in self._paths):
                raise
            self._directories = []  # no run yet
        return self._directories

    def _render(self, directories: Sequence[Path]) -> Page:
        scripts = [static("live.js", __package__)]
        skipped = Skipped(())
        try:
            groups = open_groups(directories, self._bench, skipped)
        except PixelProofError as error:
            messages = skipped.notices or ["No runs yet." if not directories else str(error)]
            main = tag("main", [tag("p", message) for message in messages])
            head = header("Waiting for runs", "The page shows them as soon as they have begun.", [])
            return report_page("PixelProof", fragment(head, main, tag("footer")), scripts)
        return render(groups, _MAX_BYTES, self._link, scripts, skipped.notices)

    def _fingerprint(self, directories: Sequence[Path]) -> str:
        return digest([state for directory in directories for state in _states(directory)])[:16]


def _states(directory: Path) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of change of the files that a report reads, without the blobs."""
    for folder in (directory, directory / "results.parts", directory / "answers.parts"):
        try:
            with os.scandir(folder) as entries:
                files = sorted(entry.path for entry in entries if entry.is_file() and not entry.name.startswith("."))
            for path in files:
                state = os.stat(path)
                yield path, state.st_size, state.st_mtime_ns
        except FileNotFoundError:  # a table that has no parts, or a file that was replaced meanwhile
            continue


USUAL_PORT = 8765


def serve_runs(
    paths: Sequence[str | Path],
    host: str = "127.0.0.1",
    port: int | None = None,
    open_browser: bool = False,
    bench: Bench | None = None,
    echo: Callable[[str], object] = print,
    *,
    public: bool = False,
    url: str = "",
) -> None:
    """Serve the report of runs until SIGINT or SIGTERM.

    Args:
        paths: Run directories, and folders in which runs are, or will be.
        host: The address to listen at.
        port: The port; 0 for any free one, None for the usual one if it is free.
        open_browser: Open the page in a browser.
        bench: The bench of the runs with its name, if it is not an installed one.
        echo: Where to print the address.
        public: Whether an address that other machines can reach is allowed.
        url: The address that visitors use, if it is not that of `host`.

    Raises:
        PixelProofError: A path does not exist, or the address is not available or not allowed.
    """
    live = LiveReport(paths, file_url, bench)
    live.version()  # a path that does not exist is an error now, not in the browser

    def show(request: Request) -> Response:
        page, version = live.page()
        return respond(request, page, meta={"version": version})

    def version(request: Request) -> Response:
        return JSONResponse({"version": live.version()})

    listener = _listen(host, port, public, url)
    app = application([Route("/", show), Route("/version", version)], Access(host, url=url), ContentFiles(live.blob))
    serve(app, listener, open_browser, echo)


def _listen(host: str, port: int | None, public: bool, url: str) -> socket.socket:
    if port is not None:
        return bind(host, port, public, url)
    try:
        return bind(host, USUAL_PORT, public, url)
    except PixelProofError:
        return bind(host, 0, public, url)
