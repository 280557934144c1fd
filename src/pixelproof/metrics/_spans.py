"""Overlap of spans of time."""

from __future__ import annotations


def span_iou(span: tuple[float, float], reference: tuple[float, float]) -> float:
    """Intersection over union of two spans, each from a start to an end, which is exclusive for numbers of frames.

    >>> span_iou((0, 4), (2, 6))
    0.3333333333333333
    >>> span_iou((0, 2), (2, 4)), span_iou((3, 3), (3, 3))
    (0.0, 0.0)
    """
    shared = max(0.0, min(span[1], reference[1]) - max(span[0], reference[0]))
    union = max(0.0, span[1] - span[0]) + max(0.0, reference[1] - reference[0]) - shared
    return shared / union if union > 0 else 0.0
