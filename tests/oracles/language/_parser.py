"""A small parser: patterns with slots, matched against tokens with all alternatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from pixelproof.world.language.chinese_words import ZH_NOUNS
from pixelproof.world.language.words import (
    COLOURS,
    CONTAINERS,
    MATERIALS,
    MORE,
    MOST,
    NUMBERS,
    PATTERNS,
    RELATIONS,
    SUPERLATIVES,
    plural,
)

from ._fits import Meaning

Tokens = Sequence[str]
Slot = Callable[[Tokens, int], Iterator[tuple[Any, int]]]
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[a-z]+|[^\sa-z\d]")


def tokens(text: str) -> list[str]:
    """Split a text into words, numbers and punctuation.

    >>> tokens("Move it 2.5 cm.")
    ['move', 'it', '2.5', 'cm', '.']
    """
    return _TOKEN.findall(text.lower())


def parses(pattern: str, words: Tokens, at: int = 0) -> Iterator[list[Any]]:
    """Values of the slots, once for each way in which a pattern matches all words from a position on."""
    yield from _parses(tuple(pattern.split()), words, at)


def _parses(parts: tuple[str, ...], words: Tokens, at: int) -> Iterator[list[Any]]:
    if not parts:
        if at == len(words):
            yield []
    elif parts[0].startswith("{"):
        for value, end in SLOTS[parts[0][1:-1]](words, at):
            for rest in _parses(parts[1:], words, end):
                yield [value, *rest]
    elif at < len(words) and words[at] in parts[0].split("|"):
        yield from _parses(parts[1:], words, at + 1)


@lru_cache(maxsize=1)
def _nouns() -> tuple[dict[tuple[str, ...], str], dict[tuple[str, ...], str]]:
    singles = {tuple(noun.split()): noun for noun in ZH_NOUNS}
    return singles, {tuple(plural(noun).split()): noun for noun in ZH_NOUNS}


def _class(words: Tokens, at: int, several: bool) -> Iterator[tuple[Meaning, int]]:
    """A noun with optional colour and material."""
    for colour in ("", words[at] if at < len(words) and words[at] in COLOURS else None):
        if colour is None:
            continue
        after = at + bool(colour)
        for material in ("", words[after] if after < len(words) and words[after] in MATERIALS else None):
            if material is None:
                continue
            start = after + bool(material)
            for length in (1, 2, 3, 4):
                noun = _nouns()[several].get(tuple(words[start : start + length]))
                if noun and start + length <= len(words):
                    yield Meaning(noun, colour, material), start + length


def _one(words: Tokens, at: int) -> Iterator[tuple[Meaning, int]]:
    yield from _class(words, at, False)


def _many(words: Tokens, at: int) -> Iterator[tuple[Meaning, int]]:
    yield from _class(words, at, True)


def _the(words: Tokens, at: int) -> Iterator[tuple[Meaning, int]]:
    """A definite phrase: the, superlative, class, trailing superlative, relation."""
    if words[at : at + 1] != ["the"]:
        return
    most = words[at + 1] if at + 1 < len(words) and words[at + 1] in SUPERLATIVES else ""
    for said, end in _class(words, at + 1 + bool(most), False):
        yield Meaning(said.noun, said.colour, said.material, most), end
        if most:
            continue
        for extra, name in (("closest to the viewer", "nearest"), ("farthest from the viewer", "farthest")):
            if list(words[end : end + 4]) == extra.split():
                yield Meaning(said.noun, said.colour, said.material, name), end + 4
        if list(words[end : end + 2]) == ["that", "is"]:
            for (name, _), middle in _relation(words, end + 2):
                for anchor, last in _the(words, middle):
                    if fits_noun(name, words[end + 2], anchor.noun):
                        yield Meaning(said.noun, said.colour, said.material, "", name, anchor), last


def fits_noun(relation: str, word: str, noun: str) -> bool:
    """Whether `in` or `on` is the right preposition for a noun."""
    return relation != "on" or (word == "in") == (noun in CONTAINERS)


def _relation(words: Tokens, at: int) -> Iterator[tuple[tuple[str, str], int]]:
    """Name of a relation, with its first word."""
    for name, text in (*RELATIONS.items(), ("on", "in")):
        length = len(text.split())
        if list(words[at : at + length]) == text.split():
            yield (name, words[at]), at + length


def _counted(words: Tokens, at: int) -> Iterator[tuple[tuple[int, Meaning], int]]:
    """`a red mug` or `two red mugs`."""
    if words[at : at + 1] in (["a"], ["an"]):
        for said, end in _class(words, at + 1, False):
            if (words[at] == "an") == (words[at + 1][0] in "aeiou" or words[at + 1] == "hourglass"):
                yield (1, said), end
    elif at < len(words) and words[at] in NUMBERS[2:]:
        for said, end in _class(words, at + 1, True):
            yield (NUMBERS.index(words[at]), said), end


def _listed(words: Tokens, at: int) -> Iterator[tuple[list[tuple[int, Meaning]], int]]:
    """One or more counted classes, joined by commas and `and`."""
    for first, end in _counted(words, at):
        yield [first], end
        for joint in ("and", ","):
            if words[end : end + 1] == [joint]:
                for rest, last in _listed(words, end + 1):
                    if (len(rest) == 1) == (joint == "and"):
                        yield [first, *rest], last


def _number(words: Tokens, at: int) -> Iterator[tuple[float, int]]:
    if at < len(words) and re.fullmatch(r"\d+(\.\d+)?", words[at]):
        yield float(words[at]), at + 1


def _length(words: Tokens, at: int) -> Iterator[tuple[float, int]]:
    """A length in metres."""
    for value, end in _number(words, at):
        if end < len(words) and words[end] in ("cm", "m"):
            yield value * (0.01 if words[end] == "cm" else 1.0), end + 1


def _word_of(table: Sequence[str]) -> Slot:
    def slot(words: Tokens, at: int) -> Iterator[tuple[str, int]]:
        if at < len(words) and words[at] in table:
            yield words[at], at + 1

    return slot


def _phrase_of(table: str) -> Slot:
    """A slot for one of several phrases, separated by commas; its value is the last word, which is not matched."""
    phrases = [entry.split() for entry in table.split(", ")]

    def slot(words: Tokens, at: int) -> Iterator[tuple[str, int]]:
        for *phrase, value in phrases:
            if list(words[at : at + len(phrase)]) == phrase:
                yield value, at + len(phrase)

    return slot


SLOTS: dict[str, Slot] = {
    "the": _the,
    "one": _one,
    "many": _many,
    "counted": _counted,
    "list": _listed,
    "relation": _relation,
    "number": _number,
    "length": _length,
    "colour": _word_of(COLOURS),
    "pattern": _word_of(PATTERNS),
    "stuff": _word_of([*MATERIALS, "wood"]),
    "word": _word_of(NUMBERS),
    "ground": _word_of(["on", "in"]),
    "be": _word_of(["is", "are"]),
    "more": _phrase_of(", ".join(f"{words} {name}" for name, words in MORE.items())),
    "most": _phrase_of(", ".join(f"{words} {name}" for name, words in MOST.items())),
    "own": _word_of(["left", "right"]),
    "move": _phrase_of(
        "to the left left, to the right right, towards the viewer closer, away from the viewer away, up up, down down, "
        "forwards forward, backwards back"
    ),
    "zoom": _phrase_of("in in, out out"),
    "pan": _phrase_of("to the left left, to the right right, forwards forward, backwards back, up up, down down"),
    "beside": _phrase_of("to the left of left, to the right of right, in front of front, behind behind"),
    "spot": _phrase_of(
        "in the middle of middle, at the left end of left, at the right end of right, at the front edge of front, "
        "at the back edge of back, in the front left corner of front_left, in the front right corner of front_right, "
        "in the back left corner of back_left, in the back right corner of back_right, on on, in in"
    ),
    "sense": _phrase_of("clockwise clockwise, anticlockwise anticlockwise"),
}
"""Slot name → parser of the slot."""
