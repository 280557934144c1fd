"""Tasks whose answers are drawn: contours as lines, keypoints as discs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof import metrics
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Labels, Pixels
from pixelproof.contract import Artefact
from pixelproof.pixels import DECODERS, error_map, nearest, render_labels, thumbnail

from ._submission import Measurement, Submission

DISC = 0.01
"""Radius of a disc in the perfect answer, as a share of the image's diagonal."""
SPECK = 0.25
"""Components smaller than this share of the largest of their colour are not counted as discs."""
SMALLEST_DISC = 9
"""Smallest number of pixels of a disc."""
_THINNEST = 2.0
"""Smallest radius of a disc in the perfect answer, in pixels."""


@dataclass(frozen=True)
class Edges:
    """Paint the contours of objects as lines; of the two labels the second is the line."""

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """Lines three pixels wide."""
        return case.palette.paint((_contours(frame) == metrics.LINE).astype(np.uint8))

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """F-measure of the thinned lines, one-to-one within a tolerance."""
        contours, image = _contours(frame), submission.image
        # Of two colours the nearest is the threshold halfway between them.
        painted = (nearest(image.rgb, case.palette) if image.labels is None else image.labels) == 1
        counts, lines = metrics.match_lines(painted, contours)
        numbers: dict[str, float | list[float]] = {"audit.resized": float(bool(image.resized))}
        drawn = lines.astype(np.uint8)
        if not counts.actual.any():
            return Measurement(numbers, {"edges": "the reference has no contours"}, drawn)
        numbers |= {
            "edges.f1_pooled": [float(value) for value in counts.to_vector()],
            "edges.f1": float(counts.f1()),
            "edges.precision": float(counts.precision()),
            "edges.recall": float(counts.recall()),
        }
        notes = {}
        if painted.mean() > 0.5:
            notes["edges"] = "more than half of the image is painted as line: lines are white on black, not reversed"
        return Measurement(numbers, notes, drawn)

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph and the truth; grey lines may be painted or not."""
        photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
        return {**photo, "truth": render_labels(_contours(frame), case.palette)}

    def evidence(
        self, submission: Submission, measurement: Measurement, case: Case, frame: Frame
    ) -> dict[str, Artefact]:
        """The thinned lines of the answer, and where they and the reference's have no counterpart nearby."""
        assert measurement.labels is not None, "lines are found by measure"
        contours, lines = _contours(frame), measurement.labels == 1
        # Lines of the reference are three pixels wide here: up to 2 pixels from their thinned ones.
        reach = metrics.LINE_TOLERANCE * math.hypot(*lines.shape) + 2
        actual = contours == metrics.LINE
        thick = ndimage.binary_dilation(lines)
        # Lines of the reference with a line of the answer nearby, and lines of the answer without one of the reference.
        answer = (actual & _near(lines, reach)) | (thick & ~_near(actual, reach))
        return {
            "decoded": render_labels(thick.astype(np.uint8), case.palette),
            "errors": error_map(answer.astype(np.uint8), actual.astype(np.uint8), case.palette),
        }


