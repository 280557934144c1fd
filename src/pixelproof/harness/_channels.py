"""The channels that the answers of a run went through, and the ceilings that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pixelproof.contract import Control

LEAST_SHARE = 0.1
"""A run is calibrated against the least lossy channel that at least this share of its answers went through. A single
answer whose channel is misjudged does not change it, and sending some answers through a lossy channel gains nothing."""


def count_channels(column: pa.ChunkedArray) -> dict[str, int]:
    """Channel → number of answers, from the column of a results table; empty for benches without channels."""
    return {str(pair["values"]): pair["counts"] for pair in pc.value_counts(column.drop_null()).to_pylist()}


def frequent_channels(counts: Mapping[str, int]) -> list[str]:
    """The channels of at least `LEAST_SHARE` of the answers, the most frequent first.

    Where none is as frequent, as with a quality of its own for each answer, the middle one in the order of names.

    >>> frequent_channels({f"soft-jpeg{quality}-420": 1 for quality in range(70, 93)})
    ['soft-jpeg81-420']
    """
    total = sum(counts.values())
    frequent = [name for name, count in counts.items() if count >= LEAST_SHARE * total]
    if not frequent:
        ordered = [name for name in sorted(counts) for _ in range(counts[name])]
        return ordered[total // 2 : total // 2 + 1]
    return sorted(frequent, key=lambda name: (-counts[name], name))


def ceiling_names(controls: Mapping[str, Control], channels: Sequence[str]) -> list[str]:
    """The ceilings that calibrate a run: the truth and its channels; all ceilings of a bench without channels.

    >>> ceiling_names({"floor-blank": None, "ceiling-truth": None, "ceiling-channel": None}, ["soft"])
    ['ceiling-truth', 'ceiling-soft']
    """
    known = [name for name in controls if name.startswith("ceiling-")]
    if not channels:
        return known
    kept = [name for name in known if name == "ceiling-truth"]
    return list(dict.fromkeys([*kept, *(ceiling_of(channel) for channel in channels)]))


def ceiling_of(channel: str) -> str:
    """Name of the ceiling control of a channel."""
    return f"ceiling-{channel}"


def describe_channels(summary: Mapping[str, Any]) -> str:
    """The channels of the answers and the one whose ceiling counts, from `summary.json`; empty for a bench without.

    >>> describe_channels({"channel": "soft", "channels": {"soft": 9, "truth": 1}})[:83]
    'Channel of the answers: soft 90 %, lossless 10 %. Ceiling: the perfect answer, sent'
    """
    if not summary.get("channel"):
        return ""
    total = sum(summary["channels"].values())
    named = {"truth": "lossless"}
    names = ", ".join(f"{named.get(c, c)} {100 * n / total:.3g} %" for c, n in summary["channels"].items())
    ceiling = (
        "the perfect answer, unchanged"
        if summary["channel"] == "truth"
        else f"the perfect answer, sent through {summary['channel']}"
    )
    return f"Channel of the answers: {names}. Ceiling: {ceiling}. Rank models by value, not by calibrated score."
