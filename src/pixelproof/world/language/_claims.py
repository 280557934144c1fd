"""What a caption says, in machine-readable form: things with counts and attributes, and how they are placed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pixelproof.contract import PixelProofError

from .view import Sentence
from .words import COLOURS, MATERIALS, NUMBERS, RELATIONS, plural

_START = re.compile(r"a (?:picture|photo) of ")
_TOKEN = re.compile(r"[a-z-]+|[,.]")


@dataclass(frozen=True)
class Claim:
    """Things that a caption says are there, and how they are placed."""

    content_name: ClassVar[str] = "Claim"

    noun: str
    count: int = 1
    colour: str = ""
    material: str = ""
    relation: str = ""
    """A key of `RELATIONS`, `between`, or `empty` (nothing is on or in it); empty: none is stated."""
    others: tuple[Claim, ...] = ()
    """What the relation is to: one thing, or two for `between`."""


def claims(caption: Sentence, nouns: Iterable[str]) -> tuple[Claim, ...]:
    """Parse a caption into what it claims.

    >>> claims(Sentence("caption", "compositional", "A red mug to the left of a bowl."), ["mug", "bowl"])[0].relation
    'left'
    >>> two = claims(Sentence("caption", "short", "A photo of two books and an orange."), ["book", "orange"])
    >>> [(claim.count, claim.noun) for claim in two]
    [(2, 'book'), (1, 'orange')]

    Args:
        caption: A caption of one sentence, not of the form `long`.
        nouns: Nouns that it may contain, such as those of the view's entities.

    Raises:
        PixelProofError: It cannot be parsed.
    """
    words = _TOKEN.findall(_START.sub("", caption.text.lower(), count=1))
    readings = set(_readings(words, _forms(nouns))) if caption.kind == "caption" else set()
    if len(readings) != 1:
        problem = "several readings" if readings else "no reading"
        raise PixelProofError(f"{caption.text!r} has {problem}: give a caption of one sentence, and all of its nouns.")
    return readings.pop()


def _forms(nouns: Iterable[str]) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Words of a noun → the noun, and whether they are its plural."""
    known = list(nouns)
    singular = {tuple(noun.split()): (noun, False) for noun in known}
    return {tuple(plural(noun).split()): (noun, True) for noun in known} | singular


def _readings(words: Sequence[str], forms: dict[tuple[str, ...], tuple[str, bool]]) -> Iterator[tuple[Claim, ...]]:
    if list(words[:2]) == ["an", "empty"]:
        for claim, end in _phrases(["an", *words[2:]], 0, forms):
            if list(words[end + 1 :]) == ["."]:
                yield (replace(claim, relation="empty"),)
    for things, end in _lists(words, 0, forms):
        rest = " ".join(words[end:])
        if rest == ".":
            yield tuple(things)
        elif rest == "with nothing on it ." and len(things) == 1:
            yield (replace(things[0], relation="empty"),)
        else:
            yield from _placed(words, end, things, forms)


def _placed(
    words: Sequence[str], at: int, things: list[Claim], forms: dict[tuple[str, ...], tuple[str, bool]]
) -> Iterator[tuple[Claim, ...]]:
    """Readings with a relation at a position; only `on` has several things in its first place."""
    if words[at] == "between" and len(things) == 1:
        for first, middle in _phrases(words, at + 1, forms):
            for second, end in _phrases(words, middle + 1, forms):
                if words[middle] == "and" and list(words[end:]) == ["."]:
                    yield (replace(things[0], relation="between", others=(first, second)),)
    for name, text in (*RELATIONS.items(), ("on", "in")):
        length = len(text.split())
        if list(words[at : at + length]) != text.split() or (name != "on" and len(things) > 1):
            continue
        for other, end in _phrases(words, at + length, forms):
            own = tuple(replace(thing, relation=name, others=(other,)) for thing in things)
            if list(words[end:]) == ["."]:
                yield own
            elif list(words[end : end + 2]) == [",", "and"]:
                yield from ((*own, *more) for more in _readings(words[end + 2 :], forms) if more[0].relation)


def _lists(
    words: Sequence[str], at: int, forms: dict[tuple[str, ...], tuple[str, bool]]
) -> Iterator[tuple[list[Claim], int]]:
    """One or more phrases, joined by commas and a last `and`."""
    for first, end in _phrases(words, at, forms):
        yield [first], end
        joint = words[end] if end < len(words) else ""
        for rest, last in _lists(words, end + 1, forms) if joint in (",", "and") else ():
            if (len(rest) == 1) == (joint == "and"):
                yield [first, *rest], last


def _phrases(
    words: Sequence[str], at: int, forms: dict[tuple[str, ...], tuple[str, bool]]
) -> Iterator[tuple[Claim, int]]:
    """`a red wooden mug` or `two red mugs` at a position, and where it ends."""
    if at >= len(words) or words[at] not in ("a", "an", *NUMBERS[2:]):
        return
    count = NUMBERS.index(words[at]) if words[at] in NUMBERS else 1
    for colours in range(2):
        for materials in range(2):
            adjectives = words[at + 1 : at + 1 + colours + materials]
            if any(word not in table for word, table in zip(adjectives, _tables(colours, materials), strict=False)):
                continue
            start = at + 1 + colours + materials
            for length in (1, 2, 3, 4):
                noun, several = forms.get(tuple(words[start : start + length]), ("", False))
                if noun and several == (count > 1):
                    colour, material = adjectives[0] if colours else "", adjectives[-1] if materials else ""
                    yield Claim(noun, count, colour, material), start + length


def _tables(colours: int, materials: int) -> list[tuple[str, ...]]:
    return [COLOURS] * colours + [MATERIALS] * materials
