"""HOTA (Luiten et al. 2021): higher order tracking accuracy, as TrackEval computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._sums import Floats, Numbers, Sums

Boxes = Mapping[int, Sequence[float]]
"""Identity → left, top, right, bottom, in one frame."""
ALPHAS = np.arange(0.05, 0.99, 0.05)
"""Thresholds of the IoU that the metric averages over."""
_SLACK = np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class HotaCounts(Sums):
    """Sums for each of the 19 thresholds; they add up over clips, as TrackEval combines sequences."""

    matched: Numbers
    missed: Numbers
    extra: Numbers
    jaccard: Numbers
    """Over matched boxes: Jaccard index of the two identities over the whole clip."""
    iou: Numbers
    """Over matched boxes."""

    def hota(self) -> Floats:
        """Mean over thresholds of the geometric mean of detection and association accuracy."""
        return np.asarray(np.sqrt(self._detection * self._association).mean(axis=-1))

    def detection(self) -> Floats:
        """DetA: share of matched boxes among matched, missed and extra ones; mean over thresholds."""
        return np.asarray(self._detection.mean(axis=-1))

    def association(self) -> Floats:
        """AssA: mean Jaccard index of the identities of matched boxes; mean over thresholds."""
        return np.asarray(self._association.mean(axis=-1))

    def localisation(self) -> Floats:
        """LocA: mean IoU of matched boxes; mean over thresholds, 1 for those without a match."""
        return np.asarray((np.maximum(1e-10, self.iou) / np.maximum(1e-10, self.matched)).mean(axis=-1))

    @property
    def _detection(self) -> Floats:
        return np.asarray(self.matched / np.maximum(1, self.matched + self.missed + self.extra))

    @property
    def _association(self) -> Floats:
        return np.asarray(self.jaccard / np.maximum(1, self.matched))


def hota_counts(tracked: Sequence[Boxes], truth: Sequence[Boxes]) -> HotaCounts:
    """Compare the tracks of one clip with the truth.

    Args:
        tracked: For each frame, the boxes of a tracker by identity.
        truth: For each frame, the true boxes by identity.

    >>> truth = [{1: (0, 0, 10, 10)}, {1: (5, 0, 15, 10)}]
    >>> float(hota_counts(truth, truth).hota())
    1.0
    >>> swapped = [{1: (0, 0, 10, 10)}, {2: (5, 0, 15, 10)}]
    >>> counts = hota_counts(swapped, truth)
    >>> round(float(counts.hota()), 4), float(counts.detection()), float(counts.association())
    (0.7071, 1.0, 0.5)

    Raises:
        ValueError: The numbers of frames differ.
    """
    from scipy.optimize import linear_sum_assignment  # takes a while to import

    true_ids, true_frames = _numbered(truth)
    own_ids, own_frames = _numbered(tracked)
    overlaps = [
        box_ious([own[id] for id in own], [true[id] for id in true]).T for own, true in zip(tracked, truth, strict=True)
    ]
    frames = list(zip(true_frames, own_frames, overlaps, strict=True))
    alignment = _alignment(frames, len(true_ids), len(own_ids))
    true_count, own_count = _appearances(true_frames, len(true_ids)), _appearances(own_frames, len(own_ids))
    pairs = np.zeros((len(ALPHAS), len(true_ids), len(own_ids)))
    missed, extra, iou = np.zeros((3, len(ALPHAS)))
    for true, own, overlap in frames:
        rows, columns = linear_sum_assignment(-alignment[np.ix_(true, own)] * overlap)
        values = overlap[rows, columns]
        for place, alpha in enumerate(ALPHAS):
            hit = values >= alpha - _SLACK
            pairs[place, true[rows[hit]], own[columns[hit]]] += 1
            iou[place] += values[hit].sum()
            missed[place] += len(true) - hit.sum()
            extra[place] += len(own) - hit.sum()
    jaccard = pairs / np.maximum(1, true_count[:, None] + own_count[None] - pairs)
    return HotaCounts(pairs.sum(axis=(1, 2)), missed, extra, (pairs * jaccard).sum(axis=(1, 2)), iou)


Frame = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]


def _alignment(frames: Sequence[Frame], true_count: int, own_count: int) -> Floats:
    """How well each pair of identities goes together over the whole clip: a soft Jaccard index."""
    shared, true_seen, own_seen = np.zeros((true_count, own_count)), np.zeros(true_count), np.zeros(own_count)
    for true, own, overlap in frames:
        whole = overlap.sum(axis=0)[None] + overlap.sum(axis=1)[:, None] - overlap
        share = np.divide(overlap, whole, out=np.zeros_like(overlap), where=whole > _SLACK)
        shared[np.ix_(true, own)] += share
        true_seen[true] += 1
        own_seen[own] += 1
    whole = true_seen[:, None] + own_seen[None] - shared
    return np.asarray(np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0))


def _numbered(frames: Sequence[Boxes]) -> tuple[dict[int, int], list[npt.NDArray[np.int64]]]:
    """Numbers of all identities, and for each frame the numbers of those in it."""
    ids = {id: number for number, id in enumerate(sorted({id for frame in frames for id in frame}))}
    return ids, [np.array([ids[id] for id in frame], np.int64) for frame in frames]


def _appearances(frames: Sequence[npt.NDArray[np.int64]], count: int) -> npt.NDArray[np.int64]:
    return np.bincount(np.concatenate([*frames, np.zeros(0, np.int64)]), minlength=count)


def box_ious(own: Sequence[Sequence[float]], true: Sequence[Sequence[float]]) -> Floats:
    """IoU of each box of one list with each of another, shape (own, true)."""
    a, b = (np.array(boxes, np.float64).reshape(-1, 4) for boxes in (own, true))
    sides = np.minimum(a[:, None, 2:], b[None, :, 2:]) - np.maximum(a[:, None, :2], b[None, :, :2])
    both = np.clip(sides, 0, None).prod(axis=2)
    areas = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(axis=1) for boxes in (a, b)]
    whole = areas[0][:, None] + areas[1][None] - both
    return np.asarray(np.divide(both, whole, out=np.zeros_like(both), where=whole > 0))
