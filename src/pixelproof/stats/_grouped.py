"""Correlations within groups of rows, such as the images of one prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray, as_values
from ._correlation import Method

_SMALL = 64
"""Groups up to this size are computed together, by comparing all pairs of their rows."""


def group_correlations(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    groups: npt.ArrayLike,
    methods: Sequence[Method] = ("spearman", "pearson", "kendall"),
) -> FloatArray:
    """Correlations of x and y within each group, shape (groups, methods), in the order of the group codes.

    If y varies within a group and x does not, the correlation is 0: a score that cannot tell the rows of a group apart
    is not left out of the mean. If y does not vary, or there are fewer than two rows, it is nan. Rows with nan are left
    out.

    >>> group_correlations([1, 2, 3, 5, 5, 5], [2, 4, 9, 1, 2, 3], [0, 0, 0, 7, 7, 7], ["spearman", "kendall"])
    array([[1., 1.],
           [0., 0.]])
    """
    a, b, codes = as_values(x), as_values(y), np.asarray(groups)
    ids, inverse = np.unique(codes, return_inverse=True)
    kept = ~(np.isnan(a) | np.isnan(b))
    a, b, inverse = a[kept], b[kept], inverse[kept]
    order = np.argsort(inverse, kind="stable")
    a, b = a[order], b[order]
    sizes = np.bincount(inverse, minlength=len(ids))
    starts = np.cumsum(sizes) - sizes
    result = np.full((len(ids), len(methods)), np.nan)
    for size in np.unique(sizes[sizes >= 2]):
        members = np.flatnonzero(sizes == size)
        rows = starts[members][:, None] + np.arange(size)
        if size <= _SMALL:
            result[members] = np.stack([_batch(a[rows], b[rows], method) for method in methods], axis=1)
        else:
            result[members] = [[_single(a[r], b[r], method) for method in methods] for r in rows]
    return result


def _batch(x: FloatArray, y: FloatArray, method: Method) -> FloatArray:
    """Correlations of the rows of two matrices."""
    if method == "kendall":
        sx, sy = (np.sign(v[:, :, None] - v[:, None, :]) for v in (x, y))
        xy, xx, yy = (sx * sy).sum((1, 2)), (sx * sx).sum((1, 2)), (sy * sy).sum((1, 2))
    else:
        if method == "spearman":
            x, y = (np.sign(v[:, :, None] - v[:, None, :]).sum(2) for v in (x, y))
        dx, dy = (v - v.mean(axis=1, keepdims=True) for v in (x, y))
        xy, xx, yy = (dx * dy).sum(1), (dx * dx).sum(1), (dy * dy).sum(1)
        constant = np.ptp(x, axis=1) == 0, np.ptp(y, axis=1) == 0
        xx, yy = (np.where(c, 0.0, v) for c, v in zip(constant, (xx, yy), strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(xx > 0, np.clip(xy / np.sqrt(xx * yy), -1, 1), 0.0)
    return np.where(yy > 0, found, np.nan)


def _single(x: FloatArray, y: FloatArray, method: Method) -> float:
    if np.ptp(y) == 0:
        return float("nan")
    if np.ptp(x) == 0:
        return 0.0
    from scipy import stats as scipy_stats  # takes a second to import

    functions: dict[Method, Any] = {
        "spearman": scipy_stats.spearmanr,
        "pearson": scipy_stats.pearsonr,
        "kendall": scipy_stats.kendalltau,
    }
    return float(functions[method](x, y)[0])
