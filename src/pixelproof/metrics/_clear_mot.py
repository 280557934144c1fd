"""CLEAR MOT (Bernardin and Stiefelhagen 2008): misses, false positives and identity switches of a tracker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._hota import Boxes, box_ious
from ._sums import Floats, Numbers, Sums

_KEEP = 1000.0
"""Bonus of a pair of identities that was matched in the frame before: it is kept as long as its boxes overlap."""


@dataclass(frozen=True, eq=False)
class MotCounts(Sums):
    """Counts of one clip, shape (1,) each; they add up over clips."""

    true: Numbers
    """True boxes."""
    matched: Numbers
    extra: Numbers
    """Boxes of the tracker without a true one."""
    switches: Numbers
    """True objects that are matched to another identity than the last time."""
    iou: Numbers
    """Over matched boxes."""

    def mota(self) -> Floats:
        """1 − (missed + extra + switches) / true boxes; at most 1, and below 0 for many errors."""
        errors = self.true - self.matched + self.extra + self.switches
        return np.asarray((1 - errors / np.maximum(1, self.true))[..., 0])

    def motp(self) -> Floats:
        """Mean IoU of matched boxes; 0 without any."""
        return np.asarray((self.iou / np.maximum(1, self.matched))[..., 0])


def mot_counts(tracked: Sequence[Boxes], truth: Sequence[Boxes], threshold: float = 0.5) -> MotCounts:
    """Compare the tracks of one clip with the truth, frame by frame.

    Args:
        tracked: For each frame, the boxes of a tracker by identity.
        truth: For each frame, the true boxes by identity.
        threshold: IoU from which two boxes match.

    >>> truth = [{1: (0, 0, 10, 10)}, {1: (5, 0, 15, 10)}]
    >>> float(mot_counts(truth, truth).mota())
    1.0
    >>> float(mot_counts([{1: (0, 0, 10, 10)}, {2: (5, 0, 15, 10)}], truth).mota())
    0.5

    Raises:
        ValueError: The numbers of frames differ.
    """
    from scipy.optimize import linear_sum_assignment  # takes a while to import

    before: dict[int, int] = {}
    last: dict[int, int] = {}
    true = matched = extra = switches = 0
    iou = 0.0
    for own, actual in zip(tracked, truth, strict=True):
        own_ids, true_ids = list(own), list(actual)
        overlaps = box_ious([actual[id] for id in true_ids], [own[id] for id in own_ids])
        kept = np.array([[before.get(id) == other for other in own_ids] for id in true_ids], float)
        allowed = overlaps >= threshold - np.finfo(float).eps
        rows, columns = linear_sum_assignment(-(np.where(allowed, overlaps + _KEEP * kept.reshape(overlaps.shape), 0)))
        pairs = [(row, column) for row, column in zip(rows, columns, strict=True) if allowed[row, column]]
        before = {true_ids[row]: own_ids[column] for row, column in pairs}
        switches += sum(last.get(id, other) != other for id, other in before.items())
        last |= before
        iou += sum(float(overlaps[pair]) for pair in pairs)
        true, matched, extra = true + len(true_ids), matched + len(pairs), extra + len(own_ids) - len(pairs)
    return MotCounts(*(np.array([value]) for value in (true, matched, extra, switches, iou)))
