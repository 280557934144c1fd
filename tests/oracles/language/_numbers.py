"""Comparison of numbers in a text with exact values."""

from __future__ import annotations

from collections.abc import Iterator

from pixelproof.world.language.view import ROUNDING


def off(said: float, meant: float, what: str) -> Iterator[str]:
    """A problem if the two differ by more than the rounding tolerance."""
    if not abs(said - meant) <= ROUNDING * abs(meant) + 1e-12:
        yield f"the {what} is {meant:g}, not {said:g}"
