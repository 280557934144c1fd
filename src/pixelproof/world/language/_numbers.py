"""Numbers in texts: as short as they can be without saying something else."""

from __future__ import annotations

from ._view import ROUNDING


def number(value: float) -> str:
    """A number with as few digits as keep it well within the rounding that is allowed.

    >>> [number(value) for value in (20.0, 12.34, 0.7503, 133.3, 0.05)]
    ['20', '12.3', '0.75', '133', '0.05']
    """
    for digits in range(9):
        text = f"{value:.{digits}f}"
        if abs(float(text) - value) <= 0.9 * ROUNDING * abs(value):
            return text
    return repr(value)
