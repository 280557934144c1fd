"""The metrics of the bench."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Metric
from pixelproof.metrics import (
    PanopticCounts,
    SegmentationCounts,
    iou_ratios,
    keypoint_f1_ratio,
    line_f1_ratio,
    miou_ratios,
    pooled_iou,
    pooled_keypoint_f1,
    pooled_line_f1,
    pooled_miou,
    pooled_pq,
    pooled_recall,
    pooled_rq,
    pooled_sq,
    pq_ratios,
    recall_ratio,
    rq_ratios,
    sq_ratios,
)

Floats = npt.NDArray[np.float64]

_SHARE = (0.0, 1.0)
_EVERYWHERE = "over classes in answer or reference, nearest colour, as published"
_CHARGED = "mean over the reference's classes, invented ones charged like lost ones"
_ROBUST = {
    "f1": f"F1, {_CHARGED}",
    "iou": f"IoU, {_CHARGED}",
    "accuracy": "share of pixels with the correct label",
    "precision": f"precision, {_CHARGED}; 0 for a class that is never predicted",
    "recall": "recall, mean over the reference's classes",
    "boundary_iou": f"boundary IoU, bands of 2 % of the diagonal, {_CHARGED}",
    "boundary_f": "boundary F-score within 0.8 % of the diagonal, mean over the reference's classes",
}
_PANOPTIC = {
    "pq": ("panoptic quality: IoU of matched segments, missed and invented ones counted", pooled_pq, pq_ratios),
    "sq": ("segmentation quality: IoU of matched segments, 0 for a class without any", pooled_sq, sq_ratios),
    "rq": ("recognition quality: F1 of segments", pooled_rq, rq_ratios),
}
_SIZES = {
    "small": "less than 0.33 %",
    "medium": "0.33 to 3 %",
    "large": "at least 3 %",
}
_AUDIT_SHARES = {
    "off_palette": "share of pixels whose colour is not in the palette, anti-aliased edges included",
    "outlines": "share of the borders between regions along which a line is drawn",
    "texture": "share of the interior of regions that is not flat",
    "copied": "correlation of fine detail with the photograph's; 1 if the photograph is returned",
    "single_colour": "share of pixels of the most frequent colour",
    "resized": "share of answers of another size than requested",
    "filled": "share of pixels that the robust decoder filled from their neighbours",
}
_AUDIT_COUNTS = {
    "stray": "labels that the nearest colour finds only in blended edges",
    "invented": "labels painted that are not in the reference",
}
_VERDICTS = {
    "shifted": "share of answers with the right shapes in the wrong place",
    "scaled": "share of answers with the right shapes in the wrong size",
    "mirrored": "share of mirrored answers",
    "swapped": "share of answers with left and right labels swapped",
}


def _of_class(score: str) -> Callable[[Floats], Floats]:
    """Pool of one class from its sums (hits, predicted, actual); nan for a class that no reference has."""

    def pool(sums: Floats) -> Floats:
        counts = SegmentationCounts.from_vector(np.asarray(sums, np.float64))
        values: Floats = getattr(counts, score)()[..., 0]
        return np.where(counts.actual[..., 0] > 0, values, np.nan)

    return pool


CLASS_SCORES = {score: _of_class(score) for score in ("iou", "f1", "precision", "recall")}


def _class_ratios(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Hits, predicted and actual pixels of one class; all 0 where no reference has it."""
    counts = SegmentationCounts.from_vector(np.asarray(sums, np.float64))
    there = counts.actual > 0
    hits, predicted, actual = (np.where(there, part, 0.0) for part in (counts.hits, counts.predicted, counts.actual))
    return hits, predicted, actual


def _iou_ratio(sums: Floats) -> tuple[Floats, Floats]:
    hits, predicted, actual = _class_ratios(sums)
    return hits, predicted + actual - hits


def _f1_ratio(sums: Floats) -> tuple[Floats, Floats]:
    hits, predicted, actual = _class_ratios(sums)
    return 2 * hits, predicted + actual


def _recall_ratio(sums: Floats) -> tuple[Floats, Floats]:
    hits, _, actual = _class_ratios(sums)
    return hits, actual


CLASS_RATIOS = {"iou": _iou_ratio, "f1": _f1_ratio, "recall": _recall_ratio}
"""The ratios behind the class scores; precision, 0 for a class that is never painted, is not always one."""


def panoptic_of_class(sums: Floats) -> Floats:
    """Panoptic quality of one class from its sums (IoU, matched, invented, missed)."""
    return PanopticCounts.from_vector(np.asarray(sums, np.float64)).pq()[..., 0]


def _score(name: str, about: str) -> Metric:
    return Metric(name, about, range=_SHARE)


def _error(name: str, about: str, limits: tuple[float, float] | None) -> Metric:
    return Metric(name, about, higher_is_better=False, range=limits)


