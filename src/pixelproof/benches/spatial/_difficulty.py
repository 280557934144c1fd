"""Tags that group items by what makes them hard."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair

_BINS: Mapping[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    "change": ((0.12, 0.3), ("below 0.12", "0.12 to 0.3", "0.3 and more")),
    "things": ((6, 9), ("up to 5", "6 to 8", "9 and more")),
    "size": ((0.006, 0.02), ("below 0.6 %", "0.6 to 2 %", "2 % and more")),
    "visible": ((0.8, 0.95), ("below 80 %", "80 to 95 %", "95 % and more")),
}
"""Part of a difficulty → limits of its bins, and their names."""


def difficulty_tags(pair: Pair) -> dict[str, str]:
    """Level, and the bins of the parts that the difficulty of a pair has."""
    tags: dict[str, str] = {"level": pair.level}
    for name, (limits, names) in _BINS.items():
        if name in pair.difficulty:
            tags[name] = names[bisect_right(limits, pair.difficulty[name])]
    return tags
