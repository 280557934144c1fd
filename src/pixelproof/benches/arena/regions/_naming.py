"""From regions to labels, by majority of the truth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Labels
from pixelproof.pixels import void_of

Regions = npt.NDArray[np.intp]


def label_by_truth(regions: Regions, truth: Labels) -> Labels:
    """Give every region the most frequent label of the truth in it; label 0 where all of it is void.

    >>> regions = np.array([[0, 0, 0, 1, 1]])
    >>> label_by_truth(regions, np.array([[3, 3, 5, 255, 7]], np.uint8)).tolist()
    [[3, 3, 3, 7, 7]]
    """
    used, places = np.unique(truth, return_inverse=True)
    pairs = regions * len(used) + places.reshape(truth.shape)
    votes = np.bincount(pairs.ravel(), minlength=(int(regions.max()) + 1) * len(used)).reshape(-1, len(used))
    votes[:, used == void_of(truth)] = 0
    names = np.where(votes.any(axis=1), used[votes.argmax(axis=1)], used.dtype.type(0))
    return np.asarray(names[regions])
