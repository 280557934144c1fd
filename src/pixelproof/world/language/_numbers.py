"""Numbers as text, with as few digits as the tolerance allows."""

from __future__ import annotations

from .view import ROUNDING


def number(value: float) -> str:
    """Format a number with the fewest digits that stay well within the rounding tolerance.

    >>> [number(value) for value in (20.0, 12.34, 0.7503, 133.3, 0.05)]
    ['20', '12.3', '0.75', '133', '0.05']
    """
    for digits in range(9):
        text = f"{value:.{digits}f}"
        if abs(float(text) - value) <= 0.9 * ROUNDING * abs(value):
            return text
    return repr(value)
