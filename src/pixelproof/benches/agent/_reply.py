"""Reading a reply: the answer (a code, or one or more of the options), an abstention, and the stated confidence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set

from pixelproof.benches.agent.tasks import Challenge
from pixelproof.contract import Answer
from pixelproof.tools.episodes import final_text
from pixelproof.world import COLOURS
from pixelproof.world.flat import ALPHABET

UNKNOWN = "unknown"
"""What a model replies that abstains."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_DENIED = r"(?:\bnot|n't|\bnever|\bneither|\bnor|\bexcept(?:\s+for)?|\banything\s+but|\bother\s+than|\brather\s+than)"
_BOUND = r"\b(?:(?:fewer|less|more)\s+than|at\s+(?:most|least))"
_LARGER_NUMBER = r"[.,]\d|\s*%|\s+(?:hundred|thousand|million|dozen)"
_SAME = {
    "gray": "grey",
    "disc": "circle",
    "disk": "circle",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "violet": "purple",
    "rhombus": "diamond",
    "teardrop": "drop",
    "droplet": "drop",
    "moon": "crescent",
    "donut": "ring",
    "doughnut": "ring",
    "annulus": "ring",
}
"""Words that stand for an option, where it is one."""
_PHRASES = {
    "navy blue": "navy",
    "lime green": "lime",
    "crescent moon": "crescent",
    "half circle": "semicircle",
    "half disc": "semicircle",
    "tear drop": "drop",
    "plus sign": "cross",
}
"""Two words that stand for one, where that is an option or a part of one."""
_SHADES = {
    "dark blue": ("navy", "blue"),
    "light blue": ("cyan", "blue"),
    "light green": ("lime", "green"),
    "bright green": ("lime", "green"),
}
"""Phrases that may mean either of two options, where both are."""
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

    A code may stand in a sentence: it is the only word of its length in characters of codes and in capitals (or, if
    there is none, in any case), the only parts of it in order, or the whole reply without spaces. Options count where
    they stand as words, in the order of the reply; a word that only one of them has stands for it. `UNKNOWN` alone is
    an abstention. Thinking does not count; of answer tags, only the last pair does.
    """
    text = without_confidence(final_text(text))
    if [word.lower() for word in _WORD.findall(text)] == [UNKNOWN]:
        return UNKNOWN
    return _read_code(text, challenge.length) if challenge.length else _read_options(text, challenge)


def _read_code(text: str, length: int) -> str | None:
    joined = "".join(_WORD.findall(text)).upper()
    if len(joined) == length:
        return joined
    words = [word for word in _WORD.findall(text) if set(word.upper()) <= set(ALPHABET)]
    capitals = [word for word in words if word == word.upper()]
    for possible in (capitals, words):
        whole = {word.upper() for word in possible if len(word) == length}
        if whole:
            return whole.pop() if len(whole) == 1 else None
    parts = [word for word in capitals if len(word) == length // 2]
    return "".join(parts) if len(parts) == 2 and length % 2 == 0 else None


def _read_options(text: str, challenge: Challenge) -> str | None:
    known = {part for option in challenge.options for part in option.split()}
    for phrase, word in _PHRASES.items():
        if word in known:
            text = re.sub(rf"\b{phrase.replace(' ', '[ -]')}", word, text, flags=re.IGNORECASE)
    for phrase, meanings in _SHADES.items():
        if known.issuperset(meanings) and re.search(rf"\b{phrase.replace(' ', '[ -]')}\b", text, re.IGNORECASE):
            return None
    text = re.sub(r"[A-Za-z]+", lambda word: _same_word(word[0].lower(), known), text)
    either = "|".join(map(re.escape, challenge.options))
    text = re.sub(rf"\b({either})-(?=(?:{either})\b)", r"\1 ", text)  # blue-green is neither
    named = _named(text, {option: option for option in challenge.options})
    if not named:
        named = _named(text, _telling_words(challenge.options))
        words = {word.lower() for word in _WORD.findall(text)}
        if any(
            words.intersection(COLOURS) - set(option.split()) for option in named
        ):  # the red cross is not the green one
            return None
    if challenge.words > 1:
        return ", ".join(named) if len(named) == challenge.words else None
    return named[0] if len(set(named)) == 1 else None


def _same_word(word: str, known: Set[str]) -> str:
    return _SAME[word] if word not in known and _SAME.get(word) in known else word


def _telling_words(options: Sequence[str]) -> dict[str, str]:
    """Word → the only option that has it, for options of several words."""
    words = [word for option in options for word in option.split()]
    return {word: option for option in options for word in option.split() if words.count(word) == 1}


def _named(text: str, options: Mapping[str, str]) -> list[str]:
    """Options whose words stand in a text, in order; none if one of them is denied, or is a bound."""
    if not options:
        return []
    longest_first = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    if re.search(rf"(?:{_DENIED}|{_BOUND})\s+(?:an?\s+|the\s+)?(?:{longest_first})\b", text, re.IGNORECASE):
        return []
    # No part of a number or of a longer word.
    pattern = re.compile(rf"(?<![\w.-])({longest_first})s?\b(?!{_LARGER_NUMBER})", re.IGNORECASE)
    return [options[match[1].lower()] for match in pattern.finditer(text)]
