"""Objects of a mask: panoptic quality, and recall by size."""

from __future__ import annotations

import numpy as np

from pixelproof import metrics
from pixelproof.benches.arena._case import Case, Frame, FrameSource, Labels

from ._vocabulary import widen

_SMALLEST = 1e-4
"""Regions below this share of the frame are no segments: a stray speck is not an object …"""
_FEWEST_PIXELS = 9
"""… nor are regions of fewer pixels, which matters below 300 × 300: the decoder takes 3 × 3 pixels for paint."""


def measure_objects(
    labels: Labels, counted: Labels, case: Case, frame: Frame, source: FrameSource
) -> dict[str, float | list[float]]:
    """Panoptic counts over the source's vocabulary, and recall of small, medium and large objects.

    An answer has labels and no instances, so its segments are connected regions. Those of the reference are its
    instances where the source knows them, and connected regions elsewhere. Stuff is one segment per label in both.

    Args:
        labels: The decoded answer; VOID where it has no label.
        counted: The truth; VOID where pixels do not count.
        case: The labels offered.
        frame: The instances, if they are known.
        source: The vocabulary, and which labels are stuff.
    """
    smallest = max(_SMALLEST, (_FEWEST_PIXELS - 0.5) / labels.size)  # areas are whole, so nothing depends on rounding
    whole = [place for place, label in enumerate(case.palette.labels) if label in source.stuff]
    if frame.instances is None:
        reference = metrics.connected_segments(counted, smallest, whole)
    else:
        reference = metrics.instance_segments(counted, frame.instances, smallest)
    painted = metrics.connected_segments(labels, smallest, whole)
    counts = metrics.panoptic_counts(painted, reference, len(case.palette))
    state = widen(np.stack([counts.iou, counts.tp, counts.fp, counts.fn]), case, source)
    numbers: dict[str, float | list[float]] = {f"panoptic.{name}": state for name in ("pq", "sq", "rq")}
    sizes = metrics.recall_by_size(labels, reference)
    for name, recalls, objects in zip(metrics.SIZES, sizes.recalls, sizes.objects, strict=True):
        if objects:
            numbers[f"recall.{name}"] = [float(recalls), float(objects)]
    return numbers
