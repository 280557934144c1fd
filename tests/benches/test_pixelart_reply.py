"""What a model can say, hostile or not, gets a named outcome; the two readings never contradict each other."""

import json
import os
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import RUNGS, read
from pixelproof.contract import Answer, Failure, Fault, Source

ORIGINAL = PixelArt()
SIZE = ORIGINAL.grid
PALETTE = ["87ceeb", "228b22", "8b4513", "ff4500"]
ROWS = ["0123" * 6] * SIZE
LISTS = [[0, 1, 2, 3] * 6 for _ in range(SIZE)]
SOAK = int(os.environ.get("PIXELPROOF_SOAK", "1"))


def reply(palette=PALETTE, grid=ROWS, **more):
    return json.dumps({"palette": palette, "grid": grid, **more})


def with_cell(cell):
    return reply(grid=[[cell, 1, 2, 3] * 6] + LISTS[1:])


GOOD = reply()
SCRIPT = "<script>alert(1)</script>"


def corpus():
    """Replies with the strict and the lenient outcome that each must get; huge ones are made when they are needed."""
    yield "good", GOOD, "ok", "ok"
    yield "pretty", json.dumps(json.loads(GOOD), indent=2) + "\n", "ok", "ok"
    yield "upper case", reply([c.upper() for c in PALETTE]), "ok", "ok"
    # No object, or none that ends.
    yield "empty", "", "empty", "empty"
    yield "white space", " \n\t\u00a0", "empty", "empty"
    yield "prose", "I'm ready to help. What's your request?", "no-object", "no-object"
    yield "a number", "3", "no-object", "no-object"
    yield "an empty list", "[]", "no-object", "no-object"
    yield "NUL bytes", "\0" * 1000, "no-object", "no-object"
    yield "cut off", GOOD[:-40], "unfinished", "unfinished"
    yield "cut off in a fence", "```json\n" + GOOD[:300], "unfinished", "unfinished"
    yield "50 MB of brackets", lambda: "[" * 50_000_000, "too-long", "too-long"
    yield "50 MB of braces", lambda: '{"palette":' * 4_600_000, "too-long", "too-long"
    yield "200 kB of braces", "{" * 200_000, "unfinished", "unfinished"
    yield "200 kB of closed braces", "{}" * 100_000, "text-around", "missing-keys"
    yield "200 kB of quotes", "{" + '"' * 199_999, "unfinished", "unfinished"
    yield "200 kB of escapes", "{" + '\\"' * 99_999, "unfinished", "unfinished"
    # Objects that are no JSON.
    yield "deep objects", '{"palette":' * 5000 + "1" + "}" * 5000, "too-deep", "too-deep"
    yield "deep lists", '{"grid":' + "[" * 9000 + "]" * 9000 + "}", "too-deep", "too-deep"
    yield "Python", GOOD.replace('"', "'"), "broken-json", "broken-json"
    yield "trailing comma", GOOD[:-1] + ",}", "broken-json", "ok"
    yield "two trailing commas", GOOD[:-1] + ",,}", "broken-json", "broken-json"
    yield "trailing commas in rows", reply(grid=LISTS).replace("]", ", ]"), "broken-json", "ok"
    yield "line comments", GOOD.replace(', "grid"', ', // the "picture\n "grid"'), "broken-json", "ok"
    yield "brace in a comment", GOOD.replace(', "grid"', ', // ends with }\n "grid"'), "broken-json", "ok"
    yield "block comment", GOOD.replace(', "grid"', ', /* a { or "\n */ "grid"'), "broken-json", "ok"
    yield "comment and comma", GOOD[:-1] + ", // done\n}", "broken-json", "ok"
    yield "unfinished comment", GOOD[:-1] + "/* done }", "broken-json", "broken-json"
    yield "slashes in a string", reply(title="a // b /* c"), "extra-keys", "ok"
    yield "NaN", with_cell(0).replace("[0,", "[NaN,"), "broken-json", "broken-json"
    yield "Infinity", with_cell(0).replace("[0,", "[-Infinity,"), "broken-json", "broken-json"
    yield "raw NUL in a string", GOOD.replace("0123", "0\x0023", 1), "broken-json", "broken-json"
    yield "full-width number", with_cell(0).replace("[0,", "[\uff10,", 1), "broken-json", "broken-json"
    yield "crossed brackets", '{"palette": ["000000", "ffffff"}, "grid": []]', "text-around", "broken-json"
    # Text around.
    yield "fence", f"```json\n{GOOD}\n```", "text-around", "ok"
    yield "half a fence", f"```json\n{GOOD}", "text-around", "ok"
    yield "chatter", f"Here it is {{as asked}}:\n{GOOD}\nEnjoy!", "text-around", "ok"
    yield "odd quote before", f'A 5" picture: {GOOD}', "text-around", "ok"
    yield "brace before", f'Use {{ or "\n{GOOD}', "text-around", "ok"
    yield "byte order mark", "\ufeff" + GOOD, "text-around", "ok"
    yield "no-break space before", "\u00a0" + GOOD, "text-around", "ok"
    yield "NUL after", GOOD + "\0", "text-around", "ok"
    yield "in a list", f"[{GOOD}]", "text-around", "ok"
    yield "Python code", f"art = {GOOD}\nprint(art)", "text-around", "ok"
    yield "the second has the keys", '{"plan": "draw"}' + GOOD, "text-around", "ok"
    yield "two drawings", GOOD + GOOD, "text-around", "ok"
    yield "several objects, none right", '{"a": 1} {"b": 2}', "text-around", "missing-keys"
    yield "a draft in thinking, and an answer cut off", f"<think>{GOOD}</think>{GOOD[:300]}", "unfinished", "unfinished"
    # Keys.
    yield "no keys", "{}", "missing-keys", "missing-keys"
    yield "no grid", '{"palette": []}', "missing-keys", "missing-keys"
    yield "wrapped", f'{{"drawing": {GOOD}}}', "missing-keys", "ok"
    yield "extra key", reply(title="Saturn"), "extra-keys", "ok"
    yield "extra script", reply(**{SCRIPT: SCRIPT}), "extra-keys", "ok"
    yield "extra key twice", GOOD[:-1] + ', "a": 1, "a": 2}', "extra-keys", "ok"
    yield "grid twice", GOOD[:-1] + ', "grid": []}', "duplicate-keys", "duplicate-keys"
    # Palettes.
    yield "palette is a string", reply("ffffff"), "bad-palette", "bad-palette"
    yield "palette is an object", reply({"0": "ffffff", "1": "000000"}), "bad-palette", "bad-palette"
    yield "palette is null", reply(None), "bad-palette", "bad-palette"
    yield "no colours", reply([]), "bad-palette", "bad-palette"
    yield "one colour", reply(["ffffff"], ["0" * SIZE] * SIZE), "bad-palette", "bad-palette"
    yield "eleven colours", reply(["ffffff"] * 11), "bad-palette", "bad-palette"
    yield "300,000 colours", lambda: reply([0] * 300_000), "bad-palette", "bad-palette"
    yield "a million colours", lambda: reply(["ffffff"] * 1_000_000), "too-long", "too-long"
    yield "script as a colour", reply([SCRIPT, "ffffff"]), "bad-palette", "bad-palette"
    yield "surrogate as a colour", reply(["\ud800", "ffffff"]), "bad-palette", "bad-palette"
    yield "Arabic digits as a colour", reply(["\u0661" * 6, "ffffff"]), "bad-palette", "bad-palette"
    yield "Arabic function", reply(["rgb(\u0661, \u0662, \u0663)", *PALETTE[1:]]), "bad-palette", "bad-palette"
    yield "eight digits", reply(["87ceeb00", *PALETTE[1:]]), "bad-palette", "bad-palette"
    yield "rgb out of range", reply(["rgb(999, 0, 0)", *PALETTE[1:]]), "bad-palette", "bad-palette"
    yield "floats", reply([[1.0, 2, 3], *PALETTE[1:]]), "bad-palette", "bad-palette"
    yield "booleans", reply([[True, 2, 3], *PALETTE[1:]]), "bad-palette", "bad-palette"
    yield "numbers", reply([0, 1, 2, 3]), "bad-palette", "bad-palette"
    yield "hash", reply(["#" + c for c in PALETTE]), "bad-palette", "ok"
    yield "three digits", reply(["08f", "#0F0", "8b4513", "F00"]), "bad-palette", "ok"
    yield "names", reply(["SkyBlue", "green", " brown ", "orangered"]), "bad-palette", "ok"
    yield "triples", reply([[0, 0, 255], [0, 255, 0], [9, 9, 9], [255, 69, 0]]), "bad-palette", "ok"
    yield "functions", reply(["rgb(1, 2, 3)", "hsl(120, 100%, 50%)", *PALETTE[2:]]), "bad-palette", "ok"
    yield "alpha", reply(["#87ceebff", *PALETTE[1:]]), "bad-palette", "ok"
    # Rows.
    yield "grid is a string", reply(grid="".join(ROWS)), "bad-rows", "bad-rows"
    yield "grid is a number", reply(grid=24), "bad-rows", "bad-rows"
    yield "no rows", reply(grid=[]), "bad-rows", "bad-rows"
    yield "empty rows", reply(grid=[""] * SIZE), "bad-rows", "bad-rows"
    yield "rows are numbers", reply(grid=[1] * SIZE), "bad-rows", "bad-rows"
    yield "rows are objects", reply(grid=[{"0": 1}] * SIZE), "bad-rows", "bad-rows"
    yield "rows are lists", reply(grid=LISTS), "bad-rows", "ok"
    yield "rows of both kinds", reply(grid=ROWS[:12] + LISTS[:12]), "bad-rows", "ok"
    yield "ragged", reply(grid=[*ROWS[:-1], "012"]), "ragged", "ragged"
    yield "spaced cells, one row", reply(grid=[" ".join(ROWS[0]), *ROWS[1:]]), "ragged", "ragged"
    yield "23 rows", reply(grid=ROWS[:23]), "wrong-size", "wrong-size"
    yield "25 wide", reply(grid=[row + "0" for row in ROWS]), "wrong-size", "wrong-size"
    yield "the example copied", reply(grid=["0003", "0110", "0220", "1111"]), "wrong-size", "wrong-size"
    yield "a runaway", reply(grid=ROWS * 241), "wrong-size", "wrong-size"
    # Indices.
    yield "beyond the palette", reply(grid=["4" * SIZE, *ROWS[1:]]), "illegal-index", "illegal-index"
    yield "letters", reply(grid=["ABCD" * 6, *ROWS[1:]]), "illegal-index", "illegal-index"
    yield "Arabic rows", reply(grid=["\u0660\u0661\u0662\u0663" * 6] * SIZE), "illegal-index", "illegal-index"
    yield "full-width rows", reply(grid=["\uff10\uff11\uff12\uff13" * 6] * SIZE), "illegal-index", "illegal-index"
    yield "superscript rows", reply(grid=["\u00b2" * SIZE] * SIZE), "illegal-index", "illegal-index"
    yield "surrogate rows", reply(grid=["\udfff" * SIZE] * SIZE), "illegal-index", "illegal-index"
    yield "script rows", reply(grid=[SCRIPT[:SIZE]] * SIZE), "illegal-index", "illegal-index"
    for name, cell in {"true": True, "null": None, "a float": 1.0, "a string": "1", "a list": [1]}.items():
        yield f"{name} as an index", with_cell(cell), "bad-rows", "illegal-index"
    yield "negative index", with_cell(-1), "bad-rows", "illegal-index"
    yield "1e999 as an index", with_cell(0).replace("[0,", "[1e999,"), "bad-rows", "illegal-index"
    for digits in (str(2**63), "9" * 19, "9" * 20, str(2**63 - 1)):
        yield f"{digits} as an index", with_cell(0).replace("[0,", f"[{digits},", 1), "bad-rows", "illegal-index"
    yield "100,000 digits", with_cell(0).replace("[0,", f"[{'9' * 100_000},", 1), "bad-rows", "illegal-index"
    yield "-100,000 digits", with_cell(0).replace("[0,", f"[-{'9' * 100_000},", 1), "bad-rows", "illegal-index"


