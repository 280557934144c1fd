"""Keypoints: correct within a share of the object's size (PCK), and object keypoint similarity (OKS, as in COCO)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._sums import Floats, Numbers, Sums, ratio

NEAR = 0.2
"""Distance within which a point is correct, as a share of the object's size."""
FALLOFF = 0.1
"""OKS falls to exp(−1/2) at this share of the object's size; 2σ in the terms of COCO."""
SMALLEST = 0.025
"""Objects smaller than this share of the diagonal are scored as if they were of this size."""


@dataclass(frozen=True)
class Keypoint:
    """A point to be marked, in pixels: x to the right, y down, the centre of the first pixel at 0."""

    label: int
    x: float
    y: float
    size: float
    """Square root of the area of the object's bounding box."""


@dataclass(frozen=True, eq=False)
class KeypointCounts(Sums):
    """Labels with the point in its place, painted labels, labels of the reference, shape (..., 1); and summed OKS."""

    correct: Numbers
    painted: Numbers
    actual: Numbers
    similarity: Numbers

    def f1(self) -> Floats:
        """Harmonic mean of the share of painted labels that are correct and of that of the reference's labels."""
        return ratio(2 * self.correct, self.painted + self.actual)[..., 0]

    def pck(self) -> Floats:
        """Share of the reference's labels whose point is correct."""
        return ratio(self.correct, self.actual)[..., 0]

    def oks(self) -> Floats:
        """Mean similarity over the reference's labels; 0 for those without a point."""
        return ratio(self.similarity, self.actual)[..., 0]


def keypoint_counts(
    points: Mapping[int, tuple[float, float] | None], truth: tuple[Keypoint, ...], shape: tuple[int, int]
) -> KeypointCounts:
    """Compare the points of an answer with the truth, which has at most one per label.

    Args:
        points: Label → x and y, for each painted label; None if the label is painted without a clear point.
        truth: The points to be marked.
        shape: Height and width of the image.

    >>> truth = (Keypoint(1, 50, 50, 40), Keypoint(2, 10, 10, 40))
    >>> counts = keypoint_counts({1: (54.0, 50.0), 3: (0.0, 0.0)}, truth, (100, 100))
    >>> counts.f1().item(), counts.pck().item(), counts.oks().round(3).item()
    (0.5, 0.5, 0.303)
    """
    correct, similarity = 0, 0.0
    for keypoint in truth:
        point = points.get(keypoint.label)
        if point is not None:
            size = max(keypoint.size, SMALLEST * math.hypot(*shape))
            share = math.dist(point, (keypoint.x, keypoint.y)) / size
            correct += share <= NEAR
            similarity += math.exp(-0.5 * (share / FALLOFF) ** 2)
    values = (correct, len(points), len(truth), similarity)
    return KeypointCounts(*(np.array([float(value)]) for value in values))


def keypoint_tolerance(keypoint: Keypoint, shape: tuple[int, int]) -> float:
    """Distance in pixels within which a point is correct."""
    return NEAR * max(keypoint.size, SMALLEST * math.hypot(*shape))


def pooled_keypoint_f1(sums: npt.ArrayLike) -> Floats:
    """F1 of all images together, from summed count vectors, shape (..., 4) to (...).

    >>> pooled_keypoint_f1([1, 2, 2, 0.6]).item()
    0.5
    """
    return KeypointCounts.from_vector(np.asarray(sums, np.float64)).f1()


def keypoint_f1_ratio(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerator and denominator of `pooled_keypoint_f1`."""
    counts = KeypointCounts.from_vector(np.asarray(sums, np.float64))
    return 2 * counts.correct, counts.painted + counts.actual
