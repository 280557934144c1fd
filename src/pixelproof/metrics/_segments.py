"""Segments of label maps: connected regions of each label, or the instances of a reference."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels, void_of

from ._sums import Floats, Numbers, Sums, ratio

Ints = npt.NDArray[np.int64]

SIZES = ("small", "medium", "large")
_LIMITS = np.array([32**2, 96**2]) / (640 * 480)
"""Smallest area of a medium and of a large object, as shares of the frame: those of COCO in its usual frame."""


@dataclass(frozen=True)
class Segments:
    """A partition of a picture into segments with one label each."""

    numbers: npt.NDArray[np.int32]
    """Number of the segment at each pixel, from 1; 0 where there is none."""
    labels: Ints
    """Label of each segment by its number; that of number 0 is -1."""
    crowd: npt.NDArray[np.bool_]
    """Whether a segment is a group whose members are not told apart: it need not be matched."""
    things: npt.NDArray[np.bool_]
    """Whether a segment is one object, and not all of a label such as the background."""

    @property
    def areas(self) -> Ints:
        """Pixels of each segment by its number."""
        return np.bincount(self.numbers.ravel(), minlength=len(self.labels))


def connected_segments(labels: Labels, smallest: float = 0.0, whole: Collection[int] = ()) -> Segments:
    """The connected regions of a label map; regions touch along sides or at corners.

    Args:
        labels: Label map; void where there is none.
        smallest: Smaller regions, as a share of the picture, belong to no segment.
        whole: Labels, such as the background, that are one segment each, connected or not.

    >>> connected_segments(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 1]], np.uint8)).numbers.tolist()
    [[1, 1, 2], [3, 1, 1], [1, 3, 3]]
    """
    starts, lengths = _runs(labels)
    values = labels.reshape(-1)[starts].astype(np.int64)
    pieces = _joined(labels, starts, values)
    if whole:
        merged = np.isin(values, list(whole))
        pieces[merged] = pieces.max(initial=-1) + 1 + values[merged]
    return _numbered(
        labels.shape, void_of(labels), lengths, values, pieces, smallest, np.isin(values, list(whole), invert=True)
    )


def instance_segments(labels: Labels, instances: npt.NDArray[Any], smallest: float = 0.0) -> Segments:
    """The segments of a reference that knows its instances.

    Args:
        labels: Label map; void where there is none.
        instances: Number of the object at each pixel, from 1; 0: the pixels of a label are one segment; -1: a crowd.
        smallest: Smaller segments, as a share of the picture, become void.

    >>> found = instance_segments(np.array([[3, 3, 3, 0]], np.uint8), np.array([[1, 1, 2, 0]]))
    >>> found.numbers.tolist(), found.labels.tolist(), found.things.tolist()
    ([[2, 2, 3, 1]], [-1, 0, 3, 3], [False, False, True, True])
    """
    both = labels.astype(np.int64) * (1 << 32) + (instances.astype(np.int64) + 1)
    starts, lengths = _runs(both)
    codes = both.reshape(-1)[starts]
    values, numbers = codes >> 32, (codes & 0xFFFFFFFF) - 1
    pieces = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return _numbered(labels.shape, void_of(labels), lengths, values, pieces, smallest, numbers > 0, numbers < 0)


def _runs(labels: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Start and length of each horizontal run of equal labels, in the order of pixels."""
    change = np.ones(labels.shape, np.bool_)
    np.not_equal(labels[:, 1:], labels[:, :-1], out=change[:, 1:])
    starts = np.flatnonzero(change)
    return starts, np.diff(starts, append=labels.size)


def _joined(labels: Labels, starts: Ints, values: Ints) -> Ints:
    """The connected region of each run. Two runs touch only where one of them starts, so only starts are compared."""
    from scipy import sparse  # takes a while to import

    flat, (height, width) = labels.reshape(-1), labels.shape
    rows, columns = np.divmod(starts, width)
    pairs = []
    for down in (-1, 1):
        for right in (0, -1):
            inside = (rows + down >= 0) & (rows + down < height) & (columns + right >= 0)
            here = np.flatnonzero(inside)
            there = starts[here] + down * width + right
            same = flat[there] == values[here]
            pairs.append((here[same], np.searchsorted(starts, there[same], "right") - 1))
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    graph = sparse.coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(len(starts), len(starts)))
    return np.asarray(sparse.csgraph.connected_components(graph, directed=False)[1], np.int64)


def _numbered(
    shape: tuple[int, ...],
    void: int,
    lengths: Ints,
    values: Ints,
    pieces: Ints,
    smallest: float,
    things: npt.NDArray[np.bool_],
    crowd: npt.NDArray[np.bool_] | None = None,
) -> Segments:
    """Segments of runs, of which those of one piece belong together; pieces too small, or of void, are left out."""
    _, first, pieces = np.unique(pieces, return_index=True, return_inverse=True)
    pieces = pieces.reshape(-1)
    areas = np.bincount(pieces, weights=lengths, minlength=len(first))
    kept = (values[first] != void) & (areas >= smallest * lengths.sum())
    numbers = np.where(kept, np.cumsum(kept), 0)
    chosen = first[kept]
    groups = np.zeros(len(values), np.bool_) if crowd is None else crowd
    return Segments(
        numbers[pieces].astype(np.int32).repeat(lengths).reshape(shape),
        np.concatenate([[-1], values[chosen]]),
        np.concatenate([[False], groups[chosen]]),
        np.concatenate([[False], things[chosen]]),
    )


@dataclass(frozen=True, eq=False)
class SizeRecall(Sums):
    """Recall of objects by size: sums of the objects' recalls, and numbers of objects; small, medium and large."""

    recalls: Numbers
    objects: Numbers


def recall_by_size(prediction: Labels, reference: Segments) -> SizeRecall:
    """Share of each object's pixels with the right label, summed over the small, medium and large objects.

    An object is small below 32², and large from 96² pixels on, in a frame of 640 × 480, as COCO has it; here both are
    shares of the frame. Segments that are not single objects are left out.

    >>> truth = np.zeros((10, 10), np.uint8)
    >>> truth[2:4, 2:4] = 1
    >>> counts = recall_by_size(np.zeros_like(truth), connected_segments(truth))
    >>> counts.recalls.tolist(), counts.objects.tolist()
    ([0.0, 0.0, 1.0], [0, 0, 2])
    """
    numbers = reference.numbers.reshape(-1)
    right = reference.labels[numbers] == prediction.reshape(-1)
    hits = np.bincount(numbers[right], minlength=len(reference.labels))
    areas = reference.areas
    objects = np.flatnonzero(reference.things & ~reference.crowd & (areas > 0))
    sizes = np.searchsorted(_LIMITS, areas[objects] / numbers.size, "right")
    recalls: Floats = hits[objects] / areas[objects]
    return SizeRecall(np.bincount(sizes, weights=recalls, minlength=3), np.bincount(sizes, minlength=3))


def pooled_recall(sums: npt.ArrayLike) -> Floats:
    """Mean recall of the objects of one size, from summed (recalls, objects), shape (..., 2) to (...).

    >>> pooled_recall([[1.5, 3], [0, 0]]).tolist()
    [0.5, nan]
    """
    recalls, objects = recall_ratio(sums)
    return ratio(recalls, objects)[..., 0]


def recall_ratio(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerator and denominator of `pooled_recall`, shape (..., 1) each."""
    counts = np.asarray(sums, np.float64)
    return counts[..., :1], counts[..., 1:]
