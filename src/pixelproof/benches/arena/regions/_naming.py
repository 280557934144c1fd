"""From regions to labels, by majority of the truth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Labels
from pixelproof.pixels import VOID

Regions = npt.NDArray[np.intp]


def label_by_truth(regions: Regions, truth: Labels) -> Labels:
    """Give every region the most frequent label of the truth in it; label 0 where all of it is void.

    >>> regions = np.array([[0, 0, 0, 1, 1]])
    >>> label_by_truth(regions, np.array([[3, 3, 5, VOID, 7]], np.uint8)).tolist()
    [[3, 3, 3, 7, 7]]
    """
    pairs = regions * 256 + truth
    votes = np.bincount(pairs.ravel(), minlength=(int(regions.max()) + 1) * 256).reshape(-1, 256)
    names = votes[:, :VOID].argmax(axis=1).astype(np.uint8)
    return np.asarray(names[regions])
