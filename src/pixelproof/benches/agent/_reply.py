"""Reading a reply: the answer (a code, or one or more of the options), an abstention, and the stated confidence."""

from __future__ import annotations

import math
import re

from pixelproof.benches.agent.tasks import Challenge
from pixelproof.contract import Answer

UNKNOWN = "unknown"
"""What a model replies that abstains."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_CONFIDENCE = re.compile(r"<confidence>(.*?)</confidence>", re.DOTALL | re.IGNORECASE)


def with_confidence(text: str, confidence: float) -> str:
    """A reply that states its confidence.

    >>> with_confidence("teal", 0.9)
    '<answer>teal</answer> <confidence>0.9</confidence>'
    """
    return f"<answer>{text}</answer> <confidence>{confidence:.4g}</confidence>"


def read_confidence(answer: Answer) -> float | None:
    """The confidence that a reply states, from 0 to 1; None if it states none, or no such number.

    Only the last reply counts: the answer's text, or in the trace of an episode what the model said last.
    """
    said = [str(part) for entry in answer.trace[-1:] if entry.get("role") == "model" for part in entry.get("parts", ())]
    tags = _CONFIDENCE.findall("\n".join([answer.text, *said]))
    try:
        value = float(tags[-1].strip().removesuffix("%")) / (100 if tags[-1].strip().endswith("%") else 1)
    except (IndexError, ValueError):
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def without_confidence(text: str) -> str:
    """A reply without the confidence that it states.

    >>> without_confidence("teal <confidence>0.9</confidence>")
    'teal'
    """
    return _CONFIDENCE.sub("", text).strip()


def read_reply(text: str, challenge: Challenge) -> str | None:
    """The answer in a reply, in the form of `Challenge.answer`; None if there is none, or more than one.

    A code may stand in a sentence: it is the only word of its length in capitals and digits, or the whole reply without
    spaces. Options count where they stand as words, in the order of the reply. `UNKNOWN` alone is an abstention.
    """
    text = without_confidence(text)
    if [word.lower() for word in _WORD.findall(text)] == [UNKNOWN]:
        return UNKNOWN
    return _read_code(text, challenge.length) if challenge.length else _read_options(text, challenge)


def _read_code(text: str, length: int) -> str | None:
    joined = "".join(_WORD.findall(text)).upper()
    if len(joined) == length:
        return joined
    words = {word for word in _WORD.findall(text) if len(word) == length and word == word.upper()}
    return words.pop() if len(words) == 1 else None


def _read_options(text: str, challenge: Challenge) -> str | None:
    longest_first = sorted(challenge.options, key=len, reverse=True)
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, longest_first)) + r")s?\b", re.IGNORECASE)
    named = [match[1].lower() for match in pattern.finditer(text)]
    if challenge.words > 1:
        return ", ".join(named) if len(named) == challenge.words else None
    return named[0] if len(set(named)) == 1 else None
