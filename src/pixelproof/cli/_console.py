"""Where output goes: results to stdout, progress to stderr."""

from __future__ import annotations

import os
import sys

from rich.console import Console

from ._progress import Bar

NARROWEST = 96
"""Columns that a table needs: a line that wraps is better than a number that is cut off."""


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """The reader, such as head, has seen enough: that is no failure."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def output() -> Console:
    """The console for results; always wide enough for a table."""
    console = _Output(highlight=False)
    return _Output(highlight=False, width=max(console.width, NARROWEST) if console.is_terminal else 120)


def progress() -> Bar:
    """The bar, on stderr; it draws nothing when nobody looks."""
    return Bar(Console(stderr=True))
