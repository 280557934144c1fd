"""Rank ranges: the ranks that the data cannot exclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from pixelproof.contract import Metric
from pixelproof.harness import compare
from pixelproof.stats import holm, tie_groups

from ._views import View

ALPHA = 0.05


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


def rank_ranges(
    views: Sequence[View], metrics: Sequence[Metric], tags: Mapping[str, str] | None = None
) -> dict[str, dict[str, tuple[int, int]]]:
    """Metric → key of a run → its best and worst rank among these runs.

    Two runs are distinguished by the paired permutation test of `compare` on the items that both answered, corrected
    for the number of pairs (Holm).

    Args:
        views: Runs on the same items.
        metrics: What to rank by.
        tags: Rank on the items that have these tags only.

    Raises:
        PixelProofError: The runs cannot be paired; the message says why.
    """
    if not metrics:
        return {}
    names = [metric.name for metric in metrics]
    p_values: dict[str, dict[frozenset[str], float]] = {name: {} for name in names}
    for a, b in combinations(views, 2):
        comparison = compare(a.run.path, b.run.path, names, a.bench, tags)
        for difference in comparison.differences:
            if difference.metric in p_values:  # the name of a family would select more
                p_values[difference.metric][frozenset((a.key, b.key))] = difference.p
    return {metric.name: _ranges(ordered(views, metric, tags), p_values[metric.name]) for metric in metrics}


def _ranges(best_first: Sequence[View], p_values: dict[frozenset[str], float]) -> dict[str, tuple[int, int]]:
    keys = [view.key for view in best_first]
    adjusted = dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))
    # A pair without a test (no item in common, or no value) counts as a tie.
    tied = [[not adjusted.get(frozenset((a, b)), 1.0) <= ALPHA for b in keys] for a in keys]
    return tie_groups(keys, np.asarray(tied, dtype=np.bool_).reshape(len(keys), len(keys)))
