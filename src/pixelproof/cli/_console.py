"""Consoles: results go to stdout, progress to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from pixelproof.store import printable, scrub

from ._progress import Bar

NARROWEST = 80
"""Columns that a table of numbers needs: in a narrower terminal a line wraps, but no number is cut off."""
WIDE = 110
"""Columns from which on tables show everything."""
WITHOUT_TERMINAL = 120
"""Columns of output that goes to a file or a pipe."""


class SafeConsole(Console):
    """A console on which text, such as that of a model, cannot control the terminal, and without keys."""

    def render_str(self, text: str, **settings: Any) -> Text:
        """Text with markup, cleaned as a whole, so that widths are right and no key is wrapped."""
        return super().render_str(printable(scrub(text)), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Everything else that is printed."""
        for segment in super().render(renderable, options):
            clean = segment.control or segment.text.isprintable()
            yield segment if clean else Segment(printable(segment.text), segment.style)


class _Output(SafeConsole):
    def on_broken_pipe(self) -> None:
        """End without an error when the reader, such as `head`, closes the pipe."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def output() -> Console:
    """The console for results; at least wide enough for a table of numbers."""
    console = _Output(highlight=False)
    width = max(console.width, NARROWEST) if console.is_terminal else WITHOUT_TERMINAL
    return _Output(highlight=False, width=width)


def progress() -> Bar:
    """The progress bar, on stderr; draws nothing if stderr is not a terminal."""
    return Bar(SafeConsole(stderr=True))
