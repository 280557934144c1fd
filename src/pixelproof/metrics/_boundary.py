"""Contour metrics: boundary IoU (Cheng et al. 2021) and boundary F-measure (Perazzi et al. 2016).

Both are defined for one mask at a time. Here the pictures of all classes are treated at once, or 64 pixels at a time,
with the same numbers. Where the reference is void, both maps are: what is painted there changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels, kernels, void_of

from ._bits import Bits, Mask, count, from_left, from_right, pack, unpack
from ._confusion import check_labels, label_counts
from ._segmentation import SegmentationCounts
from ._sums import Floats, Numbers, Sums, mean_among, ratio


def boundary_counts(
    prediction: Labels, reference: Labels, classes: int, distance: int | None = None
) -> SegmentationCounts:
    """Segmentation counts of the pixels within `distance` of their region's contour: their `iou()` is the boundary IoU.

    The edge of the picture is a contour, too, and distances are counted as a king moves.

    Args:
        prediction: Label map.
        reference: Label map of the same size.
        classes: How many classes there are.
        distance: In pixels; 2 % of the diagonal if it is not given.

    >>> square = np.zeros((40, 40), np.uint8)
    >>> square[10:30, 10:30] = 1
    >>> boundary_counts(np.roll(square, 1, axis=0), square, 2, distance=2).iou().round(3).tolist()
    [0.832, 0.6]
    """
    prediction, reference = _without_void(prediction, reference, classes)
    if distance is None:
        distance = max(1, round(0.02 * math.hypot(*reference.shape)))
    near_prediction, near_reference = (_near_contours(labels, distance) for labels in (prediction, reference))
    return SegmentationCounts(*label_counts(near_prediction, near_reference, classes))


@dataclass(frozen=True, eq=False)
class ContourCounts(Sums):
    """Contour pixels per class: predicted ones, those of them near the reference's contour, and vice versa.

    >>> square = np.zeros((40, 40), np.uint8)
    >>> square[10:30, 10:30] = 1
    >>> counts = contour_counts(np.roll(square, 2, axis=0), square, 2, radius=1)
    >>> counts.precision().round(3).tolist(), counts.f1().round(3).tolist(), float(boundary_f(counts).round(3))
    ([0.525, 0.525], [0.525, 0.525], 0.525)
    """

    hits: Numbers
    predicted: Numbers
    found: Numbers
    actual: Numbers

    def precision(self) -> Floats:
        """Share of predicted contour pixels near the reference's; 1 where a class of the reference is not predicted."""
        return np.where((self.predicted == 0) & (self.actual > 0), 1.0, ratio(self.hits, self.predicted))

    def recall(self) -> Floats:
        """Share of the reference's contour pixels near predicted ones; 1 where the class is not in the reference."""
        return np.where((self.actual == 0) & (self.predicted > 0), 1.0, ratio(self.found, self.actual))

    def f1(self) -> Floats:
        """Harmonic mean of precision and recall; nan for a class without contours in either."""
        precision, recall = self.precision(), self.recall()
        return np.where(precision + recall == 0, 0.0, ratio(2 * precision * recall, precision + recall))


def boundary_f(counts: ContourCounts) -> Floats:
    """Mean F over the classes that have a contour in the reference; nan if there is none."""
    return mean_among(counts.f1(), counts.actual > 0)


def pooled_boundary_f(sums: npt.ArrayLike) -> Floats:
    """Boundary F from summed count vectors, shape (..., 4 × classes) to (...).

    >>> pooled_boundary_f([[3, 4, 3, 6], [0, 4, 0, 0]]).tolist()
    [0.6, nan]
    """
    return boundary_f(ContourCounts.from_vector(sums))


