"""Tests between two scores on the same images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pixelproof.contract import Estimate, PixelProofError
from pixelproof.stats import (
    Pairs,
    combine,
    difference_interval,
    flip_test,
    group_correlations,
    holm,
    resampled_correlations,
)

from ._evaluate import Evaluation, Reference
from ._levels import FloatArray


@dataclass(frozen=True)
class Difference:
    """How much higher the second score is in one measure."""

    metric: str
    difference: Estimate
    p: float
    method: str
    """`paired bootstrap over prompts` or `sign flips over prompts`."""
    n: int
    p_holm: float = float("nan")


def compare_scores(
    reference: Reference, a: Evaluation, b: Evaluation, resamples: int = 2000, seed: int = 0
) -> list[Difference]:
    """Differences b - a on the images that have both scores, with p values adjusted for their number (Holm).

    Raises:
        PixelProofError: No image has both scores.
    """
    both = a.tested & b.tested
    if not both.any():
        raise PixelProofError(f"No image has both {a.scores.column} and {b.scores.column}.")
    rows = reference.data.rows(both)
    x = {"a": a.scores.scaled[both], "b": b.scores.scaled[both]}
    found: list[Difference] = []
    methods: Any = {"srcc": "spearman", "plcc": "pearson"}
    subtract: Callable[[Any, Any], Any] = lambda first, other: other - first  # noqa: E731
    for target in reference.targets:
        if target not in rows.targets:
            continue
        y = rows.targets[target]
        drawn: Any = resampled_correlations(x, y, rows.cluster, list(methods.values()), resamples, seed)
        for measure, method in methods.items():
            gap = combine(subtract, drawn["a"][method], drawn["b"][method])
            how = "paired bootstrap over prompts"
            found.append(Difference(f"{target}.{measure}", gap.estimate(), gap.p, how, len(rows)))
        first = np.unique(rows.prompt, return_index=True)[1]
        within = [group_correlations(values, y, rows.prompt, ["spearman"])[:, 0] for values in x.values()]
        defined = ~np.isnan(np.stack(within)).any(axis=0)
        clusters = rows.cluster[first][defined]
        metric = f"{target}.within_prompt.srcc"
        found += _flipped(metric, within[0][defined], within[1][defined], clusters, (-1, 1), seed)
    if "qa" in a.answers and "qa" in b.answers:
        right = [evaluation.answers["qa"].right[both[evaluation.tested]] for evaluation in (a, b)]
        found += _flipped("qa.accuracy", right[0], right[1], rows.cluster, (0, 1), seed)
    adjusted = holm([difference.p for difference in found])
    return [
        Difference(difference.metric, difference.difference, difference.p, difference.method, difference.n, float(p))
        for difference, p in zip(found, adjusted, strict=True)
    ]


def _flipped(
    metric: str, a: FloatArray, b: FloatArray, clusters: Any, bounds: tuple[int, int], seed: int
) -> list[Difference]:
    if len(a) == 0 or np.isnan(a).any() or np.isnan(b).any():
        return []
    interval = difference_interval(a, b, bounds, clusters)
    if not isinstance(interval, Estimate):
        return []
    p = flip_test(Pairs.of_means(a, b, clusters), seed).p
    return [Difference(metric, interval, p, "sign flips over prompts", len(a))]
