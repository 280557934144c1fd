"""The scores that a judge's replies stand for.

A reply that is neither a level, nor yes or no, nor an abstention is not counted as anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pixelproof.contract import Answer, read_statement, without_thinking

from ._prompts import CANNOT_TELL, LEVELS

_ENOUGH = 0.5
"""Probability of all level words together from which a token counts as the one that names the level."""
_UNDECIDED = re.compile(
    r"\b(?:can ?not|can't|unable to|(?:im|not )possible to) (?:be )?(?:tell|say|determined?|judged?|answer(?:ed)?)\b"
)
_LEVEL = "|".join(LEVELS)
_GAP = r"[^\w.!?;:\n]+"
"""What separates two words of one clause."""
_QUALIFIED = re.compile(
    rf"(?:\b(?:not|neither|nor|hardly|barely|never|almost|nearly|far from|anything but)|n't){_GAP}(?:\w+{_GAP}){{0,2}}"
    rf"(?:{_LEVEL})\b|\b(?:no|than|below|above){_GAP}(?:{_LEVEL})\b"
)
"""A level word that is not the level: not good, far from excellent, less than fair."""
_FIRST = re.compile(r"\W*(yes|no)\b(?!\s*(?:and|or|/)\s*(?:yes|no)\b)")


def quote_reply(reply: Answer) -> str:
    """The beginning of a reply in quotes, for messages."""
    return repr(_final_text(reply)[:80]) + (" (cut off at the token limit)" if reply.stop == "length" else "")


def _final_text(reply: Answer) -> str:
    """The reply in lower case, without thinking, and with plain apostrophes."""
    return read_statement(reply.text.lower()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def read_level(reply: Answer) -> float | str | None:
    """The score of a reply: expected over the level words if it has log probabilities, else that of its word.

    >>> read_level(Answer("Good.")), read_level(Answer("I cannot tell.")), read_level(Answer("good or fair"))
    (0.75, 'cannot tell', None)
    >>> read_level(Answer("good", logprobs=({"good": math.log(0.6), "fair": math.log(0.2), "the": math.log(0.2)},)))
    0.6875
    """
    text = _final_text(reply)
    words = set(re.findall(rf"\b(?:{_LEVEL})\b", text))
    if len(words) != 1 or _QUALIFIED.search(text):
        return CANNOT_TELL if not words and _UNDECIDED.search(text) else None
    word = words.pop()
    # Tokens of reasoning cannot be told from those of the answer.
    expected = None if without_thinking(reply.text)[0] != reply.text else expected_level(reply.logprobs, word)
    return LEVELS[word] if expected is None else expected


def expected_level(logprobs: Sequence[Mapping[str, float]], word: str) -> float | None:
    """Expected score over the level words at the token that names the level; None if no token does.

    Args:
        logprobs: Candidates of each token with their log probabilities.
        word: The level that the reply names. The token is the first that is more likely a level word than not, and
            has this one among its candidates.
    """
    for candidates in logprobs:
        masses = dict.fromkeys(LEVELS, 0.0)
        for token, logprob in candidates.items():
            start = token.strip(" \n\t*_\"'▁Ġ").lower()
            level = next((level for level in LEVELS if start and level.startswith(start)), None)
            if level is not None and math.isfinite(logprob):
                masses[level] += math.exp(min(0.0, logprob))
        total = sum(masses.values())
        if total >= _ENOUGH and masses[word] > 0:
            return round(sum(LEVELS[level] * mass for level, mass in masses.items()) / total, 9)
    return None


def read_yes_no(reply: Answer) -> float | str | None:
    """1 for yes, 0 for no, `cannot tell`, or None for a reply that is none of these.

    A reply that begins with yes or no is read by that; another one only if it has just one of them.

    >>> read_yes_no(Answer("Yes, there is no doubt.")), read_yes_no(Answer("**No**")), read_yes_no(Answer("yes and no"))
    (1.0, 0.0, None)
    """
    text = _final_text(reply)
    first = _FIRST.match(text)
    if first is None and _UNDECIDED.search(text):
        return CANNOT_TELL
    words = {first[1]} if first else set(re.findall(r"\b(?:yes|no)\b", text))
    if len(words) != 1:
        return None
    return 1.0 if "yes" in words else 0.0
