"""Checks of English sentences."""

from __future__ import annotations

from typing import Any

from pixelproof.world.language.view import Sentence, View

from ._instructions import EDITS
from ._parser import tokens
from ._questions import CHOICE, NUMBER, OPEN, YES_NO
from ._reading import Finding, Handler, meant, read
from ._statements import CAPTIONS, FACTS, LONG


def _expression(view: View, sentence: Sentence, values: list[Any]) -> Finding:
    yield from meant(view, sentence, values[0])[1]


_PATTERNS: dict[str, dict[str, Handler]] = {
    "expression": {"{the}": _expression},
    "fact": FACTS,
    "caption": CAPTIONS,
    "yes-no": YES_NO,
    "choice": CHOICE,
    "open": OPEN,
    "number": NUMBER,
    "edit": EDITS,
}


def problems(view: View, sentence: Sentence) -> list[str]:
    """Problems of every reading of the text."""
    words = tokens(sentence.text)
    if sentence.kind != "expression" and not sentence.text[:1].isupper():
        return ["it does not begin with a capital"]
    if sentence.form == "long":
        return [problem for part in _split(words) for problem in read(view, sentence, part, {**LONG, **FACTS})]
    return read(view, sentence, words, _PATTERNS[sentence.kind])


def _split(words: list[str]) -> list[list[str]]:
    """Sentences of a text."""
    parts: list[list[str]] = [[]]
    for word in words:
        parts[-1].append(word)
        if word == ".":
            parts.append([])
    return parts[:-1] if not parts[-1] else parts
