"""Sums over clusters, design effect and effective sample size."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def mean_states(values: npt.ArrayLike) -> FloatArray:
    """The row states (value, 1) of a plain mean; `finish_mean` turns their sum into it.

    >>> float(finish_mean(mean_states([1.0, 2.0, 6.0]).sum(axis=0)))
    3.0
    """
    x = as_values(values)
    return np.stack([x, np.ones_like(x)], axis=1)


def finish_mean(sums: FloatArray) -> FloatArray:
    """Means of summed `mean_states`, shape (..., 2) to (...)."""
    mean: FloatArray = sums[..., 0] / sums[..., 1]
    return mean


def design_effect(values: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> float:
    """Design effect: factor by which clustering increases the variance of the mean; at least 1.

    The ratio of the cluster-robust variance to that of independent rows; nan with fewer than two clusters, or without
    variance.

    >>> design_effect([0, 0, 1, 1, 0, 0, 1, 1], clusters=[0, 0, 1, 1, 2, 2, 3, 3])
    2.333...
    """
    x = as_values(values)
    n, count = len(x), cluster_count(len(x), clusters)
    if count < 2 or not np.ptp(x) > 0:
        return math.nan
    residuals = x - x.mean()
    sums = cluster_sums(residuals[:, None], clusters)[:, 0]
    robust = float(sums @ sums) / n * count / (count - 1)
    independent = float(residuals @ residuals) / (n - 1)
    return max(1.0, robust / independent)


def cluster_count(n: int, clusters: npt.ArrayLike | None) -> int:
    """Number of clusters among n rows."""
    return n if clusters is None else len(np.unique(_as_clusters(clusters, n)))


def cluster_sums(states: FloatArray, clusters: npt.ArrayLike | None) -> FloatArray:
    """The states (n, k) summed over the rows of each cluster: (clusters, k)."""
    if clusters is None:
        return states
    ids, rows = np.unique(_as_clusters(clusters, len(states)), return_inverse=True)
    sums = np.empty((len(ids), states.shape[1]))
    for column in range(states.shape[1]):
        sums[:, column] = np.bincount(rows, weights=states[:, column], minlength=len(ids))
    return sums


def as_values(values: npt.ArrayLike) -> FloatArray:
    """One number per row."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be one number per row, not an array of shape {array.shape}")
    return array


def as_states(states: npt.ArrayLike) -> FloatArray:
    """Row states (n, k) in one memory layout, so that equal states have bitwise equal sums."""
    array = np.ascontiguousarray(states, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"states must be a matrix with one row per answer, not an array of shape {array.shape}")
    return array


def _as_clusters(clusters: npt.ArrayLike, n: int) -> npt.NDArray[np.integer]:
    array = np.asarray(clusters)
    # Names are refused, because an empty name means "no cluster", not a common one.
    if array.shape != (n,) or (n and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"clusters must be {n} integers, one per row, not {array.dtype} of shape {array.shape}")
    return array
