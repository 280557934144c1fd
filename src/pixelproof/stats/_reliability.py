"""Agreement of raters: intraclass correlations, Krippendorff's alpha, and how many votes are needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Scale = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class IntraclassCorrelations:
    """Shrout and Fleiss's coefficients; nan where a rater lacks an item and the coefficient needs a complete table."""

    icc1: float
    """One vote of a random rater, raters differ between items: ICC(1,1)."""
    icc1k: float
    """The mean of all votes, in the same design: ICC(1,k)."""
    icc2: float
    """One vote, the same raters for all items, absolute agreement: ICC(2,1)."""
    icc2k: float
    icc3: float
    """One vote, the same raters for all items, consistency: ICC(3,1)."""
    icc3k: float


def intraclass_correlations(ratings: FloatArray) -> IntraclassCorrelations:
    """Intraclass correlations of an items × raters table; with missing votes only ICC(1).

    >>> round(intraclass_correlations(np.array([[1.0, 2], [3, 4], [5, 7], [8, 9]])).icc3, 3)
    0.987
    """
    given = ~np.isnan(ratings)
    counts = given.sum(axis=1)
    used = counts > 1
    table, counts = ratings[used], counts[used]
    n = len(table)
    if n < 2:
        return IntraclassCorrelations(*[math.nan] * 6)
    means = np.nanmean(table, axis=1)
    grand = np.nansum(table) / counts.sum()
    between = float((counts * (means - grand) ** 2).sum()) / (n - 1)
    within = float(np.nansum((table - means[:, None]) ** 2)) / float(counts.sum() - n)
    k = float((counts.sum() - (counts**2).sum() / counts.sum()) / (n - 1))
    icc1, icc1k = _ratio(between - within, between + (k - 1) * within), _ratio(between - within, between)
    if np.isnan(table).any():
        return IntraclassCorrelations(icc1, icc1k, *[math.nan] * 4)
    raters = table.shape[1]
    columns = float(n * ((table.mean(axis=0) - grand) ** 2).sum()) / (raters - 1)
    rest = table - means[:, None] - table.mean(axis=0) + grand
    error = float((rest**2).sum()) / ((n - 1) * (raters - 1))
    return IntraclassCorrelations(
        icc1,
        icc1k,
        _ratio(between - error, between + (raters - 1) * error + raters * (columns - error) / n),
        _ratio(between - error, between + (columns - error) / n),
        _ratio(between - error, between + (raters - 1) * error),
        _ratio(between - error, between),
    )


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan


def krippendorff_alpha(ratings: FloatArray, scale: Scale = "interval") -> float:
    """Krippendorff's alpha of an items × raters table with any missing votes; nan without variation.

    >>> round(krippendorff_alpha(np.array([[1.0, 1], [2, 2], [3, 3], [1, 2]]), "nominal"), 3)
    0.667
    """
    given = ~np.isnan(ratings)
    used = given.sum(axis=1) > 1
    levels = np.unique(ratings[used][given[used]])
    if len(levels) < 2:
        return math.nan
    counts = np.stack([(ratings[used] == level).sum(axis=1) for level in levels], axis=1).astype(np.float64)
    totals = counts.sum(axis=1)
    coincidence = (counts / (totals - 1)[:, None]).T @ counts - np.diag((counts / (totals - 1)[:, None]).sum(axis=0))
    margin = coincidence.sum(axis=1)
    distance = _distances(levels, margin, scale)
    observed = float((coincidence * distance).sum())
    expected = float((np.outer(margin, margin) * distance).sum()) / float(margin.sum() - 1)
    return 1 - observed / expected if expected > 0 else math.nan


def _distances(levels: FloatArray, margin: FloatArray, scale: Scale) -> FloatArray:
    if scale == "nominal":
        return 1.0 - np.eye(len(levels))
    if scale == "ordinal":
        middles = np.cumsum(margin) - margin / 2
        return (middles[:, None] - middles) ** 2
    return (levels[:, None] - levels) ** 2


def raters_needed(reliability: float, raters: float, wanted: float) -> float:
    """Number of raters for a wanted reliability of the mean, by Spearman and Brown; inf without any reliability.

    >>> raters_needed(0.8, 4, 0.9)
    9.0
    """
    if not 0 < reliability < 1:
        return 1.0 if reliability >= 1 else math.inf
    single = reliability / (raters - (raters - 1) * reliability)
    return float(round(wanted * (1 - single) / ((1 - wanted) * single), 9))


def rater_agreement(ratings: FloatArray, rater: int) -> float:
    """SRCC of a rater's votes with the mean of all others, in an items × raters table; nan where it is undefined.

    >>> round(rater_agreement(np.array([[1.0, 2, 1], [2, 3, np.nan], [4, 5, 5]]), 0), 3)
    1.0
    """
    from scipy.stats import spearmanr

    own, others = ratings[:, rater], np.delete(ratings, rater, axis=1)
    counts = (~np.isnan(others)).sum(axis=1)
    both = ~np.isnan(own) & (counts > 0)
    if both.sum() < 3:
        return math.nan
    rest = np.nansum(others[both], axis=1) / counts[both]
    if np.ptp(rest) == 0 or np.ptp(own[both]) == 0:
        return math.nan
    return float(spearmanr(own[both], rest)[0])
