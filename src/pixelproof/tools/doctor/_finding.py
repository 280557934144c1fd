"""What a check found, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The outcome of a check."""

    OK = "ok"
    WARNING = "warning"  # works, within the limits that the message states
    PROBLEM = "problem"
    UNKNOWN = "unknown"  # could not be checked here


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    check: str
    """Name of the check, such as `prefix`."""
    status: Status
    message: str
    """What was found."""
    advice: str = ""
    """What to do; empty if nothing."""
    excerpt: str = ""
    """The place in a text that shows it."""
    traces: tuple[str, ...] = ()
    """Ids of the traces that show it."""