@pytest.fixture(scope="module")
def item():
    return next(ORIGINAL.items(Source("published"), 0, 1))


def check(bench, item, text):
    """Everything that holds for every reply; returns the result."""
    result = bench.score(item, Answer(text), {})
    rungs = {side: [result.metrics[f"{side}.{rung}"] for rung in RUNGS] for side in ("strict", "lenient")}
    for side, climbed in rungs.items():
        assert set(climbed) <= {0.0, 1.0} and climbed == sorted(climbed, reverse=True)
        assert (result.notes[side] == "ok") == (climbed[-1] == 1.0)
    assert all(lenient >= strict for lenient, strict in zip(rungs["lenient"], rungs["strict"], strict=True))
    assert set(result.metrics) <= {metric.name for metric in bench.metrics}
    assert all(np.isfinite(value) for value in result.metrics.values())
    assert all(len(note) <= 200 and note.isprintable() and note.isascii() for note in result.notes.values())
    if result.notes["lenient"] == "ok":
        assert result.failure is None and "drawing" in result.evidence
    else:
        assert result.failure is not None
        assert (result.failure.fault, result.failure.name) == (Fault.MODEL, result.notes["lenient"])
    strict, lenient = read(text, bench.form)
    if strict.outcome == "ok":
        assert lenient.outcome == "ok" and not lenient.repairs
        assert strict.palette == lenient.palette and np.array_equal(strict.grid, lenient.grid)
    if lenient.outcome == "ok" and strict.outcome != "ok":
        assert result.notes["repairs"], "a repair must never be silent"
    return result


