"""Every word that a sentence may need is there, in both languages."""

import pytest

from oracles.language._chinese_expressions import expressions
from oracles.language._parser import parses, tokens
from pixelproof.world.language import words
from pixelproof.world.language._solid import _noun
from pixelproof.world.language._truth import BEATS
from pixelproof.world.language.chinese_words import (
    ZH_COLOURS,
    ZH_MATERIALS,
    ZH_MORE,
    ZH_MOST,
    ZH_NOUNS,
    ZH_RELATIONS,
    ZH_SUPERLATIVES,
)
from pixelproof.world.solid import COLOURS, MATERIALS
from pixelproof.world.solid.shapes import CATEGORIES


@pytest.mark.parametrize("name", CATEGORIES)
def test_every_category_has_its_words(name):
    kind, noun = CATEGORIES[name], _noun(name)
    assert noun in ZH_NOUNS, f"add a Chinese word for {noun!r} to ZH_NOUNS"
    if noun == (kind.word or kind.name):
        assert words.plural(noun) == kind.plural or words.plural(noun) == f"{noun}s"
    assert set(kind.colours) <= set(words.COLOURS)
    (said,) = parses("{the}", tokens(f"the {noun}"))
    assert said[0].noun == noun
    (counted,) = parses("{counted}", tokens(words.article(noun)))
    assert counted[0] == (1, said[0])
    assert [meaning.noun for meaning in expressions(ZH_NOUNS[noun])] == [noun]


def test_the_tables_have_the_same_words():
    assert tuple(ZH_COLOURS) == words.COLOURS == tuple(COLOURS)
    assert tuple(ZH_MATERIALS) == words.MATERIALS
    assert set(words.MATERIALS) <= set(MATERIALS)
    assert set(ZH_SUPERLATIVES) == set(BEATS) == set(words.SUPERLATIVES)
    assert set(ZH_RELATIONS) == set(words.RELATIONS)
    assert set(ZH_MORE) == set(ZH_MOST) == set(words.MORE) == set(words.MOST)
    assert set(words.OWNERS) <= {_noun(name) for name, kind in CATEGORIES.items() if kind.front}


@pytest.mark.parametrize("table", [ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS, ZH_SUPERLATIVES, ZH_RELATIONS, ZH_MORE, ZH_MOST])
def test_no_two_words_are_one_in_chinese(table):
    assert len(set(table.values())) == len(table)


@pytest.mark.parametrize("table", [words.ALIKE_COLOURS, words.ALIKE_MATERIALS, words.ALIKE_NOUNS])
def test_words_are_alike_both_ways(table):
    assert {(second, first) for first, second in table} == table
    assert not any(first == second for first, second in table)


def test_words_that_are_alike_are_words():
    assert {word for pair in words.ALIKE_COLOURS for word in pair} <= set(words.COLOURS)
    assert {word for pair in words.ALIKE_MATERIALS for word in pair} <= set(words.MATERIALS)
