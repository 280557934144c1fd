"""Plain lines on the terminal; every command prints them with this function."""

from __future__ import annotations

import click


def echo(text: object = "", err: bool = False, bold: bool = False) -> None:
    """Print a line without keys and without control characters, which text of a model or a service may contain."""
    from pixelproof.store import printable, scrub  # slow to import, and not needed for --help

    safe = printable(scrub(str(text)))
    click.echo(click.style(safe, bold=True) if bold else safe, err=err)
