"""GSI-Bench's scores as its released code computes them, from 3-D boxes of a detector before and after an edit.

They are here to be compared with ours, and to show what they measure: with perfect detections, a perfect move of 31 cm
scores 0, a move in the opposite direction passes, and an untouched image gets up to 0.92 of a scaling.

A box is (x, y, z, width, height, length, yaw) in metres and radians in the camera's frame: x right, y down, z forward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
EPSILON = 1e-5
SAME_BOX = 0.1
"""Boxes whose squared difference over the seven numbers is below this are one box, for moves and for the source box."""
SAME_TURNED_BOX = 0.001
"""The same for rotations and scalings."""
SAME_BOX_2D = 100.0
"""The same for 2-D boxes, in square pixels of a frame of 896 pixels."""
LEAST_SHIFT_2D = 0.2
"""A candidate's 2-D box must shift by more than this share of the expected shift."""


@dataclass(frozen=True)
class Detection:
    """One detected object."""

    box: tuple[float, ...]
    """(x, y, z, width, height, length, yaw)."""
    rotation: Vector | None = None
    """Rotation matrix; None where the detector gives none."""
    box_2d: tuple[float, float, float, float] | None = None
    """Left, top, right, bottom in pixels of a frame whose long side is 896."""

    @property
    def centre(self) -> Vector:
        """Centre of the 3-D box."""
        return np.array(self.box[:3])

    @property
    def size(self) -> Vector:
        """Width, height and length."""
        return np.array(self.box[3:6])


@dataclass(frozen=True)
class PublishedScore:
    """Instruction compliance and spatial accuracy, each from 0 to 1."""

    ic: float
    sa: float


ZERO = PublishedScore(0.0, 0.0)


def squared_difference(a: Sequence[float], b: Sequence[float]) -> float:
    """Sum of squared differences of two boxes, metres and radians added alike."""
    return float(np.sum((np.asarray(a) - np.asarray(b)) ** 2))


def source_detection(detections: Sequence[Detection], original: Sequence[float]) -> Detection | None:
    """The first detection in the image before that is the annotated box; None scores 0."""
    return next((d for d in detections if squared_difference(d.box, original) < SAME_BOX), None)


def moved_candidate(
    before: Sequence[Detection],
    after: Sequence[Detection],
    target: Sequence[float],
    tolerance: float,
    expected_shift_2d: float = 0.0,
) -> Detection | None:
    """The detection after the edit that is none of those before, and nearest to the target.

    Args:
        before: Detections in the image before.
        after: Detections in the edited image.
        target: The box that the edit asks for.
        tolerance: Below this squared difference two 3-D boxes are the same.
        expected_shift_2d: Shift of the 2-D box that the edit implies, in pixels; boxes that shift less do not count.
    """
    new = [d for d in after if not any(_same(d, b, tolerance) for b in before)]
    new = [d for d in new if all(_shift_2d(d, b) > LEAST_SHIFT_2D * expected_shift_2d for b in before[:1])]
    return min(new, key=lambda d: float(np.linalg.norm(d.centre - np.asarray(target[:3]))), default=None)


def _same(a: Detection, b: Detection, tolerance: float) -> bool:
    if squared_difference(a.box, b.box) < tolerance:
        return True
    return a.box_2d is not None and b.box_2d is not None and squared_difference(a.box_2d, b.box_2d) < SAME_BOX_2D


def _shift_2d(a: Detection, b: Detection) -> float:
    """Shift between the 2-D boxes; infinite where one is not known."""
    if a.box_2d is None or b.box_2d is None:
        return math.inf
    return math.sqrt(squared_difference(a.box_2d, b.box_2d))


