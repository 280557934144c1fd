"""What a runner tells whoever is watching."""

from __future__ import annotations

from typing import Protocol

from pixelproof.contract import Usage


class Progress(Protocol):
    """Watches a run. The command line draws a bar; by default nobody watches."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """A stretch of work starts; `done` of it was there already."""

    def advance(self, status: str = "scored", spent: Usage | None = None) -> None:
        """One more is finished, with this status; `spent` is the total so far."""

    def end(self) -> None:
        """The stretch of work is over, finished or not."""


class Silent:
    """Nobody watches."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """Ignore it."""

    def advance(self, status: str = "scored", spent: Usage | None = None) -> None:
        """Ignore it."""

    def end(self) -> None:
        """Ignore it."""
