"""What may be said of edits."""

from __future__ import annotations

from pixelproof.stats import Evidence, Finding, RunNumbers, Words, describe, interval_of

_EDITS = Words("the photograph unchanged", "the exact edit", "carries out {share} of the edits")
_QUESTIONS = Words("the best guess", "the right answers")


def findings(evidence: Evidence) -> list[Finding]:
    """Where each model stands between no edit and the exact one, what its edits damage, and which model is better."""
    if evidence.metric != "ic":
        return describe(evidence, _QUESTIONS)
    damages = (_damage(run) for run in evidence.models[:3])
    return [*describe(evidence, _EDITS), *(damage for damage in damages if damage is not None)]


def _damage(run: RunNumbers) -> Finding | None:
    """That edits which comply change more than they should; None unless both intervals are apart."""
    complied, joint = (interval_of(run.summary["metrics"].get(name)) for name in ("ic", "joint"))
    if not joint.hi < complied.lo:
        return None
    shares = f"{100 * complied.value:.0f} % of the edits comply, {100 * joint.value:.0f} %"
    return Finding(f"{run.name} changes more than it should: {shares} without harm to anything else.")
