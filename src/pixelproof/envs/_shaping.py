"""Shaping: small penalties beside the reward of the task, never mixed into it."""

from __future__ import annotations

from collections.abc import Mapping

from pixelproof.contract import Answer, Fault, Result
from pixelproof.tools.episodes import steps_of

WEIGHT = 0.1
"""Largest penalty of one term: no sum of them outweighs the difference between right and wrong."""
_CALLS, _CHARACTERS = 8, 4000
"""Calls and characters of a reply that cost the whole penalty."""


def shaping_terms(answer: Answer, result: Result, right: float) -> Mapping[str, float]:
    """Terms from -0.1 to 0.

    `format`: the reply is a fault of the model. `refused`: share of calls that the tools refuse. `calls` and `length`:
    for brevity, so they count only as far as the answer is right: else the shortest wrong answer would be the best one.

    Args:
        answer: The answer, with its trace.
        result: Its result.
        right: Exact reward, from 0 to 1.
    """
    steps = steps_of(answer.trace)
    failure = result.failure
    refused = sum(not step.result.ok for step in steps) / max(len(steps), 1)
    brief = min(max(right, 0.0), 1.0)
    shares = {
        "format": float(failure is not None and failure.fault is Fault.MODEL),
        "refused": refused,
        "calls": brief * min(len(steps) / _CALLS, 1.0),
        "length": brief * min(len(answer.text) / _CHARACTERS, 1.0),
    }
    return {name: -WEIGHT * share if share else 0.0 for name, share in shares.items()}
