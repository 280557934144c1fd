"""The server of a live report."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
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

from ._live import LiveReport

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
