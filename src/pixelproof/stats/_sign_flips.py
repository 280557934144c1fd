"""Sign-flip tests of two models on the same items, and the intervals that invert them.

If two models are exchangeable, exchanging their answers to any cluster of items changes nothing but chance. A pattern
says which clusters change sides; with few clusters all patterns are tried, otherwise 10,000 are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._bootstrap import Finish, _finished, chunks
from ._clusters import FloatArray, as_states, cluster_sums, finish_mean, mean_states
from ._draws import generator

ALL_PATTERNS = 13
"""Up to this many clusters, all patterns are tried."""
DRAWS = 10_000
FEWEST_CLUSTERS = 5
"""The fewest clusters with which a one-sided test can reach p < 0.05: 2^-5 = 0.031."""


@dataclass(frozen=True)
class Pairs:
    """One metric of models A and B on the same rows: states that add up, as in `estimate`."""

    a: npt.ArrayLike
    b: npt.ArrayLike
    finish: Finish
    clusters: npt.ArrayLike
    """An integer per row, with the same meaning in all metrics that are tested together."""
    higher_is_better: bool = True

    @classmethod
    def of_means(
        cls, a: npt.ArrayLike, b: npt.ArrayLike, clusters: npt.ArrayLike | None = None, higher_is_better: bool = True
    ) -> Pairs:
        """A metric that is the mean of one value per row."""
        states = mean_states(a), mean_states(b)
        own = np.arange(len(states[0])) if clusters is None else clusters
        return cls(*states, finish_mean, own, higher_is_better)


@dataclass(frozen=True)
class Fall:
    """Result of the test whether B is worse than A in one metric."""

    p: float
    """One-sided, adjusted for all metrics tested together; nan where the metric is undefined."""
    clusters: int
    """Clusters that have the metric."""
    best_p: float = 0.0
    """The smallest p that an equal fall in all these clusters would get, beside the other metrics as they are."""

    @property
    def testable(self) -> bool:
        """Whether a fall in all clusters would be shown at p < 0.05."""
        return self.clusters >= FEWEST_CLUSTERS and self.best_p < 0.05


def fall_tests(metrics: Sequence[Pairs], seed: int = 0, by: float = 0.0) -> list[Fall]:
    """One-sided sign-flip maxT test of several metrics together: is B worse than A in any, by more than `by`?

    The statistics of all metrics are divided by their standard deviation over the patterns, and each is compared with
    the distribution of the smallest of them. The smallest p that m clusters can give is 2^-m, times at most the number
    of metrics whose changes are equally large in all clusters, such as shares that rise while another falls. The test
    is of exchangeability: equal means with skewed differences reject more often than 5 %.

    >>> [fall.p for fall in fall_tests([Pairs.of_means([1, 1, 1, 1, 1], [0, 0, 0, 0, 0])])]
    [0.03125]
    """
    if not metrics:
        return []
    joint = _Joint(metrics, seed, by)
    scaled = joint.scaled * [1.0 if pairs.higher_is_better else -1.0 for pairs in joint.defined_metrics]
    # A pattern without a value is no evidence, so it counts as extreme.
    scaled = np.where(np.isnan(scaled), -np.inf, scaled)
    smallest = scaled.min(axis=1, initial=math.inf)
    p = np.full(len(metrics), math.nan)
    p[joint.defined] = [(smallest <= t + 1e-9).mean() if t < 0 else 1.0 for t in scaled[0]]
    best = [_best_p(scaled, place, gap.clusters) for place, gap in _places(joint.defined, joint.gaps)]
    return [Fall(float(value), gap.clusters, b) for value, gap, b in zip(p, joint.gaps, best, strict=True)]


@dataclass(frozen=True)
class Changes:
    """Result of the two-sided test of several metrics together."""

    p: tuple[float, ...]
    """Per metric, adjusted for all metrics; nan where the metric is undefined."""
    critical: float
    """The smallest |Σ d| / √(Σ d²) among the patterns that has p ≤ 0.05; inf where the patterns are too few."""


def change_tests(metrics: Sequence[Pairs], seed: int = 0) -> Changes:
    """Two-sided sign-flip maxT test of several metrics together: do A and B differ in any?

    As `fall_tests`, with the largest absolute statistic. The smallest p that m clusters can give is 2^(1 - m).

    >>> change_tests([Pairs.of_means([1] * 6, [0] * 6), Pairs.of_means([3] * 6, [1] * 6)]).p
    (0.03125, 0.03125)
    """
    if not metrics:
        return Changes((), math.inf)
    joint = _Joint(metrics, seed)
    size = np.where(np.isnan(joint.scaled), np.inf, np.abs(joint.scaled))
    largest = np.sort(size.max(axis=1, initial=0.0))
    p = np.full(len(metrics), math.nan)
    below = np.searchsorted(largest, size[0] - 1e-9, side="left")
    p[joint.defined] = np.where(size[0] > 0, 1 - below / len(largest), 1.0)
    allowed = int(0.05 * len(largest) + 1e-9)
    above = largest[largest > largest[-allowed - 1] + 1e-9] if allowed else np.empty(0)
    return Changes(tuple(p.tolist()), float(above[0]) if len(above) else math.inf)


class _Joint:
    """The sign-flip distribution of several metrics under the same patterns."""

    def __init__(self, metrics: Sequence[Pairs], seed: int, by: float = 0.0) -> None:
        ids = np.unique(np.concatenate([np.asarray(pairs.clusters) for pairs in metrics]))
        self.gaps = [_Gap(pairs, ids) for pairs in metrics]
        shifts = [by if pairs.higher_is_better else -by for pairs in metrics]
        columns = (
            np.stack([gap.under(p, shift) for gap, shift in zip(self.gaps, shifts, strict=True)], axis=1)
            for p in patterns(len(ids), seed)
        )
        values = np.concatenate(list(columns))
        self.defined = ~np.isnan(values[0])
        """Which metrics have a value."""
        self.defined_metrics = [pairs for pairs, known in zip(metrics, self.defined, strict=True) if known]
        values = values[:, self.defined]
        finite = np.where(np.isfinite(values), values, math.nan)
        spread = np.sqrt(np.nanmean(finite**2, axis=0)) if self.defined.any() else np.empty(0)
        self.scaled = np.where(spread > 0, values / np.where(spread > 0, spread, 1.0), 0.0 * values)
        """(patterns, defined metrics): B − A over its standard deviation; the first pattern is what was observed."""


def _places(defined: npt.NDArray[np.bool_], gaps: Sequence[_Gap]) -> Iterator[tuple[int | None, _Gap]]:
    """Each gap with its column among the defined metrics."""
    columns = np.cumsum(defined) - 1
    for is_defined, column, gap in zip(defined, columns, gaps, strict=True):
        yield (int(column) if is_defined else None), gap


def _best_p(scaled: FloatArray, place: int | None, clusters: int) -> float:
    """The p of an equal fall in all clusters of one metric, beside the other metrics as they are."""
    if place is None or clusters == 0:
        return 1.0
    others = np.delete(scaled, place, axis=1)
    rivals = others.min(axis=1, initial=math.inf) <= -math.sqrt(clusters) + 1e-9
    rivals[0] = False  # nothing is exchanged: the fall itself
    return float(2.0**-clusters + rivals.mean())


@dataclass(frozen=True)
class Flips:
    """The sign-flip distribution of B − A in one metric: p and interval from the same patterns."""

    difference: float
    thresholds: FloatArray
    """For each pattern, the true difference from which on it is at least as extreme as what was observed; sorted."""
    always: int
    """Further patterns, which are as extreme whatever the difference: those that exchange nothing or have no value."""

    @property
    def p(self) -> float:
        """Two-sided p that the models are exchangeable."""
        return min(1.0, 2.0 * min(self.p_better, self.p_worse))

    @property
    def p_better(self) -> float:
        """One-sided p against B being larger."""
        return self.p_above(0.0)

    def p_above(self, bound: float) -> float:
        """One-sided p against the difference being larger than a bound."""
        return self._share(int(np.searchsorted(self.thresholds, bound, side="right")))

    @property
    def p_worse(self) -> float:
        """One-sided p against B being smaller."""
        return self._share(len(self.thresholds) - int(np.searchsorted(self.thresholds, 0.0, side="left")))

    def interval(self, tail: float) -> tuple[float, float]:
        """All differences that neither one-sided test rejects at `tail`; ±inf where the clusters are too few.

        The lower end is above a bound exactly if `p_above(bound)` ≤ tail, the upper end below 0 exactly if `p_worse` ≤
        tail.
        """
        skip = int(tail * (len(self.thresholds) + self.always) + 1e-9) - self.always
        if math.isnan(self.difference) or not 0 <= skip < len(self.thresholds):
            return -math.inf, math.inf
        return float(self.thresholds[skip]), float(self.thresholds[-1 - skip])

    def _share(self, extreme: int) -> float:
        if math.isnan(self.difference):
            return math.nan
        return (self.always + extreme) / (self.always + len(self.thresholds))


def flip_test(pairs: Pairs, seed: int = 0) -> Flips:
    """The sign-flip test of B − A in one metric, with what its inversion needs.

    For a mean, the interval holds the differences d for which exchangeability of A + d and B is not rejected: its ends
    are quantiles of the means of subsets of clusters. A pooled metric is shifted in proportion to the rows exchanged.

    >>> flips = flip_test(Pairs.of_means([1, 1, 1, 1, 1, 1], [3, 4, 5, 6, 7, 8]))
    >>> flips.p, [round(end, 9) for end in flips.interval(0.025)]
    (0.03125, [2.0, 7.0])
    """
    ids = np.unique(np.asarray(pairs.clusters))
    gap = _Gap(pairs, ids)
    rows = np.unique(np.asarray(pairs.clusters), return_counts=True)[1].astype(np.float64)
    values, moved = [], []
    for flips in patterns(len(ids), seed):
        values.append(gap.under(flips))
        moved.append(2.0 * (flips @ rows) / rows.sum())  # 1 − Σ ε n / Σ n
    under, weight = np.concatenate(values), np.concatenate(moved)
    observed = float(under[0])
    drop, weight = observed - under, np.where(weight > 0, weight, math.nan)
    # Patterns that tie with the observed one must count, however their sums are rounded.
    thresholds = np.where(np.abs(drop) <= 1e-12 * (1 + abs(observed)), 0.0 * weight, drop / weight)
    known = np.sort(thresholds[~np.isnan(thresholds)])
    return Flips(observed, known, len(thresholds) - len(known))


def patterns(count: int, seed: int = 0) -> Iterator[FloatArray]:
    """Which clusters change sides, 0 or 1 each, a pattern per row; the first row of all changes nothing."""
    if count <= ALL_PATTERNS:
        numbers = np.arange(2**count)[:, None]
        yield ((numbers >> np.arange(count)) & 1).astype(np.float64)
        return
    yield np.zeros((1, count))
    rng = generator(seed, "sign flips")
    for rows in chunks(DRAWS, count):
        yield rng.integers(2, size=(rows, count)).astype(np.float64)


class _Gap:
    """B − A after some clusters have changed sides."""

    def __init__(self, pairs: Pairs, ids: npt.NDArray[np.integer]) -> None:
        a, b = as_states(pairs.a), as_states(pairs.b)
        own = np.unique(np.asarray(pairs.clusters))
        self.clusters = len(own)
        self._rows = np.unique(np.asarray(pairs.clusters), return_counts=True)[1].astype(np.float64)
        self._columns = np.searchsorted(ids, own)
        x, y = cluster_sums(a, pairs.clusters), cluster_sums(b, pairs.clusters)
        self._change, self._a, self._b, self._finish = y - x, x.sum(axis=0), y.sum(axis=0), pairs.finish

    def under(self, flips: FloatArray, shift: float = 0.0) -> FloatArray:
        """The difference under each pattern, shape (patterns,), if B were larger by `shift` on every row."""
        moved = flips[:, self._columns] @ self._change
        change = _finished(self._finish, self._b - moved) - _finished(self._finish, self._a + moved)
        if not shift:
            return change
        shifted: FloatArray = change + shift * (1 - 2 * (flips[:, self._columns] @ self._rows) / self._rows.sum())
        return shifted
