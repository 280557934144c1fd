"""Readers of parts of `summary.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Estimate


def estimate_of(found: Mapping[str, Any] | None) -> Estimate:
    """The estimate in a part of `summary.json`; null becomes nan."""
    numbers = [(found or {}).get(name) for name in ("value", "lo", "hi")]
    return Estimate(*(math.nan if number is None else float(number) for number in numbers))


def spoken(name: str) -> str:
    """The name of a metric without its family, as words.

    >>> spoken("describe.edge_density")
    'edge density'
    """
    return name.rpartition(".")[2].replace("_", " ")
