"""Counts over the labels of one image as counts over all labels of its source."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Case, FrameSource


def widen(counts: npt.ArrayLike, case: Case, source: FrameSource) -> list[float]:
    """Counts, shape (k, labels of the case), over the whole vocabulary, so that images with different labels add up."""
    rows = np.asarray(counts)
    wide = np.zeros((len(rows), len(source.vocabulary)))
    wide[:, [source.vocabulary.index(label) for label in case.palette.labels]] = rows
    return [float(value) for value in wide.ravel()]
