"""Accuracy on pairs of images of one prompt: does the score prefer the image that people prefer?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pixelproof.contract import Estimate
from pixelproof.stats import Undefined, pooled_interval

from ._types import FloatArray, IntArray

Ties = Literal["wrong", "half", "skip"]
"""What a pair counts whose scores are equal: nothing, one half, or not at all."""


@dataclass(frozen=True)
class PairAccuracy:
    """Share of pairs that a score orders as people do."""

    estimate: Estimate | Undefined
    pairs: int
    """Pairs that count."""
    human_ties: int
    """Pairs with equal ratings, or, with a margin, with ratings closer than it; they are left out."""
    score_ties: int
    """Pairs with equal scores among those that remain."""


def pair_accuracy(
    scores: FloatArray,
    ratings: FloatArray,
    prompts: IntArray,
    clusters: IntArray,
    ties: Ties = "wrong",
    margin: float = 0.0,
) -> PairAccuracy:
    """Accuracy over all pairs of images of the same prompt, with an interval over clusters of prompts.

    Args:
        scores: One per image.
        ratings: Mean opinion scores.
        prompts: Code of the prompt of each image.
        clusters: Cluster of each image; images of one prompt are in one cluster.
        ties: What equal scores count.
        margin: Pairs whose ratings differ by less are left out: noise decides them.
    """
    order = np.argsort(prompts, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(prompts[order]) != 0])
    states, of_group, human, equal = [], [], 0, 0
    for rows in np.split(order, starts[1:]):
        i, j = np.triu_indices(len(rows), 1)
        gap = ratings[rows[i]] - ratings[rows[j]]
        kept = (gap != 0) & (np.abs(gap) >= margin)
        agreement = np.sign(scores[rows[i]] - scores[rows[j]])[kept] * np.sign(gap[kept])
        tied = int((agreement == 0).sum())
        right = float((agreement > 0).sum()) + (tied / 2 if ties == "half" else 0)
        states.append((right, len(agreement) - (tied if ties == "skip" else 0)))
        of_group.append(clusters[rows[0]])
        human += len(gap) - int(kept.sum())
        equal += tied
    sums = np.array(states, np.float64)
    total = int(sums[:, 1].sum())
    if total == 0:
        return PairAccuracy(Undefined(math.nan, "there are no pairs of images of one prompt"), 0, human, equal)
    interval = pooled_interval(sums, _share, (0, 1), np.array(of_group), ratios=_parts)
    return PairAccuracy(interval, total, human, equal)


def _share(sums: FloatArray) -> FloatArray:
    share: FloatArray = sums[..., 0] / sums[..., 1]
    return share


def _parts(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    return sums[..., :1], sums[..., 1:]
