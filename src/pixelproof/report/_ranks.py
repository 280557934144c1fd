"""Rank ranges: the ranks that the data cannot exclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from pixelproof.contract import Metric
from pixelproof.harness import Difference, compare
from pixelproof.stats import holm, tie_groups

from ._views import View

ALPHA = 0.05
Pairs = Mapping[tuple[str, str], Mapping[str, Difference]]
"""Keys of two runs → metric → the difference of the second from the first."""


def ordered(views: Sequence[View], metric: Metric, tags: Mapping[str, str] | None = None) -> list[View]:
    """Runs by their value, on the items with a tag if one is given, the best first; without a value they come last."""
    sign = 1.0 if metric.higher_is_better is False else -1.0

    def place(view: View) -> tuple[bool, float]:
        metrics = view.summary["metrics"]
        for tag, value in (tags or {}).items():
            metrics = view.summary["groups"].get(tag, {}).get(value, {})
        value = metrics.get(metric.name, {}).get("value")
        return value is None, 0.0 if value is None else sign * value

    return sorted(views, key=place)


def compare_pairs(views: Sequence[View], metrics: Sequence[Metric], tags: Mapping[str, str] | None = None) -> Pairs:
    """Every pair of runs → metric → their paired difference.

    Raises:
        PixelProofError: The runs cannot be paired; the message says why.
    """
    names = [metric.name for metric in metrics]
    pairs = {}
    for a, b in combinations(views, 2) if names else ():
        comparison = compare(a.run.path, b.run.path, names, a.bench, tags)
        # The name of a family would select more metrics.
        pairs[a.key, b.key] = {d.metric: d for d in comparison.differences if d.metric in names}
    return pairs


def distinct_pairs(pairs: Pairs, metric: str) -> set[tuple[str, str]]:
    """The pairs that the paired test distinguishes, corrected for the number of pairs (Holm)."""
    p_values = {pair: differences[metric].p for pair, differences in pairs.items() if metric in differences}
    adjusted = holm(list(p_values.values())).tolist()
    return {pair for pair, p in zip(p_values, adjusted, strict=True) if p <= ALPHA}


def rank_ranges(
    views: Sequence[View],
    metrics: Sequence[Metric],
    tags: Mapping[str, str] | None = None,
    pairs: Pairs | None = None,
) -> dict[str, dict[str, tuple[int, int]]]:
    """Metric → key of a run → its best and worst rank among these runs.

    Two runs are distinguished by the paired permutation test of `compare` on the items that both answered, corrected
    for the number of pairs (Holm).

    Args:
        views: Runs on the same items.
        metrics: What to rank by.
        tags: Rank on the items that have these tags only.
        pairs: What `compare_pairs` returned for them, if it is known.

    Raises:
        PixelProofError: The runs cannot be paired; the message says why.
    """
    pairs = compare_pairs(views, metrics, tags) if pairs is None else pairs
    return {
        metric.name: _ranges(ordered(views, metric, tags), distinct_pairs(pairs, metric.name)) for metric in metrics
    }


def _ranges(best_first: Sequence[View], distinct: set[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    keys = [view.key for view in best_first]
    # A pair without a test (no item in common, or no value) counts as a tie.
    tied = [[(a, b) not in distinct and (b, a) not in distinct for b in keys] for a in keys]
    return tie_groups(keys, np.asarray(tied, dtype=np.bool_).reshape(len(keys), len(keys)))
