"""Grammar and schema against the reader: what they allow must be exactly what reads strictly."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._grammar import grammar, schema
from pixelproof.benches.pixelart._ladder import read

FORMS = [Format("original", 24, 10), Format("original", 4, 2), Format("lite", 24, 10), Format("lite", 6, 37)]


def as_regex(lark):
    """The grammar as one regular expression: it has no recursion, so its rules can be put into each other."""
    rules = dict(line.split(": ", 1) for line in lark.splitlines())

    def expand(text):
        token = re.compile(r'"(?:[^"\\]|\\.)*"|/.*?/(?=\s|$)|[A-Za-z_]+\d*|[(){}|]|\d+|\s+')
        parts = []
        for match in token.finditer(text):
            part = match[0]
            if part.startswith('"'):
                parts.append(re.escape(json.loads(part)))
            elif part.startswith("/"):
                parts.append(f"(?:{part[1:-1]})")
            elif part in rules:
                parts.append(f"(?:{expand(rules[part])})")
            elif not part.isspace():
                parts.append(part)
        return "".join(parts)

    return re.compile(expand(rules["start"]))


def drawn(form, colours, seed):
    rng = np.random.default_rng(seed)
    palette = [bytes(colour).hex() for colour in rng.integers(0, 256, (colours, 3), dtype=np.uint8)]
    return palette, rng.integers(0, colours, (form.size, form.size)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_grammar_allows_exactly_what_reads_strictly(form, data, seed):
    language = as_regex(grammar(form.size, form.colours, form.family))
    colours = data.draw(st.integers(form.fewest, form.colours))
    palette, grid = drawn(form, colours, seed)
    good = form.write(palette, grid)
    assert language.fullmatch(good) and read(good, form)[0].outcome == "ok"
    row, column = data.draw(st.tuples(*[st.integers(0, form.size - 1)] * 2))
    wrong = [list(cells) for cells in grid]
    wrong[row][column] = colours
    for bad in (
        form.write(palette, wrong),
        form.write(palette, grid[1:]),
        form.write(palette[:-1], [[colours - 1] * form.size] * form.size),
    ):
        assert not language.fullmatch(bad)
        assert read(bad, form)[0].outcome != "ok"
    assert not language.fullmatch(form.write(palette * 300, grid)) and not language.fullmatch(
        json.dumps(json.loads(good))
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", [*FORMS, Format("original", 128, 10), Format("lite", 128, 256)], ids=str)
def test_llguidance_accepts_the_grammar_and_its_sentences(form):
    llguidance = pytest.importorskip("llguidance")
    lark = llguidance.LLMatcher.grammar_from_lark(grammar(form.size, form.colours, form.family))
    assert llguidance.LLMatcher.validate_grammar(lark) == ""
    tokenizer = llguidance.LLTokenizer("byte")
    for colours in {form.fewest, form.colours}:
        palette, grid = drawn(form, colours, 0)
        grid[-1][-1] = colours - 1
        assert accepts(llguidance, tokenizer, lark, form.write(palette, grid))
        grid[-1][-1] = colours
        assert not accepts(llguidance, tokenizer, lark, form.write(palette, grid))


def accepts(llguidance, tokenizer, lark, text):
    matcher = llguidance.LLMatcher(tokenizer, lark)
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_schema_allows_what_reads_strictly_and_ties_no_index_to_the_palette(form):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema(form))
    jsonschema.Draft202012Validator.check_schema(schema(form))
    palette, grid = drawn(form, form.colours, 1)
    assert validator.is_valid(json.loads(form.write(palette, grid)))
    assert validator.is_valid(json.loads(form.write(palette[: form.fewest], grid)))  # why there is a grammar
    beyond = [[form.colours, *row[1:]] for row in grid]
    for bad in (
        form.write(palette, grid[1:]),
        form.write([*palette, "000000"], grid),
        form.write(["zzzzzz", *palette[1:]], grid),
        form.write(palette, [row[1:] for row in grid]),
        *([] if form.colours == 10 and form.family == "original" else [form.write(palette, beyond)]),
    ):
        assert not validator.is_valid(json.loads(bad))
    assert not validator.is_valid({**json.loads(form.write(palette, grid)), "title": "x"})
