"""Paired differences of means and their tests."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pixelproof.contract import Estimate

from ._bootstrap import chunks, estimate
from ._clusters import FloatArray, as_values, cluster_sums, effective_size, finish_mean, is_binary, mean_states
from ._draws import generator


def paired_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """The mean of a - b over paired rows.

    Pairs of 0 and 1 get Tango's score interval, the paired sister of Wilson's, with the effective number of pairs: two
    models that agree on 7 items need not agree on the next. All others get the interval of `estimate`.

    >>> paired_difference([1, 1, 0, 1, 0, 1, 1], [1, 1, 0, 1, 0, 1, 1])
    Estimate(value=0.0, lo=-0.3543..., hi=0.3543...)
    """
    x, y = _pairs(a, b)
    difference = x - y
    if not (is_binary(x) and is_binary(y)):
        return estimate(mean_states(difference), finish_mean, clusters, level, resamples, seed)
    size = effective_size(difference, clusters, level)
    better, worse = (float((difference == sign).mean()) * size for sign in (1, -1))
    z = float(ndtri((1 + level) / 2))
    return Estimate(
        float(difference.mean()), _tango_lower(better, worse, size, z), -_tango_lower(worse, better, size, z)
    )


def paired_permutation(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> float:
    """Two-sided p that a and b are exchangeable, by flipping the signs of whole clusters of differences.

    All sign patterns are tried when there are no more than `resamples`; otherwise that many are drawn, and the observed
    one counts among them, so that p is never 0.

    >>> paired_permutation([3, 4, 5, 6], [1, 1, 1, 1])
    0.125
    """
    x, y = _pairs(a, b)
    differences = cluster_sums((x - y)[:, None], clusters)[:, 0]
    if not np.isfinite(differences).all():
        return math.nan
    # A cluster without a difference does not change; dropping it often makes all patterns feasible.
    differences = differences[differences != 0]
    count = len(differences)
    # Patterns that tie with the observed one must count despite rounding.
    threshold = abs(differences.sum()) - 1e-12 * np.abs(differences).sum()
    if 2**count <= resamples:
        totals = np.zeros(1)
        for difference in differences:
            totals = np.concatenate([totals + difference, totals - difference])
        return float((np.abs(totals) >= threshold).mean())
    rng = generator(seed, "permutation")
    extreme = 0
    for rows in chunks(resamples, count):
        kept = rng.integers(2, size=(rows, count), dtype=np.bool_).astype(np.float64) @ differences
        extreme += int((np.abs(2 * kept - differences.sum()) >= threshold).sum())
    return (1 + extreme) / (1 + resamples)


def _pairs(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, y = as_values(a), as_values(b)
    if len(x) != len(y):
        raise ValueError(f"a and b must be paired row by row, but have {len(x)} and {len(y)} rows")
    return x, y


def _tango_lower(better: float, worse: float, n: float, z: float) -> float:
    """The smallest difference of proportions that the score test does not reject (Tango 1998), by bisection."""
    low, high = -1.0, (better - worse) / n
    for _ in range(60):
        middle = (low + high) / 2
        # Maximum-likelihood share of "worse" pairs if the true difference is `middle`.
        p = (2 * n - better + worse) * middle - better - worse
        share = (math.sqrt(max(0.0, p * p + 8 * n * worse * middle * (1 - middle))) - p) / (4 * n)
        spread = math.sqrt(max(0.0, n * (2 * share + middle * (1 - middle))))
        if better - worse - n * middle > z * spread:
            low = middle
        else:
            high = middle
    return high