@pytest.mark.slow
@pytest.mark.parametrize(("text", "strict", "lenient"), [pytest.param(*case, id=name) for name, *case in corpus()])
def test_corpus(item, text, strict, lenient):
    result = check(ORIGINAL, item, text() if callable(text) else text)
    assert (result.notes["strict"], result.notes["lenient"]) == (strict, lenient)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (f"```json\n{GOOD}\n```", "fence-removed"),
        (f"Look:\n```\n{GOOD}\n```", "fence-removed, text-removed"),
        (GOOD + "{}", "other-objects-ignored"),
        (f"<think>{GOOD}</think>{GOOD}", "thinking-removed"),
        (GOOD + GOOD[:300], "text-removed, later-object-unreadable"),
        (reply(title="x"), "extra-keys-ignored"),
        (reply(["#000", *PALETTE[1:]]), "colours-respelled"),
        (reply(["#0008", *PALETTE[1:]]), "alpha-dropped"),
        (reply(grid=LISTS), "rows-from-lists"),
        (
            reply(["#000", *PALETTE[1:]], LISTS, a=1) + "!",
            "text-removed, extra-keys-ignored, colours-respelled, rows-from-lists",
        ),
    ],
)
def test_repairs_are_named(item, text, repairs):
    assert ORIGINAL.score(item, Answer(text), {}).notes["repairs"] == repairs


