"""Progress bar with counts, cost and remaining time."""

from __future__ import annotations

import time
from collections import Counter

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from pixelproof.contract import Usage

from ._echo import echo

_REFRESH = 0.1


class Bar:
    """Draws progress on stderr; stdout is for results."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._counts: Counter[str] = Counter()
        self._waiting = 0
        self._shown = 0.0

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """Start a bar; draws nothing if the console is not a terminal."""
        self._counts.clear()
        if not self._console.is_terminal:
            return
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=self._console,
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(what, total=total, completed=done, note="")

    def advance(self, status: str = "scored", spent: Usage | None = None, count: int = 1) -> None:
        """Count one more, or several; redraws at most ten times a second, so that fast work stays fast."""
        self._counts[status] += count
        self._waiting += count
        now = time.monotonic()
        if self._bar is not None and now - self._shown > _REFRESH:
            self._bar.update(self._task, advance=self._waiting, note=self._note(spent))
            self._waiting, self._shown = 0, now

    def end(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._waiting = None, 0

    def announce(self, text: str) -> None:
        """Print a line on stderr, whether or not it is a terminal."""
        echo(text, err=True)

    def _note(self, spent: Usage | None) -> str:
        faults = [f"{count} {status}" for status, count in self._counts.items() if status != "scored"]
        money = [f"${spent.cost:.4f}"] if spent and spent.cost else []
        tokens = [f"{spent.output_tokens:,} tokens"] if spent and spent.output_tokens else []
        return " · ".join([*faults, *tokens, *money])
