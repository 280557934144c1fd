"""Scores of label maps, from counts that add up over images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels

from ._confusion import ConfusionCells, confusion, confusion_cells
from ._sums import Floats, Numbers, Sums, mean_among, ratio

REGION = 5e-4
"""Share of all pixels at which an invented label counts as half a class, and as nearly a whole one soon above."""


@dataclass(frozen=True, eq=False)
class SegmentationCounts(Sums):
    """Pixels per class: correct, predicted, and in the reference; shape (..., classes) each.

    Counts of pictures with the same classes are added by `+`. Scores per class are nan where nothing defines them.

    >>> reference, prediction = np.array([0, 0, 1, 1], np.uint8), np.array([0, 0, 1, 2], np.uint8)
    >>> counts = SegmentationCounts.of(prediction, reference, 3)
    >>> counts.iou().tolist(), (counts + counts).hits.tolist()
    ([1.0, 0.5, 0.0], [4, 2, 0])
    """

    hits: Numbers
    predicted: Numbers
    actual: Numbers

    @classmethod
    def of(cls, prediction: Labels, reference: Labels, classes: int) -> SegmentationCounts:
        """The counts of one image."""
        if reference.dtype == np.uint8:
            return cls.from_confusion(confusion(prediction, reference, classes))
        return cls.from_cells(confusion_cells(prediction, reference, classes), classes)

    @classmethod
    def from_cells(cls, cells: ConfusionCells, classes: int) -> SegmentationCounts:
        """The counts of the cells of a confusion matrix."""
        right, known = cells.rows == cells.columns, cells.columns < classes
        pairs = ((cells.rows, right), (cells.columns, known), (cells.rows, known | True))
        sums = (np.bincount(at[which], cells.pixels[which], classes).astype(np.int64) for at, which in pairs)
        return cls(*sums)

    @classmethod
    def from_confusion(cls, matrix: npt.NDArray[np.int64]) -> SegmentationCounts:
        """The counts of a confusion matrix."""
        classes = len(matrix)
        return cls(matrix.diagonal().copy(), matrix[:, :classes].sum(axis=0), matrix.sum(axis=1))

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """Classes with a pixel in the prediction or in the reference."""
        return (self.predicted > 0) | (self.actual > 0)

    def f1(self) -> Floats:
        """Harmonic mean of precision and recall; equal to Dice."""
        return ratio(2 * self.hits, self.predicted + self.actual)

    def iou(self) -> Floats:
        """Intersection over union."""
        return ratio(self.hits, self.predicted + self.actual - self.hits)

    def precision(self) -> Floats:
        """Correct pixels among the predicted ones; 0 for a class of the reference that is never predicted."""
        return np.where((self.predicted == 0) & (self.actual > 0), 0.0, ratio(self.hits, self.predicted))

    def recall(self) -> Floats:
        """Correct pixels among those of the reference."""
        return ratio(self.hits, self.actual)

    def accuracy(self) -> Floats:
        """Correct pixels among all pixels that count."""
        return ratio(self.hits.sum(axis=-1), self.actual.sum(axis=-1))

    def invented(self) -> Floats:
        """Pixels predicted as classes that the reference lacks, as a share of all pixels that count."""
        return ratio(np.where(self.actual > 0, 0, self.predicted).sum(axis=-1), self.actual.sum(axis=-1))

    def charge(self) -> Floats:
        """What invented labels add to the number of classes of the reference, as a share of these.

        A label that the reference lacks counts as a class with the score 0, as a lost one does, once it is painted as
        a region: for A of N pixels, its weight is A² / (A² + (N / 2000)²), so that stray pixels are no region. An area
        larger than the average of the reference's classes counts as so many classes.

        >>> reference = np.zeros((100, 100), np.uint8)
        >>> prediction = reference.copy()
        >>> prediction[:20, :20] = 1
        >>> float(SegmentationCounts.of(prediction, reference, 2).charge().round(3))
        1.0
        """
        pixels = np.broadcast_to(self.actual.sum(axis=-1, keepdims=True), self.actual.shape)
        areas = ratio(np.where(self.actual > 0, 0, self.predicted), pixels)
        classes = np.maximum((self.actual > 0).sum(axis=-1, keepdims=True), 1)
        return np.asarray(np.maximum(areas**2 / (areas**2 + REGION**2) / classes, areas).sum(axis=-1))

    def macro(self, scores: Floats) -> Floats:
        """Mean of class scores, in which invented labels count as classes with the score 0; nan where all is void.

        >>> reference, prediction = np.array([0, 0, 1, 1], np.uint8), np.array([0, 0, 1, 2], np.uint8)
        >>> counts = SegmentationCounts.of(prediction, reference, 3)
        >>> float(counts.charge().round(3)), float(counts.macro(counts.iou()).round(3))
        (0.5, 0.5)
        """
        return mean_among(scores, self.actual > 0) / (1 + self.charge())


def pixelarena(counts: SegmentationCounts) -> dict[str, float]:
    """PixelArena's protocol: means over every class in prediction or reference, so that one stray pixel counts.

    >>> reference, prediction = np.array([0, 0, 1, 1], np.uint8), np.array([0, 0, 1, 2], np.uint8)
    >>> {name: round(value, 4) for name, value in pixelarena(SegmentationCounts.of(prediction, reference, 3)).items()}
    {'f1': 0.5556, 'miou': 0.5, 'dice': 0.5556}
    """
    f1 = float(mean_among(counts.f1(), counts.seen))
    return {"f1": f1, "miou": float(mean_among(counts.iou(), counts.seen)), "dice": f1}


def robust(counts: SegmentationCounts) -> dict[str, float]:
    """The robust protocol: means over the classes of the reference, and shares of pixels; nan where all is void.

    F1, mIoU and precision are charged for predicted classes that the reference lacks (see `charge`).

    >>> reference, prediction = np.array([0, 0, 1, 1], np.uint8), np.array([0, 0, 1, 2], np.uint8)
    >>> {name: round(value, 4) for name, value in robust(SegmentationCounts.of(prediction, reference, 3)).items()}
    {'f1': 0.5556, 'miou': 0.5, 'precision': 0.6667, 'recall': 0.75, 'accuracy': 0.75, 'invented': 0.25}
    """
    scores = np.stack([counts.f1(), counts.iou(), counts.precision(), counts.recall()])
    # As `macro` of each of the first three: what they share is computed once, because this is done for every image.
    f1, miou, precision, recall = mean_among(scores, np.broadcast_to(counts.actual > 0, scores.shape)).tolist()
    charge = 1 + float(counts.charge())
    return {
        "f1": f1 / charge,
        "miou": miou / charge,
        "precision": precision / charge,
        "recall": recall,
        "accuracy": float(counts.accuracy()),
        "invented": float(counts.invented()),
    }


def pooled_miou(sums: npt.ArrayLike) -> Floats:
    """Mean IoU over the classes of the reference, charged for invented ones; from summed vectors, (..., 3 × classes).

    >>> pooled_miou([[2, 1, 0, 2, 1, 1, 2, 2, 0], [0, 0, 0, 9, 0, 0, 0, 0, 0]]).round(4).tolist()
    [0.5, nan]
    """
    counts = SegmentationCounts.from_vector(sums)
    return counts.macro(counts.iou())


def miou_ratios(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Intersections, and unions × (1 + charge), whose mean ratio is `pooled_miou`; 0 without a reference.

    >>> [part.round(3).tolist() for part in miou_ratios([2, 1, 0, 2, 1, 1, 2, 2, 0])]
    [[2.0, 1.0, 0.0], [3.0, 3.0, 0.0]]
    """
    counts = SegmentationCounts.from_vector(np.asarray(sums, np.float64))
    there = counts.actual > 0
    unions = (counts.predicted + counts.actual - counts.hits) * (1 + np.nan_to_num(counts.charge()))[..., None]
    return np.where(there, counts.hits, 0.0), np.where(there, unions, 0.0)


def pooled_f1(sums: npt.ArrayLike) -> Floats:
    """Mean F1 over the classes of the reference, charged for invented ones; from summed count vectors.

    >>> pooled_f1([2, 1, 0, 2, 1, 1, 2, 2, 0]).round(4).tolist()
    0.5556
    """
    counts = SegmentationCounts.from_vector(sums)
    return counts.macro(counts.f1())


def pooled_accuracy(sums: npt.ArrayLike) -> Floats:
    """Pixel accuracy from summed count vectors.

    >>> pooled_accuracy([2, 1, 0, 2, 1, 1, 2, 2, 0]).tolist()
    0.75
    """
    return SegmentationCounts.from_vector(sums).accuracy()
