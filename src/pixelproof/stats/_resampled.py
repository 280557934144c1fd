"""Values with their bootstrap replicates over the same resamples of clusters, so that they can be combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import is_constant, percentile_interval, resample_weights
from ._clusters import FloatArray, as_values, cluster_count
from ._correlation import Method, _Pairs


@dataclass(frozen=True)
class Resampled:
    """A value, and what it is in each resample of the clusters."""

    value: float
    replicates: FloatArray
    clusters: int

    def estimate(self, level: float = 0.95) -> Estimate:
        """The value with the percentile interval; (nan, nan) where the replicates cannot tell."""
        if np.isnan(self.value) or is_constant(self.replicates):
            return Estimate(self.value, np.nan, np.nan)
        return Estimate(self.value, *percentile_interval(self.value, self.replicates, self.clusters, level))

    @property
    def p(self) -> float:
        """Two-sided p that the value is 0, from the share of replicates beyond 0; nan without replicates.

        >>> Resampled(1.0, np.array([0.5, 1.0, 1.5, -0.1]), 9).p
        0.8
        """
        defined = self.replicates[~np.isnan(self.replicates)]
        if np.isnan(self.value) or len(defined) == 0:
            return float("nan")
        beyond = min((defined <= 0).sum(), (defined >= 0).sum())
        return float(min(1.0, 2 * (1 + beyond) / (1 + len(defined))))


def combine(function: Callable[..., Any], *parts: Resampled) -> Resampled:
    """A function of values that were resampled together, such as their difference.

    >>> combine(lambda a, b: a - b, Resampled(3.0, np.array([3.0, 4.0]), 5), Resampled(1.0, np.array([2.0, 1.0]), 5))
    Resampled(value=2.0, replicates=array([1., 3.]), clusters=5)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(function(*(part.value for part in parts)))
        replicates = np.asarray(function(*(part.replicates for part in parts)), np.float64)
    return Resampled(value, replicates, parts[0].clusters)


def resampled_correlations(
    columns: Mapping[str, npt.ArrayLike],
    y: npt.ArrayLike,
    clusters: npt.ArrayLike,
    methods: Sequence[Method] = ("spearman", "pearson", "kendall"),
    resamples: int = 2000,
    seed: int = 0,
) -> dict[str, dict[Method, Resampled]]:
    """Correlations of several columns with y, all on the same resamples of the same rows; see `correlations`.

    Rows with nan in y or in any column are left out of all.

    >>> both = resampled_correlations({"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}, [1, 2, 3, 5], [0, 1, 2, 3], ["spearman"])
    >>> round(combine(lambda a, b: a - b, both["a"]["spearman"], both["b"]["spearman"]).value, 9)
    0.2
    """
    values = {name: as_values(column) for name, column in columns.items()}
    target = as_values(y)
    cluster_count(len(target), clusters)
    kept = ~np.isnan(np.stack([target, *values.values()])).any(axis=0)
    units, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    result: dict[str, dict[Method, Resampled]] = {}
    for name, column in values.items():
        if not kept.any():
            result[name] = {method: Resampled(np.nan, np.empty(0), 0) for method in methods}
            continue
        pairs = _Pairs.of(column[kept], target[kept], codes, len(units), tuple(methods))
        drawn: dict[Method, list[FloatArray]] = {method: [] for method in methods}
        for weights in resample_weights(len(units), resamples, seed) if len(units) > 1 else ():
            for method in methods:
                drawn[method].append(pairs.under(weights, method))
        ones = np.ones((1, len(units)))
        result[name] = {
            m: Resampled(float(pairs.under(ones, m)[0]), np.concatenate([*drawn[m], np.empty(0)]), len(units))
            for m in methods
        }
    return result


def resample_statistic(
    statistic: Callable[[FloatArray], FloatArray], clusters: int, resamples: int = 2000, seed: int = 0
) -> Resampled:
    """Any statistic of weighted clusters, resampled.

    Args:
        statistic: Maps weights of the clusters, shape (resamples, clusters), to values, shape (resamples,).
        clusters: Their number.
        resamples: Of the bootstrap.
        seed: Of the bootstrap; equal seeds and numbers of clusters give equal resamples.

    >>> resample_statistic(lambda w: w @ np.array([1.0, 2.0, 6.0]) / 3, 3, resamples=10).value
    3.0
    """
    value = float(statistic(np.ones((1, clusters)))[0])
    drawn = [statistic(w) for w in resample_weights(clusters, resamples, seed)] if clusters > 1 else []
    return Resampled(value, np.concatenate([*drawn, np.empty(0)]), clusters)


def resampled_group_means(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    methods: Sequence[Method] = ("spearman", "pearson"),
    resamples: int = 500,
    seed: int = 0,
) -> dict[Method, Resampled]:
    """Mean over groups of the correlation within each, resampled by clusters that may lie across groups.

    Groups in which a correlation is undefined are left out of the mean. `kendall` is not supported.

    >>> means = resampled_group_means([1, 2, 3, 1, 3, 2], [1, 2, 3, 1, 2, 3], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])
    >>> round(means["spearman"].value, 9)
    0.75
    """
    a, b, of_group = as_values(x), as_values(y), np.asarray(groups)
    units, codes = np.unique(np.asarray(clusters), return_inverse=True)
    parts = [of_group == group for group in np.unique(of_group)]
    pairs = [_Pairs.of(a[part], b[part], codes[part], len(units), tuple(methods)) for part in parts]

    def mean(method: Method) -> Callable[[FloatArray], FloatArray]:
        def under(weights: FloatArray) -> FloatArray:
            values = np.stack([pair.under(weights, method) for pair in pairs])
            defined = ~np.isnan(values)
            with np.errstate(invalid="ignore"):
                means: FloatArray = np.where(defined, values, 0.0).sum(axis=0) / defined.sum(axis=0)
            return means

        return under

    return {method: resample_statistic(mean(method), len(units), resamples, seed) for method in methods}
