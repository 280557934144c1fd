"""`tools serve`: the six tools for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._address_options import address_options
from ._echo import echo


@click.command("serve")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--http", is_flag=True, help="Serve over HTTP, with a token, instead of standard input and output.")
@address_options
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port, with --http; 0 for any free one.")
@click.option("--calls", type=click.IntRange(1), default=100, show_default=True, help="Most calls of a session.")
@click.option("--seg", help="Back end of SEG.")
@click.option("--ocr", help="Back end of OCR.")
@click.option("--trk", help="Back end of TRK.")
def serve_tools_command(
    file: Path, http: bool, port: int, calls: int, seg: str | None, ocr: str | None, trk: str | None, **address: Any
) -> None:
    """Serve the tools ZOOM, SEG, PROP, OCR, TRK, TEMP on FILE, a picture or clip, as an MCP server (docs/tools.md).

    Without --http, for programs that start servers themselves: command pixelproof, arguments tools serve FILE. A result
    has text and picture for the model, and the envelope with both digests as structured content.
    """
    from pixelproof.apps.tools import serve_http, serve_stdio
    from pixelproof.tools import Backends, Budget, require_backends

    require_backends(seg=seg, ocr=ocr, trk=trk)
    names = {tool: name for tool, name in (("seg", seg), ("ocr", ocr), ("trk", trk)) if name}
    backends, budget = Backends(**names), Budget(calls=calls, errors=None, seconds=None)
    if http:
        serve_http(file, backends, budget, port=port, echo=echo, **address)
    else:
        serve_stdio(file, backends, budget)
