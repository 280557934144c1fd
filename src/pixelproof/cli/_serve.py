"""`serve`: the report of runs, live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._address_options import address_options
from ._completion import RunPath
from ._echo import echo


@click.command("serve", short_help="Serve the report of runs, live while they go on.")
@click.argument("runs", nargs=-1, required=True, type=RunPath())
@address_options
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 for any free one.  [default: 8765 if it is free]")
@click.option("--open/--no-open", "open_browser", default=False, help="Open the page in the browser.")
def serve_command(runs: tuple[Path, ...], port: int | None, open_browser: bool, **address: Any) -> None:
    """Serve the report of RUNS, and update it while they go on.

    RUNS are run directories, or folders in which runs are, or will be. The printed address carries a token, which
    every request needs. Stop with Ctrl+C.
    """
    from pixelproof.apps.serve import serve_runs

    serve_runs(runs, port=port, open_browser=open_browser, echo=echo, **address)
