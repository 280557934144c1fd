"""Every word that a sentence may need is there, in both languages."""

import pytest

from pixelproof.world.language import _words
from pixelproof.world.language._chinese_words import (
    ZH_COLOURS,
    ZH_MATERIALS,
    ZH_MORE,
    ZH_MOST,
    ZH_NOUNS,
    ZH_RELATIONS,
    ZH_SUPERLATIVES,
)
from pixelproof.world.language._solid import _noun
from pixelproof.world.language._truth import BEATS
from pixelproof.world.language.checker._chinese_expressions import expressions
from pixelproof.world.language.checker._parser import parses, tokens
from pixelproof.world.solid import COLOURS, MATERIALS
from pixelproof.world.solid.shapes import CATEGORIES


@pytest.mark.parametrize("name", CATEGORIES)
def test_every_category_has_its_words(name):
    kind, noun = CATEGORIES[name], _noun(name)
    assert noun in ZH_NOUNS, f"add a Chinese word for {noun!r} to ZH_NOUNS"
    if noun == (kind.word or kind.name):
        assert _words.plural(noun) == kind.plural or _words.plural(noun) == f"{noun}s"
    assert set(kind.colours) <= set(_words.COLOURS)
    (said,) = parses("{the}", tokens(f"the {noun}"))
    assert said[0].noun == noun
    (counted,) = parses("{counted}", tokens(_words.article(noun)))
    assert counted[0] == (1, said[0])
    assert [meaning.noun for meaning in expressions(ZH_NOUNS[noun])] == [noun]


def test_the_tables_have_the_same_words():
    assert tuple(ZH_COLOURS) == _words.COLOURS == tuple(COLOURS)
    assert tuple(ZH_MATERIALS) == _words.MATERIALS
    assert set(_words.MATERIALS) <= set(MATERIALS)
    assert set(ZH_SUPERLATIVES) == set(BEATS) == set(_words.SUPERLATIVES)
    assert set(ZH_RELATIONS) == set(_words.RELATIONS)
    assert set(ZH_MORE) == set(ZH_MOST) == set(_words.MORE) == set(_words.MOST)
    assert set(_words.OWNERS) <= {_noun(name) for name, kind in CATEGORIES.items() if kind.front}


@pytest.mark.parametrize("table", [ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS, ZH_SUPERLATIVES, ZH_RELATIONS, ZH_MORE, ZH_MOST])
def test_no_two_words_are_one_in_chinese(table):
    assert len(set(table.values())) == len(table)


@pytest.mark.parametrize("table", [_words.ALIKE_COLOURS, _words.ALIKE_MATERIALS, _words.ALIKE_NOUNS])
def test_words_are_alike_both_ways(table):
    assert {(second, first) for first, second in table} == table
    assert not any(first == second for first, second in table)


def test_words_that_are_alike_are_words():
    assert {word for pair in _words.ALIKE_COLOURS for word in pair} <= set(_words.COLOURS)
    assert {word for pair in _words.ALIKE_MATERIALS for word in pair} <= set(_words.MATERIALS)
