"""Uses of every compiled loop, by which they are compiled ahead of time; see `pixelproof.pixels._background`."""

from __future__ import annotations

import numpy as np

from ._boundary import boundary_counts, contour_counts
from ._confusion import confusions


def rehearse() -> None:
    """Compare small label maps: with few labels and with more than a byte holds, contiguous and not."""
    for kind in (np.uint8, np.uint16):
        labels = np.zeros((24, 24), kind)
        labels[6:18, 6:18] = 1
        for one, other in ((labels, labels), (labels[:, 1:], labels[:, :-1])):
            contour_counts(one, other, 2)
            boundary_counts(one, other, 2)
            if kind == np.uint8:
                confusions(one, other, labels[:, : one.shape[1]], 2)
