"""Log probabilities of generated tokens, as providers report them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .http import dig, list_at

MAX_CANDIDATES = 20
"""Most candidates per token that OpenAI and Google accept."""

Logprobs = tuple[Mapping[str, float], ...]


def openai_logprobs(choice: Any) -> Logprobs:
    """The candidates of each token of a chat completion's choice; empty if it has none.

    >>> token = {"token": "a", "logprob": -1.5, "top_logprobs": [{"token": "b", "logprob": -0.5}]}
    >>> openai_logprobs({"logprobs": {"content": [token]}})
    ({'b': -0.5, 'a': -1.5},)
    """
    return tuple(
        _candidates([*list_at(token, "top_logprobs"), token], "logprob")
        for token in list_at(choice, "logprobs", "content")
    )


def gemini_logprobs(candidate: Any) -> Logprobs:
    """The candidates of each token of a generateContent candidate; empty if it has none."""
    chosen = list_at(candidate, "logprobsResult", "chosenCandidates")
    top = list_at(candidate, "logprobsResult", "topCandidates")
    return tuple(
        _candidates([*list_at(top, index, "candidates"), *chosen[index : index + 1]], "logProbability")
        for index in range(max(len(chosen), len(top)))
    )


def _candidates(tokens: Iterable[Any], key: str) -> Mapping[str, float]:
    """Text → log probability; the first of several tokens with the same text, which is the likeliest, counts."""
    candidates: dict[str, float] = {}
    for token in tokens:
        text, value = dig(token, "token"), dig(token, key)
        if isinstance(text, str) and isinstance(value, int | float) and math.isfinite(value):
            candidates.setdefault(text, float(value))
    return candidates
