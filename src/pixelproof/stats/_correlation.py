"""Correlations with clustered intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate

from ._bootstrap import is_constant, percentile_interval, resample_weights
from ._clusters import FloatArray, as_values, cluster_count
from ._kendall import MOST_CLUSTERS, concordances, tau_b

Method = Literal["pearson", "spearman", "kendall"]

_AT_ONCE = 1 << 16
"""Weighted rows that are ranked at once: few enough for the cache of a processor."""


def correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    method: Method = "pearson",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The correlation of x and y over rows that have both, with an interval of the cluster bootstrap.

    Rows with nan in x or y are left out. The value is nan where it is undefined: fewer than two rows, or no variation
    in x or y. The interval is (nan, nan) where the data cannot tell, as with one cluster. With six rows or fewer it
    says next to nothing: resamples of two different rows correlate perfectly.

    Args:
        x: One number per row.
        y: Another.
        clusters: An integer per row; rows of one cluster are drawn together. None: every row stands alone.
        method: `pearson`, `spearman` (mid-ranks, taken anew in every resample) or `kendall` (tau-b).
        level: Of the interval.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    >>> correlation([1, 2, 3, 4], [1, 2, 3, 40], method="spearman").value
    1.0
    >>> correlation(range(12), [0, 2, 1, 3, 5, 4, 9, 6, 8, 7, 11, 10])
    Estimate(value=0.930..., lo=0.768..., hi=0.985...)
    """
    return correlations(x, y, clusters, (method,), level, resamples, seed)[method]


