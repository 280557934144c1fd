"""What a function returns where no interval can be given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """A value without an interval, and why there is none."""

    value: float
    """The point estimate; nan where that is undefined too."""
    reason: str
    """Half a sentence for tables and JSON."""
