"""What may be said of painted masks, depth, normals, contours and points."""

from __future__ import annotations

from pixelproof.stats import Evidence, Finding, Words, describe

_FLOOR = "the best answer without a look"
_WORDS = {
    "robust": Words(_FLOOR, "perfect masks", "overlaps the true masks by {share}"),
    "pixelarena": Words(_FLOOR, "perfect masks"),
    "referring": Words(_FLOOR, "perfect masks"),
    "depth": Words(_FLOOR, "perfect depth"),
    "normals": Words(_FLOOR, "perfect normals"),
    "edges": Words(_FLOOR, "perfect contours"),
    "keypoints": Words(_FLOOR, "perfect points"),
}
"""Family of a metric → words."""


def findings(evidence: Evidence) -> list[Finding]:
    """Where each model stands between an answer without a look and a perfect one, and which model is better."""
    return describe(evidence, _WORDS.get(evidence.metric.partition(".")[0], Words(_FLOOR)))
