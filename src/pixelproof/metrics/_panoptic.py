"""Panoptic quality (Kirillov et al. 2019), as the reference implementation panopticapi computes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._segments import Ints, Segments
from ._sums import Floats, Numbers, Sums, mean_among, ratio


@dataclass(frozen=True, eq=False)
class PanopticCounts(Sums):
    """Matched and unmatched segments per class; shape (..., classes) each.

    >>> from pixelproof.metrics import connected_segments
    >>> truth = connected_segments(np.array([[0, 0, 0, 1, 1, 0]], np.uint8), whole=(0,))
    >>> painted = connected_segments(np.array([[0, 0, 1, 1, 1, 0]], np.uint8), whole=(0,))
    >>> counts = panoptic_counts(painted, truth, 2)
    >>> counts.tp.tolist(), counts.pq().round(3).tolist()
    ([1, 1], [0.75, 0.667])
    """

    iou: Numbers
    """Sum of the IoU of matched segments."""
    tp: Numbers
    """Matched segments: of the same class, with an IoU above 0.5."""
    fp: Numbers
    """Predicted segments without a match."""
    fn: Numbers
    """Segments of the reference without a match."""

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """Classes with a segment in prediction or reference."""
        return (self.tp + self.fp + self.fn) > 0

    def pq(self) -> Floats:
        """Panoptic quality: segmentation quality × recognition quality."""
        return ratio(self.iou, self._size)

    def sq(self) -> Floats:
        """Segmentation quality: mean IoU of matched segments; 0 for a class without a match."""
        return np.where(self.seen & (self.tp == 0), 0.0, ratio(self.iou, self.tp))

    def rq(self) -> Floats:
        """Recognition quality: the F1 of segments."""
        return ratio(self.tp, self._size)

    @property
    def _size(self) -> Numbers:
        return self.tp + 0.5 * self.fp + 0.5 * self.fn


def panoptic_counts(prediction: Segments, reference: Segments, classes: int) -> PanopticCounts:
    """Match the segments of one image.

    Pixels of no reference segment are void: they count in no union, and a predicted segment that lies mostly in void,
    or in a crowd of its own class, is no false positive.
    """
    parts, wholes, shared = _overlaps(prediction.numbers, reference.numbers)
    predicted, actual = prediction.areas, reference.areas
    in_void = np.zeros(len(predicted), np.int64)
    in_void[parts[wholes == 0]] = shared[wholes == 0]
    same = prediction.labels[parts] == reference.labels[wholes]
    crowded = reference.crowd[wholes] & same & (wholes > 0)
    excused = in_void.copy()
    np.add.at(excused, parts[crowded], shared[crowded])
    kept = same & (parts > 0) & (wholes > 0) & ~reference.crowd[wholes]
    parts, wholes, shared = parts[kept], wholes[kept], shared[kept]
    ious = shared / (predicted[parts] + actual[wholes] - shared - in_void[parts])
    matched = ious > 0.5
    free, missed = np.ones(len(predicted), np.bool_), ~reference.crowd
    free[parts[matched]] = missed[wholes[matched]] = False
    free &= 2 * excused <= predicted
    free[0] = missed[0] = False

    def per_class(labels: Ints, weights: Floats | None = None) -> Numbers:
        return np.bincount(labels, weights=weights, minlength=classes)

    hits = prediction.labels[parts[matched]]
    return PanopticCounts(
        per_class(hits, ious[matched]),
        per_class(hits),
        per_class(prediction.labels[free]),
        per_class(reference.labels[missed]),
    )


def _overlaps(prediction: npt.NDArray[np.int32], reference: npt.NDArray[np.int32]) -> tuple[Ints, Ints, Ints]:
    """Numbers of overlapping segments, predicted and actual, with the pixels they share."""
    code = prediction.reshape(-1).astype(np.int64)
    code <<= 32
    code |= reference.reshape(-1)
    starts = np.flatnonzero(np.diff(code, prepend=-1))  # there are far fewer runs than pixels
    pairs, places = np.unique(code[starts], return_inverse=True)
    lengths = np.diff(starts, append=code.size)
    shared = np.bincount(places.reshape(-1), weights=lengths, minlength=len(pairs)).astype(np.int64)
    return pairs >> 32, pairs & 0xFFFFFFFF, shared


def pooled_pq(sums: npt.ArrayLike) -> Floats:
    """Panoptic quality, mean over classes in prediction or reference; from summed vectors, (..., 4 × classes).

    >>> pooled_pq([1.5, 0, 2, 0, 0, 1, 0, 0]).tolist()
    0.375
    """
    counts = PanopticCounts.from_vector(sums)
    return mean_among(counts.pq(), counts.seen)


def pooled_sq(sums: npt.ArrayLike) -> Floats:
    """Segmentation quality, mean over classes in prediction or reference; from summed vectors.

    >>> pooled_sq([1.5, 0, 2, 0, 0, 1, 0, 0]).tolist()
    0.375
    """
    counts = PanopticCounts.from_vector(sums)
    return mean_among(counts.sq(), counts.seen)


def pooled_rq(sums: npt.ArrayLike) -> Floats:
    """Recognition quality, mean over classes in prediction or reference; from summed vectors.

    >>> pooled_rq([1.5, 0, 2, 0, 0, 1, 0, 0]).tolist()
    0.5
    """
    counts = PanopticCounts.from_vector(sums)
    return mean_among(counts.rq(), counts.seen)


def pq_ratios(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerators and denominators by class, whose mean ratio is `pooled_pq`."""
    counts = PanopticCounts.from_vector(np.asarray(sums, np.float64))
    return counts.iou, counts._size


def rq_ratios(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerators and denominators by class, whose mean ratio is `pooled_rq`."""
    counts = PanopticCounts.from_vector(np.asarray(sums, np.float64))
    return counts.tp, counts._size


def sq_ratios(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerators and denominators by class, whose mean ratio is `pooled_sq`; classes without a match have 0 / size."""
    counts = PanopticCounts.from_vector(np.asarray(sums, np.float64))
    return counts.iou, np.where(counts.tp > 0, counts.tp, counts._size)