def box_iou(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union of two boxes that are turned about the vertical axis alone.

    >>> round(box_iou((0, 0, 0, 1, 1, 1, 0), (0.5, 0, 0, 1, 1, 1, 0)), 3)
    0.333
    """
    top, bottom = max(a[1] - a[4] / 2, b[1] - b[4] / 2), min(a[1] + a[4] / 2, b[1] + b[4] / 2)
    overlap = _polygon_area(_clip(_footprint(a), _footprint(b))) * max(0.0, bottom - top)
    union = a[3] * a[4] * a[5] + b[3] * b[4] * b[5] - overlap
    return overlap / union if union > 0 else 0.0


def _footprint(box: Sequence[float]) -> Vector:
    """Corners in the horizontal plane (x, z), anticlockwise."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (box[3] / 2, box[5] / 2)
    cos, sin = math.cos(box[6]), math.sin(box[6])
    corners: Vector = half @ np.array([[cos, sin], [-sin, cos]]) + np.array([box[0], box[2]])
    return corners


def _clip(subject: Vector, window: Vector) -> Vector:
    """Intersection of two convex polygons (Sutherland and Hodgman)."""
    for start, end in zip(window, np.roll(window, -1, axis=0), strict=True):
        normal = np.array([start[1] - end[1], end[0] - start[0]])
        distances = (subject - start) @ normal
        points = []
        for i in range(len(subject)):
            j = (i + 1) % len(subject)
            if distances[i] >= 0:
                points.append(subject[i])
            if (distances[i] > 0 > distances[j]) or (distances[i] < 0 < distances[j]):
                points.append(subject[i] + (subject[j] - subject[i]) * distances[i] / (distances[i] - distances[j]))
        if not points:
            return np.zeros((0, 2))
        subject = np.array(points)
    return subject


def _polygon_area(points: Vector) -> float:
    if len(points) < 3:
        return 0.0
    x, y = points.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def score_move(
    before: Sequence[Detection],
    after: Sequence[Detection],
    original: Sequence[float],
    target: Sequence[float],
    expected_shift_2d: float = 0.0,
) -> PublishedScore:
    """σ = 0.3 IoU + 0.7 exp(−ln² √r) with r the ratio of the distances moved and asked for; IC is σ > 0.05.

    The direction of the move does not count.
    """
    source = source_detection(before, original)
    candidate = moved_candidate(before, after, target, SAME_BOX, expected_shift_2d)
    if source is None or candidate is None:
        return ZERO
    asked = float(np.linalg.norm(np.subtract(target[:3], original[:3])))
    ratio = float(np.linalg.norm(candidate.centre - source.centre)) / (asked + EPSILON)
    sa = 0.3 * box_iou(target, candidate.box) + 0.7 * math.exp(-(math.log(math.sqrt(ratio) + EPSILON) ** 2))
    if len(after) != len(before):
        sa /= 2
    return PublishedScore(float(sa > 0.05), sa)


def score_rotation(
    before: Sequence[Detection],
    after: Sequence[Detection],
    original: Sequence[float],
    target: Sequence[float],
    rotation: Vector,
    target_rotation: Vector,
) -> PublishedScore:
    """Half for the ratio of angles, whatever the sense, half for the angle that is left.

    Only a box that differs from all boxes before is a candidate.
    """
    source = source_detection(before, original)
    candidate = moved_candidate(before, after, target, SAME_TURNED_BOX)
    if source is None or candidate is None or candidate.rotation is None:
        return ZERO
    if float(np.linalg.norm(candidate.centre - np.asarray(target[:3]))) > 0.5:
        return ZERO
    done, asked = _angle(rotation, candidate.rotation), _angle(rotation, target_rotation)
    ratio = done / (asked + EPSILON)
    sa = math.exp(-(math.log(ratio + EPSILON) ** 2)) / 2 + math.exp(-_angle(target_rotation, candidate.rotation)) / 2
    return PublishedScore(float(np.sum((candidate.rotation - rotation) ** 2) >= 1e-4), sa)


def _angle(a: Vector, b: Vector) -> float:
    """Angle between two rotations, in radians."""
    return math.acos(float(np.clip((np.trace(a.T @ b) - 1) / 2, -1, 1)))


def score_removal(before: Sequence[Detection], after: Sequence[Detection], original: Sequence[float]) -> PublishedScore:
    """1 where the target is gone, 0.3 less per further object that is missing; objects that were added cost nothing."""
    source = source_detection(before, original)
    if source is None:
        return ZERO
    there = any(box_iou(d.box, original) > 0.1 or _same(d, source, 0.0) for d in after)
    sa = 0.0 if there else float(np.clip(1 - 0.3 * (len(before) - len(after) - 1), 0, 1))
    return PublishedScore(float(sa >= 0.5), sa)


def score_scaling(
    before: Sequence[Detection], after: Sequence[Detection], original: Sequence[float], target: Sequence[float]
) -> PublishedScore:
    """exp(−mean ln²) of the sizes done over those asked for; without a candidate, an untouched object is assumed."""
    source = source_detection(before, original)
    if source is None:
        return ZERO
    candidate = moved_candidate(before, after, target, SAME_TURNED_BOX)
    size = np.asarray(original[3:6], dtype=np.float64)
    done = np.ones(3) if candidate is None else candidate.size / (size + EPSILON)
    asked = np.asarray(target[3:6]) / (size + EPSILON)
    sa = math.exp(-float(np.mean(np.log(done / (asked + EPSILON) + EPSILON) ** 2)))
    return PublishedScore(float(np.linalg.norm(done - 1) > 0.2), sa)


def aggregate(ic: float, sa: float, el: float, ac: float | None) -> tuple[float, float, float, float]:
    """IC, SA, EL and AC of an item from 0 to 100, as the released aggregation counts them.

    EL and AC are 0 where IC is 0; all four are 0 where IC is above 0 and AC is 0 or missing; SA is kept where IC is 0.
    """
    if ic > 0:
        return (100 * ic, 100 * sa, 100 * el, 100 * ac) if ac else (0.0, 0.0, 0.0, 0.0)
    return 0.0, 100 * sa, 0.0, 0.0
