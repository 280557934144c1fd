"""What several answers to each item tell: how much is chance, and what choosing the best would be worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Sampling
from pixelproof.stats import best_of_k, estimate_mean

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_SHOWN = (1, 2, 3, 5, 10, 20, 50, 100)


def sampling(values: Floats, items: Places, clusters: Places, lower_is_better: bool = False) -> Sampling | None:
    """Spread within items and the best of k, over the items with the most answers; None if no item has two.

    Args:
        values: A number per answer.
        items: Which item each answer is of; the answers to an item stand together, in the order of their samples.
        clusters: Which items belong together.
        lower_is_better: Whether the best answer is the one with the smallest value.
    """
    _, first, counts = np.unique(items, return_index=True, return_counts=True)
    most = int(counts.max(initial=0))
    if most < 2:
        return None
    whole = first[counts == most]
    table = values[whole[:, None] + np.arange(most)] * (-1.0 if lower_is_better else 1.0)
    sign = -1.0 if lower_is_better else 1.0
    best, of_first = {}, {}
    for k in (k for k in _SHOWN if k <= most):
        expected = np.array([best_of_k(row, k) for row in table])
        best[str(k)] = estimate_mean(sign * expected, clusters[whole], resamples=1000)
        of_first[str(k)] = float(sign * table[:, :k].max(axis=1).mean())
    return Sampling(float(np.sqrt(table.var(axis=1, ddof=1).mean())), best, of_first)
