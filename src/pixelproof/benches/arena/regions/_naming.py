"""From regions to labels: by somebody who knows the truth, or by somebody who knows no names."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Labels
from pixelproof.pixels import VOID

Regions = npt.NDArray[np.intp]


def named_by_truth(regions: Regions, truth: Labels) -> Labels:
    """Every region gets the label that most of its pixels have; where all is void, the first label.

    >>> regions = np.array([[0, 0, 0, 1, 1]])
    >>> named_by_truth(regions, np.array([[3, 3, 5, VOID, 7]], np.uint8)).tolist()
    [[3, 3, 3, 7, 7]]
    """
    pairs = regions * 256 + truth
    votes = np.bincount(pairs.ravel(), minlength=(int(regions.max()) + 1) * 256).reshape(-1, 256)
    names = votes[:, :VOID].argmax(axis=1).astype(np.uint8)
    return np.asarray(names[regions])


def named_by_border(regions: Regions, labels: int, rng: np.random.Generator) -> Labels:
    """Names by somebody who sees no more than regions.

    What touches the border of the picture most is the first label, the background of most palettes; the others get
    the other labels by chance, each once while there are enough of them.

    Args:
        regions: As many as there are labels, or another number.
        labels: How many labels there are.
        rng: The chance.

    >>> ring = np.array([[4, 4, 4], [4, 2, 4], [4, 4, 4]])
    >>> named_by_border(ring, 2, np.random.default_rng(0)).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    """
    border = np.concatenate([regions[0], regions[-1], regions[1:-1, 0], regions[1:-1, -1]])
    count = int(regions.max()) + 1
    others = np.arange(count) != np.bincount(border, minlength=count).argmax()
    names = np.zeros(count, np.uint8)
    if labels > 1:
        deck = np.concatenate([rng.permutation(np.arange(1, labels)) for _ in range(count // (labels - 1) + 1)])
        names[others] = deck[: count - 1]
    return names[regions]
