"""The noise ceiling: how well a perfect metric could agree with mean opinion scores of a few raters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.stats import generator

from ._recovery import recover_scale, recover_votes, sample_rows
from ._types import FloatArray

HALVES = 20
"""Random splits of the raters."""


@dataclass(frozen=True)
class Ceiling:
    """What a metric without any error of its own would reach."""

    srcc: float
    plcc: float
    error: float
    """Standard error of one mean opinion score, on its scale."""
    reliability: float
    """Share of the variance of the scores that is not noise of the raters."""
    raters: int
    images: int
    """Images that this is estimated from."""
    source: str


def noise_ceiling(data: Annotations, target: str, images: int = 300, seed: int = 0) -> Ceiling | None:
    """The ceiling of a target from its votes, or from votes that are recovered from its scores; None without either.

    Args:
        data: The annotations, all of them.
        target: Name of the mean opinion score.
        images: Size of the random sample whose votes are recovered.
        seed: Of the sample and of the splits of raters.
    """
    scores = data.targets[target]
    if target in data.votes:
        return ceiling_of_votes(data.votes[target], scores, False, "votes", seed)
    scale = recover_scale(scores)
    if scale is None:
        return None
    rows = sample_rows(len(scores), images, seed)
    votes = recover_votes(scores[rows], scale)
    known = votes[~np.isnan(votes).any(axis=1)]
    if len(known) < 30:
        return None
    parts = (known - 1) * scale.shares * len(scale.shares)
    return ceiling_of_votes(parts, scores, True, f"vote recovery, {len(known)} of {len(rows)} images", seed)


def ceiling_of_votes(votes: FloatArray, scores: FloatArray, same_raters: bool, source: str, seed: int = 0) -> Ceiling:
    """The ceiling of scores that are means of votes.

    Args:
        votes: Shape (images, raters), on the scale of the scores.
        scores: All scores of the data set, for their variance.
        same_raters: Column i is the same person in every row, whose bias is then no noise.
        source: Where the votes come from.
        seed: Of the splits of raters.
    """
    count, raters = votes.shape
    rest = votes - votes.mean(axis=1, keepdims=True)
    freedom = count * (raters - 1)
    if same_raters:
        rest = rest - rest.mean(axis=0)
        freedom = (count - 1) * (raters - 1)
    noise = float((rest**2).sum()) / freedom / raters
    reliability = max(0.0, 1 - noise / float(scores.var()))
    rng, half, halves = generator(seed, "split halves"), raters // 2, []
    centred = votes - votes.mean(axis=0) if same_raters else votes
    for _ in range(HALVES if half else 0):
        order = rng.permutation(raters)
        first, other = (centred[:, order[part]].mean(axis=1) for part in (slice(half), slice(half, 2 * half)))
        halves.append(float(spearmanr(first, other)[0]))
    r = float(np.mean(halves)) if halves else math.nan
    k = raters / half if half else math.nan  # Spearman-Brown, from half of the raters to all
    ranked = math.sqrt(max(0.0, k * r / (1 + (k - 1) * r))) if halves else math.nan
    return Ceiling(ranked, math.sqrt(reliability), math.sqrt(noise), reliability, raters, count, source)
