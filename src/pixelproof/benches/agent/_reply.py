"""Reading the answer in a reply: a code, or one or more of the options."""

from __future__ import annotations

import re

from pixelproof.benches.agent.tasks import Challenge

_WORD = re.compile(r"[A-Za-z0-9]+")


def read_reply(text: str, challenge: Challenge) -> str | None:
    """The answer in a reply, in the form of `Challenge.answer`; None if there is none, or more than one.

    A code may stand in a sentence: it is the only word of its length in capitals and digits, or the whole reply without
    spaces. Options count where they stand as words, in the order of the reply.
    """
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
