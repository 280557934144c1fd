"""The numbers that the bench reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Metric
from pixelproof.metrics import SegmentationCounts, pooled_iou, pooled_miou

Floats = npt.NDArray[np.float64]

_EVERYWHERE = "over classes in answer or reference, nearest colour, as published"
_ROBUST = {
    "f1": "F1, mean over the reference's classes",
    "iou": "IoU, mean over the reference's classes",
    "accuracy": "share of pixels with the right label",
    "precision": "precision, mean over the reference's classes; a class that is never painted has 0",
    "recall": "recall, mean over the reference's classes",
}
_BOUNDARY = {
    "boundary_iou": "IoU of bands along outlines, 2 % of the diagonal wide, mean over the reference's classes",
    "boundary_f": "F of outlines within 0.8 % of the diagonal, mean over the reference's classes",
}
_AUDIT = {
    "off_palette": "share of pixels whose colour is none of the palette's, soft edges among them",
    "stray": "labels that the nearest colour finds although nobody painted them",
    "invented": "labels painted that are not in the reference",
    "drift": "mean distance between the colour asked for and the colour painted, 0 to 441",
    "outlines": "share of the borders between regions along which a line is drawn",
    "texture": "share of the insides of regions that is not flat",
    "copied": "likeness of fine detail to the photograph's, 1 if it is returned",
    "single_colour": "share of pixels of the most common colour",
    "resized": "answers of another size than asked for",
    "filled": "share of pixels that the robust decoder took from their neighbours",
}
_REGISTRATION = {
    "gain": "mean IoU won by the best shift, scale, flip or exchange of left and right",
    "shifted": "answers with the right shapes in the wrong place",
    "scaled": "answers with the right shapes in the wrong size",
    "mirrored": "answers that are mirrored",
    "swapped": "answers that exchange left and right parts",
}


def _of_class(score: str) -> Callable[[Floats], Floats]:
    """A score of one class from its sums (hits, predicted, actual); nan for a class that no reference has."""

    def pool(sums: Floats) -> Floats:
        counts = SegmentationCounts.from_vector(np.asarray(sums, np.float64))
        values: Floats = getattr(counts, score)()[..., 0]
        return np.where(counts.actual[..., 0] > 0, values, np.nan)

    return pool


CLASS_SCORES = {score: _of_class(score) for score in ("iou", "f1", "precision", "recall")}


def _family(name: str, abouts: dict[str, str], **settings: bool | None) -> tuple[Metric, ...]:
    return tuple(Metric(f"{name}.{key}", about, **settings) for key, about in abouts.items())  # type: ignore[arg-type]


METRICS = (
    Metric("robust.miou", "IoU of each class over all pictures, mean over classes in the references", pool=pooled_miou),
    *_family("robust", _ROBUST),
    *_family("robust", _BOUNDARY),
    Metric("pixelarena.f1", f"F1, mean {_EVERYWHERE}"),
    Metric("pixelarena.miou", f"IoU, mean {_EVERYWHERE}"),
    Metric("pixelarena.dice", f"Dice, mean {_EVERYWHERE}: the same number as F1"),
    Metric("referring.ciou", "intersections over unions, both summed over all pictures", pool=pooled_iou),
    Metric("referring.giou", "IoU with the thing that was meant, mean over pictures"),
    Metric("depth.absrel", "relative error of distances, mean over pixels", higher_is_better=False),
    Metric("depth.delta1", "share of pixels whose distance is right within a factor of 1.25"),
    Metric("depth.absrel_things", "relative error of distances, mean over pixels of things", higher_is_better=False),
    Metric("depth.delta1_things", "share of pixels of things whose distance is right within a factor of 1.25"),
    Metric("normals.angle", "angle to the true direction in degrees, mean over pixels", higher_is_better=False),
    Metric("normals.within_11", "share of pixels within 11.25 degrees of the true direction"),
    Metric("normals.angle_things", "angle to the true direction, mean over pixels of things", higher_is_better=False),
    *_family("audit", _AUDIT, calibrated=False, higher_is_better=None),
    *_family("registration", _REGISTRATION, calibrated=False, higher_is_better=None),
)
HEADLINE = ("robust.miou", "robust.f1", "pixelarena.f1", "referring.ciou", "depth.delta1", "normals.angle")
TABLES = {
    "Two protocols (macro over classes)": ("robust", "pixelarena"),
    "Referring masks": ("referring",),
    "Depth": ("depth",),
    "Normals": ("normals",),
    "Decoding audit": ("audit",),
    "Registration": ("registration",),
}
ITEMISED = ("robust.f1", "robust.boundary_f", "pixelarena.f1", "referring.giou", "depth.delta1", "normals.within_11")
