"""Permutation test of whether drawings depend on their subject; needs no reference drawing and no judge."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ._draws import generator


def subject_sensitivity(
    features: npt.ArrayLike, labels: npt.ArrayLike, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Distance between drawings of different subjects minus distance within a subject, with its p value.

    S = mean distance between drawings of two subjects − mean distance between drawings of one. A model that draws the
    same image for every subject has S ≈ 0, however good the drawing. p is one-sided, over permutations of the labels
    that include the observed one, so it is never 0. Both are nan without two subjects, one of them drawn twice.

    Args:
        features: One vector per drawing, shape (n, d), such as `metrics.drawing_features` gives.
        labels: The subject of each drawing, shape (n,).
        resamples: Permutations of the labels.
        seed: Of the permutations.

    >>> S, p = subject_sensitivity([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]], ["a", "a", "b", "b", "c", "c"])
    >>> round(S, 3), p < 0.1
    (5.9, True)
    """
    from scipy.spatial.distance import pdist, squareform  # takes a while to import

    vectors = np.asarray(features, dtype=np.float64)
    codes = np.unique(np.asarray(labels), return_inverse=True)[1].ravel()
    if vectors.ndim != 2 or len(vectors) != len(codes):
        raise ValueError(f"{len(codes)} labels need as many rows of features, not an array of shape {vectors.shape}.")
    first, second = np.triu_indices(len(codes), 1)
    same = codes[first] == codes[second]
    if same.all() or not same.any():
        return math.nan, math.nan
    distances = squareform(pdist(vectors))
    total, inside, pairs = float(distances[first, second].sum()), int(same.sum()), len(first)
    first, second = first[same], second[same]  # pairs of positions with equal labels

    def statistic(order: npt.NDArray[np.intp]) -> float:
        within = distances[order[first], order[second]].sum()
        return float((total - within) / (pairs - inside) - within / inside)

    observed = statistic(np.arange(len(codes)))
    rng = generator(seed, "subject-sensitivity")
    # Permutations that only rename the subjects must tie with the observed labels despite rounding.
    threshold = observed - 1e-12 * total
    extreme = sum(statistic(rng.permutation(len(codes))) >= threshold for _ in range(resamples))
    return observed, (1 + extreme) / (1 + resamples)
