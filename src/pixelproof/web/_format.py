"""Numbers, amounts and counts as text."""

from __future__ import annotations

import math

from pixelproof.contract import Estimate

NOTHING = "–"


def number(value: float | None, digits: int = 2) -> str:
    """About three significant digits, with a true minus sign.

    >>> number(0.12345), number(-12.345), number(1234.5), number(None)
    ('0.12', '−12.3', '1,234', '–')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if abs(value) >= 100:
        digits = 0
    elif abs(value) >= 10:
        digits = min(digits, 1)
    text = f"{value:,.{digits}f}"
    return (text if float(text.replace(",", "")) else text.lstrip("-")).replace("-", "−")


def interval(estimate: Estimate) -> str:
    """The ends of an interval.

    >>> interval(Estimate(0.5, 0.25, 0.75))
    '0.25 to 0.75'
    """
    if math.isnan(estimate.lo) or math.isnan(estimate.hi):
        return NOTHING
    return f"{number(estimate.lo)} to {number(estimate.hi)}"


def money(dollars: float | None) -> str:
    """Dollars.

    >>> money(0.00123), money(12.5), money(0.0), money(None)
    ('$0.0012', '$12.50', '$0', '–')
    """
    if dollars is None or not math.isfinite(dollars):
        return NOTHING
    if dollars == 0:
        return "$0"
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.2g}"


def duration(seconds: float) -> str:
    """A length of time.

    >>> duration(0.0123), duration(75), duration(7320)
    ('12 ms', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def plural(count: int, singular: str, plural_form: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "run"), plural(1200, "reply", "replies")
    ('1 run', '1,200 replies')
    """
    return f"{count:,} {singular if count == 1 else plural_form or singular + 's'}"


def cut(text: str, length: int) -> str:
    """Text of a bounded length.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def percent(share: float | None) -> str:
    r"""A share as a percentage.

    >>> percent(0.5), percent(0.004), percent(0.0), percent(None)
    ('50\xa0%', '0.4\xa0%', '0\xa0%', '–')
    """
    if share is None or not math.isfinite(share):
        return NOTHING
    value = 100 * share
    digits = 1 if 0 < value < 10 or 90 < value < 100 else 0
    return f"{value:.{digits}f}".removesuffix(".0") + "\u00a0%"