def test_lenient_reads_the_colours_that_were_meant():
    spelled = ["#87CEEB", "f00", [139, 69, 19], "White", "rgb(1,2,3)", "#01020304"]
    lenient = read(reply(spelled), Format("original", SIZE, 10))[1]
    assert lenient.palette == [(135, 206, 235), (255, 0, 0), (139, 69, 19), (255, 255, 255), (1, 2, 3), (1, 2, 3)]


@pytest.mark.parametrize(
    ("palette", "grid", "strict", "repairs"),
    [
        (["#87ceeb", "green", [1, 2, 3], "f00"], LISTS, "ok", ""),
        (["black"], [[0] * SIZE] * SIZE, "ok", ""),
        (PALETTE, ROWS, "bad-rows", "rows-from-strings"),
        (["#87ceebff", *PALETTE[1:]], LISTS, "bad-palette", "alpha-dropped"),
    ],
)
def test_the_lite_form_has_its_own_strictness(palette, grid, strict, repairs):
    bench = PixelArt(family="lite")
    result = check(bench, next(bench.items(Source("published"), 0, 1)), reply(palette, grid))
    assert (result.notes["strict"], result.notes["lenient"]) == (strict, "ok")
    assert result.notes.get("repairs", "") == repairs


def test_the_lite_form_reaches_256_colours():
    bench = PixelArt(family="lite", grid=16, colours=256)
    text = reply([f"#{k:02x}{k:02x}{k:02x}" for k in range(256)], np.arange(256).reshape(16, 16).tolist())
    result = check(bench, next(bench.items(Source("published"), 0, 1)), text)
    assert result.notes["strict"] == "ok" and result.metrics["describe.colour_efficiency"] == 1.0


def test_misses_are_graded(item):
    short = ORIGINAL.score(item, Answer(reply(grid=[row[:20] for row in ROWS[:23]])), {}).metrics
    assert (short["rows_off"], short["width_off"], short["illegal_share"]) == (1.0, 4.0, 0.0)
    ragged = ORIGINAL.score(item, Answer(reply(grid=["0" * 23, "9" * 26])), {}).metrics
    assert (ragged["rows_off"], ragged["width_off"]) == (22.0, 1.5)
    assert ragged["illegal_share"] == pytest.approx(26 / 49) and ragged["unused_colours"] == 3.0
    doubled = ORIGINAL.score(item, Answer(reply(["ffffff", "FFFFFF", "000000"], ["0" * SIZE] * SIZE)), {}).metrics
    assert (doubled["unused_colours"], doubled["repeated_colours"], doubled["strict.renders"]) == (2.0, 1.0, 1.0)
    illegal_palette = ORIGINAL.score(item, Answer(reply([], ROWS[:20])), {}).metrics
    assert illegal_palette["rows_off"] == 4.0 and illegal_palette["illegal_share"] == 1.0