def _described(name: str, about: str, limits: tuple[float, float] | None) -> Metric:
    return Metric(name, about, calibrated=False, higher_is_better=None, range=limits)


METRICS = (
    Metric(
        "robust.miou",
        "IoU of each class over all images, mean over classes in the references, charged for invented",
        pool=pooled_miou,
        range=_SHARE,
        ratios=miou_ratios,
    ),
    *(_score(f"robust.{name}", about) for name, about in _ROBUST.items()),
    Metric(
        "robust.invented",
        "share of pixels painted as labels that were offered and that the reference lacks",
        calibrated=False,
        higher_is_better=False,
        range=_SHARE,
    ),
    *(
        Metric(f"panoptic.{name}", f"{about}; mean over classes, all images", pool=pool, range=_SHARE, ratios=ratios)
        for name, (about, pool, ratios) in _PANOPTIC.items()
    ),
    *(
        Metric(
            f"recall.{size}",
            f"share of an object's pixels with the correct label, mean over objects of {area} of the frame",
            pool=pooled_recall,
            range=_SHARE,
            ratios=recall_ratio,
        )
        for size, area in _SIZES.items()
    ),
    _score("pixelarena.f1", f"F1, mean {_EVERYWHERE}"),
    _score("pixelarena.miou", f"IoU, mean {_EVERYWHERE}"),
    _score("pixelarena.dice", f"Dice, mean {_EVERYWHERE}: the same number as F1"),
    Metric(
        "referring.ciou",
        "intersections over unions, both summed over all images",
        pool=pooled_iou,
        range=_SHARE,
        ratios=iou_ratios,
    ),
    _score("referring.giou", "IoU with the target, mean over images"),
    _error("depth.absrel", "relative error of depth, mean over pixels", None),
    _score("depth.delta1", "share of pixels whose depth is right within a factor of 1.25"),
    _error("depth.absrel_things", "relative error of depth, mean over pixels of objects", None),
    _score("depth.delta1_things", "share of pixels of objects whose depth is right within a factor of 1.25"),
    _error("normals.angle", "angular error of normals in degrees, mean over pixels", (0.0, 180.0)),
    _score("normals.within_11", "share of pixels with an angular error below 11.25 degrees"),
    _error("normals.angle_things", "angular error of normals in degrees, mean over pixels of objects", (0.0, 180.0)),
    _score("edges.f1", "F-measure of contours, one-to-one within 0.75 % of the diagonal, mean over images"),
    _score("edges.precision", "share of painted contour pixels with a partner in the reference"),
    _score("edges.recall", "share of the reference's contour pixels with a painted partner"),
    Metric(
        "edges.f1_pooled",
        "F-measure of contours, pixels of all images together",
        pool=pooled_line_f1,
        range=_SHARE,
        ratios=line_f1_ratio,
    ),
    _score("keypoints.f1", "F1 of points within 20 % of the object's size, absent labels included, mean over images"),
    _score("keypoints.pck", "share of objects whose point is within 20 % of the object's size"),
    _score("keypoints.oks", "object keypoint similarity, mean over objects; 0 for objects without a point"),
    Metric(
        "keypoints.f1_pooled",
        "F1 of points, labels of all images together",
        pool=pooled_keypoint_f1,
        range=_SHARE,
        ratios=keypoint_f1_ratio,
    ),
    _described("keypoints.invented", "share of absent labels for which a disc is painted", _SHARE),
    *(_described(f"audit.{name}", about, _SHARE) for name, about in _AUDIT_SHARES.items()),
    *(_described(f"audit.{name}", about, None) for name, about in _AUDIT_COUNTS.items()),
    _described("audit.drift", "mean distance in sRGB between requested and painted colour, 0 to 441", (0.0, 442.0)),
    _described("registration.gain", "mean IoU gained by the best shift, scale, mirroring or swap", (-1.0, 1.0)),
    *(_described(f"registration.{name}", about, _SHARE) for name, about in _VERDICTS.items()),
)
HEADLINE = (
    "robust.miou",
    "robust.f1",
    "pixelarena.f1",
    "referring.ciou",
    "depth.delta1",
    "normals.angle",
    "edges.f1",
    "keypoints.f1",
)
TABLES = {
    "Two protocols (macro over classes)": ("robust", "pixelarena"),
    "Objects": ("panoptic", "recall"),
    "Referring masks": ("referring",),
    "Depth": ("depth",),
    "Normals": ("normals",),
    "Contours": ("edges",),
    "Keypoints": ("keypoints",),
    "Decoding audit": ("audit",),
    "Registration": ("registration",),
}
ITEMISED = (
    "robust.f1",
    "robust.boundary_f",
    "pixelarena.f1",
    "referring.giou",
    "depth.delta1",
    "normals.within_11",
    "edges.f1",
    "keypoints.f1",
)