def correlations(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    methods: Sequence[Method] = ("spearman", "pearson", "kendall"),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[Method, Estimate]:
    """Several correlations of x and y on the same resamples; see `correlation`.

    Raises:
        ValueError: x and y differ in length, or `kendall` is asked for with over 6,000 clusters.

    >>> {name: round(r.value, 3) for name, r in correlations([1, 2, 3, 4], [1, 3, 2, 9], resamples=50).items()}
    {'spearman': 0.8, 'pearson': 0.826, 'kendall': 0.667}
    """
    a, b = as_values(x), as_values(y)
    if len(a) != len(b):
        raise ValueError(f"x and y must be paired row by row, but have {len(a)} and {len(b)} rows")
    cluster_count(len(a), clusters)  # raises unless there is an integer per row
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    units, codes = np.unique(np.arange(len(a)) if clusters is None else np.asarray(clusters)[both], return_inverse=True)
    if len(a) == 0:
        return {method: Estimate(math.nan, math.nan, math.nan) for method in methods}
    pairs = _Pairs.of(a, b, codes, len(units), tuple(methods))
    values = {method: float(pairs.under(np.ones((1, len(units))), method)[0]) for method in methods}
    replicates: dict[Method, list[FloatArray]] = {method: [] for method in methods}
    for block in resample_weights(len(units), resamples, seed) if len(units) > 1 else ():
        for method in methods:
            replicates[method].append(pairs.under(block, method))
    return {
        method: Estimate(value, *_interval(value, replicates[method], len(units), level))
        for method, value in values.items()
    }


def _interval(value: float, replicates: Sequence[FloatArray], count: int, level: float) -> tuple[float, float]:
    drawn = np.concatenate([*replicates, np.empty(0)])
    if math.isnan(value) or count < 2 or is_constant(drawn):
        return math.nan, math.nan
    return percentile_interval(value, drawn, count, level)


@dataclass(frozen=True)
class _Ranked:
    """One variable, prepared for mid-ranks under weights."""

    code: npt.NDArray[np.int64]
    """Position of each row's value among the distinct values."""
    order: npt.NDArray[np.int64]
    """Rows by value."""
    starts: npt.NDArray[np.int64]
    """Where in the order each distinct value begins."""

    @classmethod
    def of(cls, values: FloatArray) -> _Ranked:
        _, code, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(code, np.argsort(code, kind="stable"), np.cumsum(counts) - counts)

    def ties(self, weights: FloatArray) -> FloatArray:
        """Weight of each distinct value, shape (weightings, values), under weightings of the rows."""
        return np.asarray(np.add.reduceat(weights.take(self.order, axis=1), self.starts, axis=1))


@dataclass(frozen=True)
class _Pairs:
    """Rows of x and y in clusters, prepared for correlations under many weightings of the clusters."""

    x: FloatArray
    y: FloatArray
    codes: npt.NDArray[np.int64]
    ranked: tuple[_Ranked, _Ranked]
    moments: FloatArray
    """Per cluster: number of rows, sums of x, y, xx, yy, xy after centring; shape (clusters, 6)."""
    signs: FloatArray | None
    """Concordances between clusters, for Kendall's tau."""

    @classmethod
    def of(
        cls, x: FloatArray, y: FloatArray, codes: npt.NDArray[np.int64], count: int, methods: tuple[Method, ...]
    ) -> _Pairs:
        u, v = x - x.mean(), y - y.mean()
        moments: FloatArray = np.stack(
            [np.bincount(codes, part, count) for part in (np.ones(len(x)), u, v, u * u, v * v, u * v)], 1
        )
        signs = None
        if "kendall" in methods:
            if count > MOST_CLUSTERS:
                raise ValueError(
                    f"Kendall's tau takes at most {MOST_CLUSTERS:,} clusters, not {count:,}: group the rows."
                )
            signs = concordances(x, y, codes, count)
        return cls(x, y, codes, (_Ranked.of(x), _Ranked.of(y)), moments, signs)

    def under(self, weights: FloatArray, method: Method) -> FloatArray:
        """Correlations under weightings of the clusters, shape (weightings, clusters)."""
        if method == "pearson":
            return self._pearson(weights)
        if method == "spearman":
            return np.concatenate([self._spearman(rows) for rows in self._parts(weights)])
        assert self.signs is not None, "prepared for kendall"
        squares = [[(r.ties(rows) ** 2).sum(axis=1) for r in self.ranked] for rows in self._parts(weights)]
        ties: FloatArray = np.concatenate(squares, axis=1).T
        return tau_b(self.signs, weights, ties[:, 0], ties[:, 1], weights @ self.moments[:, 0])

    def _parts(self, weights: FloatArray) -> Iterator[FloatArray]:
        """Weights of rows from those of clusters, some weightings at a time."""
        step = max(1, _AT_ONCE // len(self.codes))
        return (weights[first : first + step].take(self.codes, axis=1) for first in range(0, len(weights), step))

    def _pearson(self, weights: FloatArray) -> FloatArray:
        n, sx, sy, xx, yy, xy = (weights @ self.moments).T
        with np.errstate(divide="ignore", invalid="ignore"):
            spread_x, spread_y = xx - sx * sx / n, yy - sy * sy / n
            found: FloatArray = np.clip((xy - sx * sy / n) / np.sqrt(spread_x * spread_y), -1.0, 1.0)
        # Differences of large sums lose digits where little varies: there, from the deviations of the rows.
        for row in np.flatnonzero(~((spread_x > 1e-6 * xx) & (spread_y > 1e-6 * yy))):
            found[row] = self._from_deviations(weights[row][self.codes])
        return found

    def _from_deviations(self, weights: FloatArray) -> float:
        drawn = weights > 0
        if not drawn.any() or any(np.ptp(values[drawn]) == 0 for values in (self.x, self.y)):
            return math.nan
        dx, dy = (values - np.average(values, weights=weights) for values in (self.x, self.y))
        xx, yy, xy = (float((weights * product).sum()) for product in (dx * dx, dy * dy, dx * dy))
        return float(np.clip(xy / math.sqrt(xx * yy), -1.0, 1.0))

    def _spearman(self, weights: FloatArray) -> FloatArray:
        """Rank correlations under weightings of the rows, shape (weightings, rows)."""
        ties = [r.ties(weights) for r in self.ranked]
        half = weights.sum(axis=1, keepdims=True) / 2
        middles = [np.cumsum(t, axis=1) - t / 2 - half for t in ties]  # mid-ranks of the distinct values, centred
        # Without BLAS, whose threads cost more than they save at this length.
        xx, yy = (np.einsum("ri,ri,ri->r", t, d, d) for t, d in zip(ties, middles, strict=True))
        of_rows = (d.take(r.code, axis=1) for d, r in zip(middles, self.ranked, strict=True))
        xy = np.einsum("ri,ri,ri->r", weights, *of_rows)
        varies = np.all([np.count_nonzero(t, axis=1) > 1 for t in ties], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(varies, np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0), math.nan)
