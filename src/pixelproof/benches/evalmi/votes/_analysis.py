"""Everything about a table of votes: scores, raters, reliability, ceiling, and votes that are needed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pixelproof.benches.evalmi.meta import Ceiling, ceiling_of_votes
from pixelproof.stats import (
    IntraclassCorrelations,
    intraclass_correlations,
    krippendorff_alpha,
    rater_agreement,
    raters_needed,
)

from ._read import Votes
from ._scores import Likelihood, OpinionScores, fit_raters, opinion_scores

WANTED = (0.95, 0.97, 0.99)
"""Ceilings of the PLCC for which the number of raters is given."""


@dataclass(frozen=True)
class Rater:
    """Diagnostics of one rater."""

    name: str
    votes: int
    mean: float
    deviation: float
    agreement: float
    """SRCC of the votes with the mean of all other raters."""
    high: int
    low: int
    bias: float
    inconsistency: float
    rejected: str
    """Why the votes are left out; empty if they are not."""


@dataclass(frozen=True)
class VoteAnalysis:
    """What `pixelproof judge mos` reports."""

    votes: Votes
    scores: OpinionScores
    likelihood: Likelihood
    raters: tuple[Rater, ...]
    icc: IntraclassCorrelations
    """Of the raw votes of kept raters."""
    alpha_interval: float
    alpha_ordinal: float
    ceiling: Ceiling
    raters_wanted: dict[str, float]
    """Ceiling of the PLCC → raters that it takes."""


def analyse_votes(votes: Votes, require_agreement: bool = True, seed: int = 0) -> VoteAnalysis:
    """Analyse votes; reliability, ceiling and needs are those of the raters who were kept."""
    scores = opinion_scores(votes.ratings, require_agreement)
    fitted = fit_raters(votes.ratings)
    kept = np.where(scores.rejected, np.nan, votes.ratings)[:, ~scores.rejected]
    raters = []
    for k, name in enumerate(votes.raters):
        own = votes.ratings[:, k]
        given = ~np.isnan(own)
        raters.append(
            Rater(
                name,
                int(given.sum()),
                float(own[given].mean()) if given.any() else math.nan,
                float(own[given].std(ddof=1)) if given.sum() > 1 else math.nan,
                rater_agreement(votes.ratings, k),
                int(scores.high[k]),
                int(scores.low[k]),
                float(fitted.bias[k]),
                float(fitted.inconsistency[k]),
                scores.reasons[k],
            )
        )
    ceiling = _ceiling(scores, seed)
    wanted = {f"{top:g}": raters_needed(ceiling.reliability, ceiling.raters, top**2) for top in WANTED}
    return VoteAnalysis(
        votes,
        scores,
        fitted,
        tuple(raters),
        intraclass_correlations(kept),
        krippendorff_alpha(kept, "interval"),
        krippendorff_alpha(kept, "ordinal"),
        ceiling,
        wanted,
    )


def _ceiling(scores: OpinionScores, seed: int) -> Ceiling:
    """From the items that all kept raters voted on, or, if they are few, from the standard errors of all items."""
    z = scores.z[:, ~scores.rejected]
    complete = ~np.isnan(z).any(axis=1)
    known = ~np.isnan(scores.mos)
    if complete.sum() >= 30:
        return ceiling_of_votes(z[complete], scores.mos[known], True, "votes", seed)
    usable = ~np.isnan(scores.errors)
    variance = float(np.var(scores.mos[usable])) if usable.any() else math.nan
    noise = float(np.mean(scores.errors[usable] ** 2)) if usable.any() else math.nan
    reliability = max(0.0, 1 - noise / variance) if variance > 0 else math.nan
    raters = int(round(float(scores.counts[usable].mean()))) if usable.any() else 0
    source = "standard errors of the scores"
    return Ceiling(math.nan, math.sqrt(reliability), math.sqrt(noise), reliability, raters, int(usable.sum()), source)