@dataclass(frozen=True)
class Keypoints:
    """Mark the centre of each named object by a disc in the colour of its label."""

    decoder: str = "robust"

    def perfect(self, case: Case, frame: Frame) -> Pixels:
        """A disc around each point, smaller where two would touch."""
        points = [(point.label, point.x, point.y) for point in frame.keypoints]
        return case.palette.paint(discs(points, frame.shape))

    def measure(self, submission: Submission, case: Case, frame: Frame, source: FrameSource) -> Measurement:
        """Correct points, by label."""
        image = submission.image
        labels = image.labels
        if labels is None:
            labels = DECODERS[self.decoder].decode(image.rgb, case.palette).labels
        points = find_discs(labels, len(case.palette))
        counts = metrics.keypoint_counts(points, frame.keypoints, frame.shape)
        absent = len(case.palette) - 1 - len(frame.keypoints)
        invented = len(points.keys() - {point.label for point in frame.keypoints})
        numbers: dict[str, float | list[float]] = {
            "keypoints.f1_pooled": [float(value) for value in counts.to_vector()],
            "keypoints.f1": float(counts.f1()),
            "keypoints.pck": float(counts.pck()),
            "keypoints.oks": float(counts.oks()),
            "audit.resized": float(bool(image.resized)),
        }
        if absent:
            numbers["keypoints.invented"] = invented / absent
        notes = {}
        if unclear := [case.palette.labels[label] for label, point in points.items() if point is None]:
            notes["keypoints"] = f"several discs of one colour, which count as wrong: {', '.join(unclear)}"
        return Measurement(numbers, notes, labels)

    def given(self, case: Case, frame: Frame) -> dict[str, Artefact]:
        """The photograph, and the discs of the truth on it."""
        photo = {} if frame.photo is None else {"photo": thumbnail(frame.photo)}
        return {**photo, "truth": thumbnail(_on_photo(self.perfect(case, frame), case, frame))}

    def evidence(
        self, submission: Submission, measurement: Measurement, case: Case, frame: Frame
    ) -> dict[str, Artefact]:
        """The discs of the answer on the photograph, with a white ring around each place that counts as correct."""
        labels = measurement.labels
        assert labels is not None, "labels are decoded by measure"
        shown = _on_photo(case.palette.paint(labels, case.palette.colours[0]), case, frame)
        y, x = np.mgrid[: frame.shape[0], : frame.shape[1]]
        for point in frame.keypoints:
            away = np.hypot(x - point.x, y - point.y) - metrics.keypoint_tolerance(point, frame.shape)
            shown[np.abs(away) < 1] = 255
        return {"decoded": render_labels(labels, case.palette), "overlay": thumbnail(shown)}


def discs(points: list[tuple[int, float, float]], shape: tuple[int, int]) -> Labels:
    """A label map with a disc around each point (label, x, y) on label 0, smaller where two would touch.

    >>> discs([(1, 2.0, 1.0)], (3, 6)).tolist()
    [[0, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 0, 0]]
    """
    labels = np.zeros(shape, np.uint8)
    y, x = np.mgrid[: shape[0], : shape[1]]
    largest = max(_THINNEST, DISC * math.hypot(*shape))
    for place, (label, px, py) in enumerate(points):
        others = [math.dist((px, py), other[1:]) for k, other in enumerate(points) if k != place]
        radius = min(largest, max(_THINNEST, min(others, default=math.inf) / 2 - 1))
        labels[(x - px) ** 2 + (y - py) ** 2 <= radius**2] = label
    return labels


def find_discs(labels: Labels, classes: int) -> dict[int, tuple[float, float] | None]:
    """The centre (x, y) of the disc of each label from 1; None where a label has several.

    A component smaller than 9 pixels, or than a quarter of the largest of its label, is not counted.

    >>> find_discs(np.kron([[1, 0, 2], [0, 0, 0], [2, 0, 0]], np.ones((3, 3))).astype(np.uint8), 3)
    {1: (1.0, 1.0), 2: None}
    """
    found: dict[int, tuple[float, float] | None] = {}
    for label in range(1, classes):
        mask = labels == label
        if not mask.any():
            continue
        pieces, _ = ndimage.label(mask, np.ones((3, 3)))
        areas = np.bincount(pieces.ravel())[1:]
        kept = np.flatnonzero(areas >= max(SMALLEST_DISC, SPECK * areas.max())) + 1
        if len(kept) == 1:
            rows, columns = np.nonzero(pieces == kept[0])
            found[label] = (float(columns.mean()), float(rows.mean()))
        elif len(kept):
            found[label] = None
    return found


def _contours(frame: Frame) -> Labels:
    assert frame.contours is not None, "sources of edges have contours"
    return frame.contours


def _near(lines: npt.NDArray[np.bool_], reach: float) -> npt.NDArray[np.bool_]:
    """Pixels within reach of a line."""
    if not lines.any():
        return lines
    return np.asarray(ndimage.distance_transform_edt(~lines)) <= reach


def _on_photo(painted: Pixels, case: Case, frame: Frame) -> Pixels:
    """Painted discs over a dimmed photograph."""
    if frame.photo is None:
        return painted
    ground = (painted == case.palette.array[0]).all(axis=2)
    return np.where(ground[..., None], frame.photo // 2, painted)
