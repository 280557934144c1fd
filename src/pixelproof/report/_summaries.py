"""Readers of parts of `summary.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Estimate
from pixelproof.web import interval, number


def estimate_of(summary: Mapping[str, Any] | None) -> Estimate:
    """The estimate in a part of `summary.json`; null becomes nan."""
    numbers = [(summary or {}).get(name) for name in ("value", "lo", "hi")]
    return Estimate(*(math.nan if number is None else float(number) for number in numbers))


def estimate_text(summary: Mapping[str, Any]) -> str:
    """The value of a part of `summary.json`, with its interval if it has one."""
    estimate = estimate_of(summary)
    return number(estimate.value) + ("" if math.isnan(estimate.lo) else f" ({interval(estimate)})")


def spoken(name: str) -> str:
    """The name of a metric without its family, as words.

    >>> spoken("describe.edge_density")
    'edge density'
    """
    return name.rpartition(".")[2].replace("_", " ")
