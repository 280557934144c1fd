"""Notifications about the progress of a run."""

from __future__ import annotations

from typing import Protocol

from pixelproof.contract import Usage


class Progress(Protocol):
    """Receives the progress of a run; the command line shows it as a bar."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """A phase of work starts; `done` of its steps were completed before."""

    def advance(self, status: str = "scored", spent: Usage | None = None) -> None:
        """One step is completed, with this status; `spent` is the total usage so far."""

    def end(self) -> None:
        """The phase is over, completed or not."""

    def announce(self, text: str) -> None:
        """What a user should know before the first call."""


class Silent:
    """Ignores all notifications."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """Do nothing."""

    def advance(self, status: str = "scored", spent: Usage | None = None) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def announce(self, text: str) -> None:
        """Do nothing."""
