"""What may be said of drawings."""

from __future__ import annotations

from pixelproof.stats import Evidence, Finding, RunNumbers, Words, clopper_pearson, describe, ranking, right_answers
from pixelproof.stats import standing as generic_standing

_WORDS = {
    "exact.solved": Words("the best stored drawing", "the reference drawings", "solves {k} of {n} drawings"),
    "composed.solved": Words("the best stored drawing", "the reference drawings", "solves {k} of {n} compositions"),
    "recognised": Words("the best stored drawing", "the reference drawings", "draws {k} of {n} recognisable subjects"),
}
_NEARLY = 0.1
"""A model solves nearly none, or nearly all, if the 95 % interval of the share ends within this distance."""


def findings(evidence: Evidence) -> list[Finding]:
    """Format and content of the drawings of each model, and which model is better."""
    words = _WORDS.get(evidence.metric, Words())
    if evidence.metric != "exact.solved" or not 0 < len(evidence.models) <= 3:
        return describe(evidence, words)
    said = [_format_and_content(run) or generic_standing(run, evidence.metric, words) for run in evidence.models]
    return [*sorted(said, key=lambda finding: not finding.certain), *ranking(evidence)]


def _format_and_content(run: RunNumbers) -> Finding | None:
    """How many replies pass the format tests, and that nearly none, or nearly all, of the drawings are right.

    None if the share of solved drawings is in between or uncertain, or if no reply could be read.
    """
    solved, passed = right_answers(run, "exact.solved"), right_answers(run, "strict.renders")
    if solved is None or passed is None or not passed[0] or run.faulty:
        return None
    share = clopper_pearson(*solved)
    if share.hi > _NEARLY and share.lo < 1 - _NEARLY:
        return None
    form = "every format test" if passed[0] == passed[1] else f"the format tests in {passed[0]} of {passed[1]} replies"
    whole = run.summary["metrics"]["exact.solved"].get("ceiling") == 1
    reference = "; the reference drawings solve all" if whole and share.lo < 1 - _NEARLY else ""
    return Finding(f"{run.name} passes {form} and solves {solved[0]} of {solved[1]} drawings{reference}.")
