"""The result where no interval can be given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Undefined:
    """A value whose interval is undefined, and why."""

    value: float
    """The point estimate; nan where that is undefined too."""
    reason: str
    """Half a sentence for tables and JSON."""
