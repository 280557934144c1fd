"""Parsing of Chinese referring expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pixelproof.world.language.chinese_words import ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS, ZH_RELATIONS, ZH_SUPERLATIVES
from pixelproof.world.language.words import CONTAINERS

from ._fits import Meaning


@lru_cache(maxsize=1)
def _class_pattern() -> re.Pattern[str]:
    colours, materials, nouns = ("|".join(words.values()) for words in (ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS))
    return re.compile(f"(?P<colour>{colours})?(?P<material>{materials})?(?:(?<=.)的)?(?P<noun>{nouns})")


def expressions(text: str) -> Iterator[Meaning]:
    """All readings of a referring expression."""
    simple = _class_pattern().fullmatch(text)
    if simple:
        words = {key: _key(table, simple[key]) for key, table in _TABLES.items()}
        yield Meaning(words["noun"], words["colour"], words["material"])
    for english, chinese in ZH_SUPERLATIVES.items():
        if text.startswith(f"{chinese}的"):
            for said in expressions(text.removeprefix(f"{chinese}的")):
                if not said.most and not said.anchor:
                    yield Meaning(said.noun, said.colour, said.material, english)
    for match in re.finditer("的", text):
        yield from _related(text[: match.start()], text[match.end() :])


def _related(before: str, after: str) -> Iterator[Meaning]:
    thing = _class_pattern().fullmatch(after)
    for name, place in (*ZH_RELATIONS.items(), ("on", "里")):
        if not thing or not before.endswith(place):
            continue
        words = {key: _key(table, thing[key]) for key, table in _TABLES.items()}
        for anchor in expressions(before.removesuffix(place)):
            if name != "on" or (place == "里") == (anchor.noun in CONTAINERS):
                yield Meaning(words["noun"], words["colour"], words["material"], "", name, anchor)


_TABLES = {"noun": ZH_NOUNS, "colour": ZH_COLOURS, "material": ZH_MATERIALS}


def _key(table: dict[str, str], word: str | None) -> str:
    return next((key for key, value in table.items() if value == word), "")
