"""Progress of work that is counted."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the amount that is done and the total: items, or bytes."""


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""
