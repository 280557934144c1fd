"""Plain lines on the terminal; every command prints them with this function."""

from __future__ import annotations

import click


def echo(text: object = "", err: bool = False, bold: bool = False) -> None:
    """Print a line without keys and without control characters, which text of a model or a service may contain.

    Paths of local copies of what is at a URL are printed as the URL.
    """
    from pixelproof.store import printable, scrub, with_origins  # slow to import, and not needed for --help

    safe = printable(scrub(with_origins(str(text))))
    click.echo(click.style(safe, bold=True) if bold else safe, err=err)
