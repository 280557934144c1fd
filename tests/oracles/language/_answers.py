"""Answers and choices of questions, read in English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pixelproof.world.language.chinese_words import ZH_ANSWERS, ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS
from pixelproof.world.language.view import Entity, Sentence, View

from ._chinese_expressions import expressions
from ._fits import Meaning, resolve
from ._parser import parses, tokens

_TABLES = {"colour": ZH_COLOURS, "material": ZH_MATERIALS, "support": ZH_NOUNS}


def readings(text: str, language: str) -> Iterator[Meaning]:
    """All readings of a referring expression."""
    if language == "zh":
        yield from expressions(text)
    else:
        yield from (values[0] for values in parses("{the}", tokens(text)))


def word(text: str, language: str, form: str = "") -> str:
    """A word of an answer in English; empty if it is none."""
    if form == "material" and language == "en":
        return "wooden" if text == "wood" else text
    if language == "en":
        return text
    table = _TABLES.get(form, ZH_ANSWERS)
    return next((english for english, chinese in table.items() if chinese == text), "")


def centimetres(text: str, language: str) -> float | None:
    """A length in centimetres; None if the text is none."""
    units = {"厘米": 1.0, "米": 100.0} if language == "zh" else {" cm": 1.0, " m": 100.0}
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)({'|'.join(units)})", text)
    return float(match[1]) * units[match[2]] if match else None


def spoken(view: View, sentence: Sentence, texts: tuple[str, ...]) -> tuple[dict[str, Entity], list[str]]:
    """Things that the texts of expressions refer to, and their problems."""
    things: dict[str, Entity] = {}
    wrong = []
    for text in texts:
        for said in readings(text, sentence.language):
            entity, why = resolve(view, said)
            if entity is None:
                wrong.append(why)
            else:
                things[text] = entity
    if len(things) != len(texts) or len({entity.id for entity in things.values()}) != len(texts):
        wrong.append("the choices are not so many different things")
    return things, wrong
