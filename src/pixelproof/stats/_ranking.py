"""Correction for multiple comparisons, and ranges of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray, as_values


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's adjusted p values; nan (no test) stays nan and does not count.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = as_values(p_values)
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]  # nan sorts last
    multiplied = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(multiplied))
    return adjusted


def tie_groups(order: Sequence[str], indistinguishable: npt.ArrayLike) -> dict[str, tuple[int, int]]:
    """Best and worst possible rank of each model, given which differences are not significant.

    The best is 1 + the number of significantly better models; the worst is the number of models minus the number of
    significantly worse ones. Models that share a rank are tied.

    Args:
        order: Names of the models, the best first.
        indistinguishable: Symmetric boolean matrix in that order; its diagonal does not matter.

    >>> tie_groups(["a", "b", "c"], [[True, True, False], [True, True, True], [False, True, True]])
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    n = len(order)
    tied = np.asarray(indistinguishable, dtype=np.bool_)
    if tied.shape != (n, n) or not np.array_equal(tied, tied.T):
        raise ValueError(f"indistinguishable must be a symmetric {n} x {n} matrix")
    return {name: (1 + int((~tied[i, :i]).sum()), n - int((~tied[i, i + 1 :]).sum())) for i, name in enumerate(order)}
