"""Counts over the labels of one image as counts over all labels of its source."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Case, FrameSource


def widen(counts: npt.ArrayLike, case: Case, source: FrameSource) -> list[float]:
    """Counts, shape (k, labels of the case), over the whole vocabulary, so that images with different labels add up."""
    rows, vocabulary = np.asarray(counts, np.float64), source.vocabulary
    if case.palette.labels == vocabulary:
        return list(rows.ravel().tolist())
    wide = np.zeros((len(rows), len(vocabulary)))
    wide[:, [vocabulary.index(label) for label in case.palette.labels]] = rows
    return list(wide.ravel().tolist())
