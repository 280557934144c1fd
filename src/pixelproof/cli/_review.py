"""`review`: accept, fix or reject proposals."""

from __future__ import annotations

from pathlib import Path

import click

from pixelproof.contract import PixelProofError

from ._address_options import address_options
from ._echo import echo

_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
_ABOUT = """Accept, fix or reject proposals in a browser, by keyboard.

\b
pixelproof review serve DIR     the server; prints the address of the page
pixelproof review export DIR    accepted.jsonl, rejected.jsonl (with reasons) and undecided.jsonl

DIR has images and proposals.jsonl, with one JSON object per line: id, text (what is proposed), images (name → path
inside of DIR) and facts (name → text to show). Other fields are carried over. The decisions are in DIR/review.db.
"""
_SERVE = """Serve the proposals in DIR until Ctrl+C.

A accepts, F rewrites the text, R rejects with a reason (1 to 6, or written), S puts a proposal off, Backspace takes the
last decision back. When the page shows the next proposal, the decision before is on the disk.
"""


@click.group("review", help=_ABOUT)
def review_group() -> None:
    """Review proposals."""


@review_group.command("serve", help=_SERVE)
@_FOLDER
@address_options
@click.option("--port", type=click.IntRange(0, 65535), default=8767, show_default=True, help="Port; 0: any free one.")
@click.option("--open/--no-open", "open_browser", default=False, help="Open the page in the browser.")
def review_serve_command(folder: Path, host: str, port: int, public: bool, url: str, open_browser: bool) -> None:
    """Serve proposals."""
    from pixelproof.apps.review import read_batch, serve_review

    serve_review(read_batch(folder), host, port, public, url, open_browser, echo)


@review_group.command("export")
@_FOLDER
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the files.  [default: DIR]")
def review_export_command(folder: Path, out: Path | None) -> None:
    """Write the decisions about the proposals in DIR as files. The server may run meanwhile."""
    from pixelproof.apps.review import DecisionStore, read_batch, write_export

    if not DecisionStore.exists(folder):
        raise PixelProofError(f"{folder} has no decisions yet: run pixelproof review serve {folder}.")
    store = DecisionStore(read_batch(folder))
    try:
        done = write_export(store, out or folder)
    finally:
        store.close()
    echo(
        f"{out or folder}: {done.accepted:,} accepted ({done.fixed:,} with another text), {done.rejected:,} rejected, "
        f"{done.undecided:,} undecided."
    )
    for reason, count in done.reasons.items():
        echo(f"  rejected {count:,}: {reason}")
