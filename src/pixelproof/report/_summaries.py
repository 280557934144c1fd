"""Readers of parts of `summary.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Estimate
from pixelproof.web import interval, number


def estimate_of(summary: Mapping[str, Any] | None) -> Estimate:
    """The estimate in a part of `summary.json`; null, and the ends of an interval that is not to be shown, are nan."""
    numbers = [(summary or {}).get(name) for name in ("value", "lo", "hi")]
    value, lo, hi = (math.nan if number is None else float(number) for number in numbers)
    return Estimate(value, math.nan, math.nan) if (summary or {}).get("interval_reason") else Estimate(value, lo, hi)


def score_of(summary: Any) -> Estimate:
    """The calibrated score in a part of `summary.json`, whose interval is shown if that of the value is."""
    return estimate_of((summary.get("calibrated") or {}) | {"interval_reason": summary.get("interval_reason")})


def estimate_text(summary: Mapping[str, Any]) -> str:
    """The value of a part of `summary.json`, with its interval if it has one."""
    return text_of(estimate_of(summary))


def text_of(estimate: Estimate) -> str:
    """A value, with its interval if it has one."""
    return number(estimate.value) + ("" if math.isnan(estimate.lo) else f" ({interval(estimate)})")


def spoken(name: str) -> str:
    """The name of a metric without its family, as words.

    >>> spoken("describe.edge_density")
    'edge density'
    """
    return name.rpartition(".")[2].replace("_", " ")
