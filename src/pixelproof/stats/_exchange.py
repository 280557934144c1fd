"""Exact test of one condition against several others on the same items, by exchanging the conditions within items.

If a condition makes no difference, the answers to an item are exchangeable between conditions. A pattern says for each
cluster of items which of its conditions takes the place of the first; with few clusters all patterns are tried,
otherwise 10,000 are drawn. Two conditions give the sign-flip test.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ._bootstrap import chunks
from ._clusters import FloatArray, cluster_sums
from ._draws import generator
from ._sign_flips import ALL_PATTERNS, DRAWS, Flips


def advantage_test(differences: npt.ArrayLike, clusters: npt.ArrayLike | None = None, seed: int = 0) -> Flips:
    """Mean advantage of the first condition over the others, with the distribution of its exchange test.

    The test compares the first condition with the mean of the others, item by item. Unlike a test of signs it is exact
    for several others, whose mean varies less than the first. Missing answers may be exchanged like others, so they
    may depend on the item, but not on the condition.

    Args:
        differences: Shape (items, conditions, conditions): score under the row's condition minus score under the
            column's, antisymmetric; nan where one of the two has no answer.
        clusters: An integer per item; None: items are independent.
        seed: Seed of the patterns, if they are drawn.

    >>> scores = np.array([[0.9, 0.5, 0.6], [0.8, 0.7, 0.7], [0.7, 0.4, 0.5]])
    >>> flips = advantage_test(scores[:, :, None] - scores[:, None, :])
    >>> round(flips.difference, 9), round(flips.p_above(0.0) * 3**3)
    (0.233333333, 1)
    """
    values, weights = _advantages(np.asarray(differences, dtype=np.float64))
    value, weight = cluster_sums(values, clusters), cluster_sums(weights, clusters)
    conditions, rows = value.shape[1], np.arange(len(value))
    drop, moved = [], []
    for roles in _roles(len(value), conditions, seed):
        drop.append((value[:, 0] - value[rows, roles]).sum(axis=1))
        moved.append((weight[:, 0] - weight[rows, roles]).sum(axis=1))
    drops, shift = np.concatenate(drop), np.concatenate(moved)
    drops[np.abs(drops) <= 1e-12] = 0.0  # patterns that tie with the observed one must count despite rounding
    movable = shift > 1e-12
    thresholds = np.where(movable, drops / np.where(movable, shift, 1.0), np.where(drops > 0, np.inf, -np.inf))
    always = np.isneginf(thresholds)
    total = float(weight[:, 0].sum())
    observed = float(value[:, 0].sum()) / total if total else float("nan")
    return Flips(observed, np.sort(thresholds[~always]), int(always.sum()))


def fewest_for_exchange(conditions: int, alpha: float) -> int:
    """The fewest clusters with which the exchange test of this many conditions can reach p ≤ alpha.

    >>> fewest_for_exchange(2, 0.05), fewest_for_exchange(4, 0.05)
    (5, 3)
    """
    count = 1
    while float(conditions) ** -count > alpha:
        count += 1
    return count


def _advantages(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """For each item and condition: its mean advantage, and by how much an advantage of 1 of the first changes it."""
    conditions = differences.shape[1]
    known = ~np.isnan(differences) & ~np.eye(conditions, dtype=np.bool_)
    count = np.maximum(known.sum(axis=2), 1)
    weight = -1.0 * known[:, :, 0] / count
    weight[:, 0] = known[:, 0].any(axis=1)
    return np.where(known, differences, 0.0).sum(axis=2) / count, weight


def _roles(count: int, conditions: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """For each cluster, the condition that takes the place of the first; the first row of all exchanges nothing."""
    if conditions**count <= 2**ALL_PATTERNS:
        yield np.arange(conditions**count)[:, None] // conditions ** np.arange(count) % conditions
        return
    yield np.zeros((1, count), dtype=np.int64)
    rng = generator(seed, "exchanges")
    for rows in chunks(DRAWS, count):
        yield rng.integers(conditions, size=(rows, count))
