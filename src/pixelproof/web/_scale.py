"""Axes: from values to relative positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MOST_DECADES = 1.5
"""Amounts that span more powers of ten than this are shown on a logarithmic axis."""


@dataclass(frozen=True)
class Scale:
    """An axis from lo to hi, with a tick every step or, if it is logarithmic, at every power of ten."""

    lo: float = 0.0
    hi: float = 1.0
    step: float = 0.25
    log: bool = False

    @classmethod
    def of_scores(cls, values: Iterable[float | None]) -> Scale:
        """An axis for all values: 0 to 1 if they allow it, otherwise from 0 (or less) to a round number.

        >>> Scale.of_scores([0.2, None, 0.9]) == Scale(), Scale.of_scores([3, 47])
        (True, Scale(lo=0.0, hi=50.0, step=10.0, log=False))
        """
        known = _known(values)
        return cls() if not known or (min(known) >= 0 and max(known) <= 1) else cls._rounded(known)

    @classmethod
    def of_amounts(cls, values: Iterable[float | None]) -> Scale:
        """An axis for lengths, times and prices: from 0 to a round number, or logarithmic if they span decades.

        >>> Scale.of_amounts([0.003, 0.004]).hi, Scale.of_amounts([0.003, 4.0])
        (0.004, Scale(lo=0.001, hi=10.0, step=0.0, log=True))
        """
        known = _known(values)
        if known and min(known) > 0 and math.log10(max(known) / min(known)) > _MOST_DECADES:
            powers = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
            return cls(10.0 ** powers[0], 10.0 ** powers[1], 0.0, log=True)
        return cls._rounded(known)

    @classmethod
    def _rounded(cls, known: Sequence[float]) -> Scale:
        low, high = min([*known, 0.0]), max([*known, 0.0])
        if low == high:
            return cls()
        raw = (high - low) / 5
        power = 10.0 ** math.floor(math.log10(raw))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
        return cls(_clean(step * math.floor(low / step + 1e-9)), _clean(step * math.ceil(high / step - 1e-9)), step)

    def at(self, value: float) -> float:
        """Relative position of a value, from 0 to 1; values outside the axis are clipped."""
        if self.log:
            share = math.log(max(value, self.lo) / self.lo) / math.log(self.hi / self.lo)
        else:
            share = (value - self.lo) / (self.hi - self.lo)
        return min(1.0, max(0.0, share))

    def ticks(self) -> list[float]:
        """Ticks from end to end, in round steps."""
        if self.log:
            first, last = round(math.log10(self.lo)), round(math.log10(self.hi))
            return [10.0**power for power in range(first, last + 1)]
        count = round((self.hi - self.lo) / self.step)
        return [_clean(self.lo + i * self.step) for i in range(count + 1)]


def tick_text(value: float) -> str:
    """The shortest text of a tick.

    >>> tick_text(0.25), tick_text(1.0), tick_text(2500.0), tick_text(-0.5)
    ('0.25', '1', '2,500', '−0.5')
    """
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def _clean(value: float) -> float:
    """Without the rounding of binary fractions: 0.3, not 0.30000000000000004; and without a negative zero."""
    return float(f"{value:.9g}") + 0.0
