"""What may be said of images that were drawn from prompts."""

from __future__ import annotations

from pixelproof.stats import Evidence, Finding, Words, describe

_CEILING = "the true image of each prompt"
_JUDGED = Words("the best of a blank image, noise and an image of another prompt", _CEILING)
_LOOKS = Words("the best of a blank image and noise", _CEILING)
"""An image of another prompt may be as good to look at as any."""


def findings(evidence: Evidence) -> list[Finding]:
    """Where each model stands between an image of another prompt and the true one, and which model is better."""
    return describe(evidence, _LOOKS if evidence.metric == "judge.perception" else _JUDGED)
