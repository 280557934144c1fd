"""What the sections of the methods pages share: their form, and Markdown tables."""

from __future__ import annotations

import math
import multiprocessing.pool
from collections.abc import Callable
from typing import NamedTuple


class Section(NamedTuple):
    """A heading of a methods page and what makes the text under it."""

    title: str
    make: Callable[[float, multiprocessing.pool.Pool], tuple[str, list[str]]]
    """Takes the factor of the repetitions and a pool of processes; returns the text and the claims that failed."""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["-"] * len(head), *rows])


def format_share(share: float) -> str:
    """A share with three digits, or a dash for nan."""
    return "–" if math.isnan(share) else f"{share:.3f}"