@pytest.mark.parametrize("answer", [Answer("I cannot draw."), Answer(failure=Failure(Fault.MODEL, "refusal"))])
def test_a_reply_of_nonsense_lacks_every_row_and_every_colour(answer):
    """Faults would otherwise count as the floor, and the floor writes the format without an error."""
    item = next(PixelArt().items(Source("published"), 0, 1))
    metrics = PixelArt().score(item, answer, {}).metrics
    assert (metrics["rows_off"], metrics["width_off"], metrics["illegal_share"]) == (24.0, 24.0, 1.0)


def test_ended_tells_a_runaway(item):
    answer = Answer(GOOD)
    assert ORIGINAL.score(item, answer, {}).metrics["ended"] == 1.0
    assert ORIGINAL.score(item, replace(answer, stop="length"), {}).metrics["ended"] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["{", "{}", '{"', '{\\"', '{"a":{', '"', "[{", '{"palette":[],"grid":[]}'])
def test_memory_stays_in_proportion_to_the_reply(item, unit):
    text = (unit * 20_000)[:20_000]
    tracemalloc.start()
    try:
        ORIGINAL.score(item, Answer(text), {})
        assert tracemalloc.get_traced_memory()[1] < 150 * len(text)
    finally:
        tracemalloc.stop()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(PALETTE),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from(["palette", "grid", "x"]), inner),
    max_leaves=20,
)
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        ",",
        ":",
        "```",
        "\n",
        "0",
        "9",
        "#",
        "NaN",
        "1e999",
        "\ud800",
        "٣",
        "<think>",
        "</think>",
    ]
)
SMALL = PixelArt(grid=4, colours=4)
SMALL_GOOD = SMALL.form.write(PALETTE, [[0, 1, 2, 3]] * 4)


@st.composite
def mutated(draw):
    """A valid reply with a few pieces cut, doubled, moved or put in."""
    text = draw(
        st.sampled_from([SMALL_GOOD, reply(["#000", "red"], [[0, 1, 1, 0]] * 4), f"```json\n{SMALL_GOOD}\n```"])
    )
    for _ in range(draw(st.integers(1, 5))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        middle = draw(st.sampled_from(["", text[start:end] * 2]) | PIECES | st.text(max_size=4))
        text = text[:start] + middle + text[end:] if draw(st.booleans()) else text[:start] + middle + text[start:]
    return text


@pytest.fixture(scope="module")
def small_item():
    return next(SMALL.items(Source("published"), 0, 1))


@pytest.mark.slow
@settings(max_examples=300)
@given(mutated())
def test_mutated_replies(small_item, text):
    check(SMALL, small_item, text)


@given(JSON, JSON)
def test_any_json_in_the_two_keys(small_item, palette, grid):
    check(SMALL, small_item, json.dumps({"palette": palette, "grid": grid}))
    check(SMALL, small_item, json.dumps({"palette": PALETTE, "grid": grid}))


@given(JSON | st.text() | st.lists(PIECES).map("".join))
def test_any_text(small_item, value):
    check(SMALL, small_item, value if isinstance(value, str) else json.dumps(value))


@pytest.mark.soak
@settings(max_examples=2000 * SOAK, deadline=None)
@given(mutated() | st.lists(PIECES).map("".join))
def test_long_fuzzing(small_item, text):
    check(SMALL, small_item, text)


@given(st.integers(2, 10), st.integers(4, 9), st.sampled_from(["original", "lite"]), st.data())
def test_what_the_format_writes_reads_back(colours, size, family, data):
    form = Format(family, size, 10)
    palette = data.draw(st.lists(st.integers(0, 0xFFFFFF).map("{:06x}".format), min_size=colours, max_size=colours))
    row = st.lists(st.integers(0, colours - 1), min_size=size, max_size=size)
    grid = data.draw(st.lists(row, min_size=size, max_size=size))
    strict, lenient = read(form.write(palette, grid), form)
    assert strict.outcome == lenient.outcome == "ok"
    assert strict.grid.tolist() == grid and [bytes(colour).hex() for colour in strict.palette] == palette
