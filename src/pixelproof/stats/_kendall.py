"""Kendall's tau-b under many weightings of clusters, from one matrix of concordances between clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray

MOST_CLUSTERS = 6000
"""The matrix of concordances takes 8 bytes per pair of clusters: 288 MB here."""
_BLOCK = 2**22
"""Signs that are held at once."""


def concordances(x: FloatArray, y: FloatArray, codes: npt.NDArray[np.int64], count: int) -> FloatArray:
    """Sum of sign(x_i - x_j) sign(y_i - y_j) over the rows i of one cluster and j of another, shape (count, count).

    Tau under a weighting w of the clusters needs w' M w alone, so no resample has to be sorted.
    """
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(count))
    ranks = [np.unique(values[order], return_inverse=True)[1].astype(np.int32) for values in (x, y)]
    ends = np.append(starts[1:], len(order))
    matrix = np.zeros((count, count))
    for c, (start, end) in enumerate(zip(starts, ends, strict=True)):
        totals = np.zeros(len(order) - start, np.int64)
        step = max(1, _BLOCK // len(totals))
        for first in range(start, end, step):
            signs = [_signs(r[first : min(end, first + step)], r[start:]) for r in ranks]
            totals += (signs[0] * signs[1]).sum(axis=0, dtype=np.int64)
        matrix[c, c:] = np.add.reduceat(totals, starts[c:] - start)
    return np.triu(matrix) + np.triu(matrix, 1).T


def _signs(rows: npt.NDArray[np.int32], others: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    above = (rows[:, None] > others).view(np.int8)
    above -= (rows[:, None] < others).view(np.int8)
    return above


def tau_b(
    matrix: FloatArray, weights: FloatArray, ties_x: FloatArray, ties_y: FloatArray, rows: FloatArray
) -> FloatArray:
    """Tau-b of each weighting; nan where x or y does not vary.

    Args:
        matrix: From `concordances`.
        weights: Of the clusters, shape (weightings, clusters).
        ties_x: Ordered pairs of rows with equal x, a row with itself included, one number per weighting.
        ties_y: The same for y.
        rows: Total weight of the rows, one number per weighting.
    """
    difference = np.einsum("rc,rc->r", weights @ matrix, weights)
    free = (rows**2 - ties_x) * (rows**2 - ties_y)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = np.clip(difference / np.sqrt(free), -1.0, 1.0)
    result: FloatArray = np.where(free > 0, tau, np.nan)
    return result
