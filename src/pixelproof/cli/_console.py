"""Where output goes: results to stdout, progress to stderr."""

from __future__ import annotations

from rich.console import Console

from ._progress import Bar


def output() -> Console:
    """The console for results; wide enough for a table when it is not a terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=120)


def progress() -> Bar:
    """The bar, on stderr; it draws nothing when nobody looks."""
    return Bar(Console(stderr=True))
