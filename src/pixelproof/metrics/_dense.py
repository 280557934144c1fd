"""Errors of depth maps, normal maps and single masks, as sums that add up over images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

from ._sums import Floats, Numbers, Sums, ratio

Depth = npt.NDArray[np.floating[Any]]
Alignment = Literal["none", "median", "least-squares"]
"""Alignment of predicted depth to the reference's scale: none (metric depth), by the ratio of the medians,
or by the scale and shift with the least squared error (relative depth). Scores of different alignments are different
measurements."""


@dataclass(frozen=True, eq=False)
class DepthErrors(Sums):
    """Sums over pixels with a known depth, shape (..., 1) each.

    >>> errors = depth_errors(np.array([1.0, 3.0]), np.array([1.0, 2.0]))
    >>> errors.abs_rel().item(), errors.rmse().round(4).item(), errors.delta1().item()
    (0.25, 0.7071, 0.5)
    """

    pixels: Numbers
    relative: Numbers
    squared: Numbers
    within1: Numbers
    within2: Numbers
    within3: Numbers

    def abs_rel(self) -> Floats:
        """Mean of |prediction − truth| / truth."""
        return ratio(self.relative, self.pixels)[..., 0]

    def rmse(self) -> Floats:
        """Root mean squared error, in metres."""
        return np.sqrt(ratio(self.squared, self.pixels))[..., 0]

    def delta1(self) -> Floats:
        """Share of pixels within a factor of 1.25."""
        return ratio(self.within1, self.pixels)[..., 0]

    def delta2(self) -> Floats:
        """Share of pixels within a factor of 1.25²."""
        return ratio(self.within2, self.pixels)[..., 0]

    def delta3(self) -> Floats:
        """Share of pixels within a factor of 1.25³."""
        return ratio(self.within3, self.pixels)[..., 0]


def depth_errors(prediction: Depth, reference: Depth, alignment: Alignment = "none") -> DepthErrors:
    """Depth errors where the reference is finite and positive; a pixel without such a prediction counts as depth 0.

    >>> depth_errors(np.array([2.0, 4.0]), np.array([1.0, 2.0]), alignment="median").abs_rel().item()
    0.0
    """
    _same_size(prediction, reference)
    known = np.isfinite(reference) & (reference > 0)
    truth, guess = reference[known].astype(np.float64), prediction[known].astype(np.float64)
    guess = _aligned(np.where(np.isfinite(guess) & (guess > 0), guess, 0.0), truth, alignment)
    error = np.abs(guess - truth)
    with np.errstate(divide="ignore"):
        factor = np.maximum(guess / truth, truth / guess)
    within = [float(np.count_nonzero(factor < 1.25**power)) for power in (1, 2, 3)]
    sums = [float(truth.size), float((error / truth).sum()), float((error**2).sum()), *within]
    return DepthErrors(*(np.array([value]) for value in sums))


def _aligned(guess: Floats, truth: Floats, alignment: Alignment) -> Floats:
    there = guess > 0
    if alignment == "none" or not there.any():
        return guess
    if alignment == "median":
        return guess * (np.median(truth[there]) / np.median(guess[there]))
    if alignment != "least-squares":
        raise PixelProofError(f"Depths are aligned by none, median or least-squares, not {alignment!r}.")
    x, y = guess[there], truth[there]
    spread = float(((x - x.mean()) ** 2).sum())
    scale = float(((x - x.mean()) * (y - y.mean())).sum()) / spread if spread > 0 else 0.0
    fitted = np.maximum(y.mean() + scale * (guess - x.mean()), 0.0)
    return np.where(there, fitted, 0.0)


@dataclass(frozen=True, eq=False)
class NormalErrors(Sums):
    """Sums over pixels with a known normal, shape (..., 1) each.

    >>> up, tilted = np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 1.0, 1.0]])
    >>> errors = normal_errors(tilted, up) + normal_errors(up, up)
    >>> errors.mean_angle().round(3).item(), errors.within11().item()
    (22.5, 0.5)
    """

    pixels: Numbers
    degrees: Numbers
    within_11_25: Numbers
    within_22_5: Numbers
    within_30: Numbers

    def mean_angle(self) -> Floats:
        """Mean angle between both normals, in degrees."""
        return ratio(self.degrees, self.pixels)[..., 0]

    def within11(self) -> Floats:
        """Share of pixels under 11.25°."""
        return ratio(self.within_11_25, self.pixels)[..., 0]

    def within22(self) -> Floats:
        """Share of pixels under 22.5°."""
        return ratio(self.within_22_5, self.pixels)[..., 0]

    def within30(self) -> Floats:
        """Share of pixels under 30°."""
        return ratio(self.within_30, self.pixels)[..., 0]


def normal_errors(prediction: Depth, reference: Depth) -> NormalErrors:
    """Angular errors where the reference is not zero; vectors of any length, shape (..., 3). Zero vectors: 90°."""
    _same_size(prediction, reference)
    known = (reference != 0).any(axis=-1) & np.isfinite(reference).all(axis=-1)
    truth, guess = reference[known].astype(np.float64), prediction[known].astype(np.float64)
    there = (guess != 0).any(axis=-1) & np.isfinite(guess).all(axis=-1)
    angle = np.full(len(truth), 90.0)
    # More accurate for small angles than the arc cosine of the dot product.
    across = np.linalg.norm(np.cross(guess[there], truth[there]), axis=-1)
    angle[there] = np.degrees(np.arctan2(across, (guess[there] * truth[there]).sum(axis=-1)))
    within = [float(np.count_nonzero(angle < limit)) for limit in (11.25, 22.5, 30)]
    return NormalErrors(*(np.array([value]) for value in (float(angle.size), float(angle.sum()), *within)))


@dataclass(frozen=True, eq=False)
class MaskOverlap(Sums):
    """Intersection and union of two masks, shape (..., 1) each. The IoU of sums is cIoU; the mean of IoUs is gIoU.

    >>> half, all_ = np.array([True, False]), np.array([True, True])
    >>> first, second = mask_overlap(half, all_), mask_overlap(all_, all_)
    >>> first.iou().item(), (first + second).iou().item()
    (0.5, 0.75)
    """

    intersection: Numbers
    union: Numbers

    def iou(self) -> Floats:
        """Intersection over union; 1 where both masks are empty."""
        return np.where(self.union == 0, 1.0, ratio(self.intersection, self.union))[..., 0]


def mask_overlap(
    prediction: npt.NDArray[np.bool_], reference: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_] | None = None
) -> MaskOverlap:
    """Overlap of two masks, over the pixels that count."""
    _same_size(prediction, reference)
    p, r = prediction.astype(bool), reference.astype(bool)
    if known is not None:
        _same_size(known, reference)
        p, r = p & known, r & known
    return MaskOverlap(np.array([np.count_nonzero(p & r)]), np.array([np.count_nonzero(p | r)]))


def pooled_iou(sums: npt.ArrayLike) -> Floats:
    """Intersection over union of summed vectors, shape (..., 2) to (...): cIoU.

    >>> pooled_iou([[1, 2], [3, 4]]).tolist()
    [0.5, 0.75]
    """
    return MaskOverlap.from_vector(sums).iou()


def iou_ratios(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The intersection and the union, whose ratio is `pooled_iou`.

    >>> [part.tolist() for part in iou_ratios([[1, 2], [3, 4]])]
    [[[1.0], [3.0]], [[2.0], [4.0]]]
    """
    array = np.asarray(sums, np.float64)
    return array[..., :1], array[..., 1:]


def _same_size(prediction: npt.NDArray[Any], reference: npt.NDArray[Any]) -> None:
    if prediction.shape != reference.shape:
        raise PixelProofError(
            f"The prediction has the shape {prediction.shape} and the reference {reference.shape}: "
            "bring them to one size first."
        )