def contour_counts(prediction: Labels, reference: Labels, classes: int, radius: int | None = None) -> ContourCounts:
    """Count the contour pixels of each class that lie within `radius` of the other map's contour of that class.

    A pixel is on the contour of a class if the class is at some, but not at all, of the pixel itself, its right
    neighbour, the one below and the one below right. The edge of the picture is no contour.

    Args:
        prediction: Label map.
        reference: Label map of the same size.
        classes: How many classes there are.
        radius: In pixels; 0.8 % of the diagonal, rounded up, if it is not given.
    """
    prediction, reference = _without_void(prediction, reference, classes)
    if radius is None:
        radius = math.ceil(0.008 * math.hypot(*reference.shape))
    if (loops := kernels("pixelproof.metrics._boundary_kernel")) is not None:
        return ContourCounts(*loops.count_contours(prediction, reference, classes, radius))
    # The border is replicated.
    maps = [np.pad(labels, (0, 1), mode="edge") for labels in (prediction, reference)]
    _, painted, there = label_counts(prediction, reference, classes)
    counts = np.zeros((4, classes), np.int64)
    for label in np.flatnonzero(painted + there).tolist():
        predicted, actual = (_contour(labels == label, radius) for labels in maps)
        box = _box(predicted | actual, radius)
        predicted, actual = predicted[box], actual[box]
        counts[:, label] = (
            count(predicted & _dilated(actual, radius)),
            count(predicted),
            count(actual & _dilated(predicted, radius)),
            count(actual),
        )
    return ContourCounts(*counts)


def _without_void(prediction: Labels, reference: Labels, classes: int) -> tuple[Labels, Labels]:
    check_labels(prediction, reference, classes)
    void = reference == void_of(reference)
    return (np.where(void, reference, prediction) if void.any() else prediction), reference


def _near_contours(labels: Labels, distance: int) -> Labels:
    """Labels of the pixels whose surrounding square has other labels too; void for the others."""
    height, width = labels.shape
    side = 2 * distance
    near = labels.copy()
    if height > side and width > side:
        # A square has one label if and only if no two neighbours in it differ.
        change = _any_within(pack(labels[:, 1:] != labels[:, :-1], margin=1), side + 1, side)
        change |= _any_within(pack(labels[1:] != labels[:-1]), side, side + 1)
        inside = near[distance : height - distance, distance : width - distance]
        inside[~unpack(change, width - side)] = void_of(labels)
    return near


def _any_within(bits: Bits, height: int, width: int) -> Bits:
    """Whether any bit is set in the rectangle whose upper left corner is the pixel, where the rectangle fits."""
    reached = 1
    while reached < width:
        step = min(reached, width - reached)
        bits = bits | from_right(bits, step)
        reached += step
    reached = 1
    while reached < height:
        step = min(reached, height - reached)
        bits = bits[:-step] | bits[step:]
        reached += step
    return bits


def _contour(mask: Mask, margin: int) -> Bits:
    bits = pack(mask, margin)
    down = bits[1:]
    right = from_right(bits)
    some = bits[:-1] | down | right[:-1] | right[1:]
    every = bits[:-1] & down & right[:-1] & right[1:]
    # The last column serves only as a neighbour; beyond it are bits of the next row.
    return some & ~every & pack(np.ones((1, mask.shape[1] - 1), bool), margin + 1)


def _box(bits: Bits, margin: int) -> tuple[slice, slice]:
    """The rows and words with set bits, with words for the margin."""
    rows, words = (np.flatnonzero(bits.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return slice(0), slice(0)
    return slice(rows[0], rows[-1] + 1), slice(words[0], words[-1] + 1 - (-margin // 64))


def _dilated(bits: Bits, radius: int) -> Bits:
    """Dilation by a disc. Rows end in at least `radius` zero bits, so that no row reaches the next."""
    spread, reached = bits, 0
    near = np.zeros_like(bits)
    for dy in range(radius, -1, -1):
        while (reached + 1) ** 2 + dy**2 <= radius**2:
            spread = spread | from_left(spread) | from_right(spread)
            reached += 1
        if dy < len(bits):
            near[dy:] |= spread[: len(bits) - dy]
            near[: len(bits) - dy] |= spread[dy:]
    return near
