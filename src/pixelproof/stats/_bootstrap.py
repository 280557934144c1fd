"""Resampling of clusters, percentile intervals, and pooled values of additive states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtrit

from ._clusters import FloatArray
from ._draws import generator

Finish = Callable[[Any], Any]
"""Maps sums of states, shape (..., k), to values, shape (...)."""

_CHUNK = 2**19
"""Draws per batch, which take 4 MB."""


def point(states: FloatArray, finish: Finish) -> float:
    """The pooled value of all rows; nan where undefined."""
    return float(_finished(finish, states.sum(axis=0)))


def percentile_interval(value: float, replicates: FloatArray, count: int, level: float) -> tuple[float, float]:
    """The percentile interval of replicates over `count` clusters; nan where undefined.

    Plain percentiles are too narrow for few clusters, by the factor sqrt((count - 1) / count) and for want of Student's
    t; Hesterberg's expanded percentiles put both right. Undefined replicates are left out.
    """
    defined = replicates[~np.isnan(replicates)]
    if math.isnan(value) or count < 2 or len(defined) == 0:
        return math.nan, math.nan
    tail = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, (1 - level) / 2)))
    lo, hi = np.quantile(defined, [tail, 1 - tail])
    return float(lo), float(hi)


def is_constant(replicates: FloatArray) -> bool:
    """Whether the defined replicates differ by no more than rounding."""
    defined = replicates[~np.isnan(replicates)]
    return len(defined) == 0 or bool(np.ptp(defined) <= 1e-12 * np.abs(defined).max())


def chunks(total: int, width: int) -> Iterator[int]:
    """Batch sizes that add up to `total`, each small enough for `width` draws per row."""
    rows = max(1, _CHUNK // max(1, width))
    for start in range(0, total, rows):
        yield min(rows, total - start)


def resample_weights(count: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of `count` clusters is drawn, one resample per row."""
    rng = generator(seed, "bootstrap")
    for rows in chunks(resamples, count):
        draws = rng.integers(count, size=(rows, count), dtype=np.int64)
        draws += np.arange(rows)[:, None] * count
        yield np.bincount(draws.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)


def _finished(finish: Finish, sums: FloatArray) -> FloatArray:
    """Values of summed states, with nan for infinity, which comes from a division by zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(finish(sums), dtype=np.float64)
    return np.where(np.isfinite(values), values, math.nan)
