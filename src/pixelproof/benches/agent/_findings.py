"""What may be said of answers to questions about images and clips."""

from __future__ import annotations

from pixelproof.stats import Evidence, Finding, Words, describe

_WORDS = Words("the best guess without a look", "an agent that makes no error", "answers {k} of {n} questions right")


def findings(evidence: Evidence) -> list[Finding]:
    """How many questions each model answers, between a guess without a look and all, and which model is better."""
    return describe(evidence, _WORDS if evidence.metric == "accuracy" else Words(_WORDS.floor, _WORDS.ceiling))
