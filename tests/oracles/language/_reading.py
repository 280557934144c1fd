"""Parsing of a text with patterns, and resolution of its definite phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pixelproof.world.language.view import Entity, Sentence, View

from ._fits import SURELY, Meaning, resolve
from ._parser import parses

Finding = Iterator[str]
Handler = Callable[[View, Sentence, list[Any]], Finding]
"""Function from the slots of a pattern to the problems of a sentence."""


def read(view: View, sentence: Sentence, words: list[str], patterns: Mapping[str, Handler]) -> list[str]:
    """Problems of every reading of the words."""
    readings = [(handler, values) for pattern, handler in patterns.items() for values in parses(pattern, words)]
    if not readings:
        return [f"it cannot be read: {' '.join(words)}"]
    return [problem for handler, values in readings for problem in handler(view, sentence, values)]


def meant(view: View, sentence: Sentence, *said: Meaning) -> tuple[list[Entity], list[str]]:
    """Things that definite phrases refer to, and their problems."""
    found = [resolve(view, meaning) for meaning in said]
    wrong = [why for entity, why in found if entity is None]
    things = [entity for entity, _ in found if entity is not None]
    if not wrong and sentence.about:
        ids = tuple(entity.id for entity in things)
        wrong = [] if ids == sentence.about else [f"it means {', '.join(ids)}, not {', '.join(sentence.about)}"]
    return things, wrong


def surely(truth: int, what: str) -> Finding:
    """A problem if a statement is not certain."""
    if truth != SURELY:
        yield f"{what} is not surely so"
