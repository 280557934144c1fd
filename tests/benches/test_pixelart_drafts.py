"""Lenient reading of replies that think aloud: the last complete drawing counts, whatever is around it."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import read

FORM = Format("original", 4, 4)
PALETTE = ["ffffff", "000000", "ff0000", "00ff00"]
FINAL = FORM.write(PALETTE, [[0, 1, 2, 3]] * 4)
DRAFT = FORM.write(PALETTE, [[3, 3, 3, 3]] * 4)


def grid_of(text):
    strict, lenient = read(text, FORM)
    assert lenient.outcome == "ok", (text, lenient.detail)
    assert strict.outcome != "ok" or strict.grid.tolist() == lenient.grid.tolist()
    return lenient.grid.tolist(), lenient.repairs


@pytest.mark.parametrize(
    "text",
    [
        f"<think>First {DRAFT}, no.</think>\n{FINAL}",
        f"<think>\n```json\n{DRAFT}\n```\nBetter:\n{DRAFT}</think>\n```json\n{FINAL}\n```",
        f"Draft: {DRAFT}\nFinal: {FINAL}\nI hope that you like it {{:-)}}",
        f'<think>The reply is {{"palette": [...], "grid": [...]}}.</think>{FINAL}',
        f'{DRAFT}\nNo: {{"palette": ["ffffff", "0000\n{FINAL}',
        f'{FINAL}\nShall I go on? {{"palette": ["ffffff"',
        json.dumps({"thoughts": "a { too many", "answer": json.loads(FINAL)}),
    ],
)
def test_the_last_complete_drawing_counts(text):
    assert grid_of(text)[0] == [[0, 1, 2, 3]] * 4
    assert read(text, FORM)[0].outcome != "ok"


def test_an_object_within_the_drawing_is_not_the_drawing():
    text = FINAL[:-1] + f', "draft": {DRAFT}}}'
    assert grid_of(text) == ([[0, 1, 2, 3]] * 4, ["extra-keys-ignored"])


AROUND = st.text(max_size=20) | st.lists(
    st.sampled_from(["{", "}", "[", "]", '"', "'", "\\", ",", ":", "```", "\n", "<think>", DRAFT, '{"a":', "{}", "1"]),
    max_size=8,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(AROUND, AROUND)
def test_a_drawing_is_read_whatever_text_is_around_it(before, after):
    """Text that completes another drawing behind it is left out; comments that swallow it are none of JSON's."""
    after = after.replace(DRAFT, "")
    grid, _ = grid_of(before + "\n" + FINAL + "\n" + after)
    assert grid == [[0, 1, 2, 3]] * 4


@st.composite
def commented(draw):
    """A drawing with comments and last commas where they may stand, and what it is without them."""
    palette = draw(st.lists(st.sampled_from(PALETTE), min_size=4, max_size=4))
    gap = st.sampled_from(["", " ", "\n", '// a } or " or ]\n', '/* { " ] */', "/**/", " //\n"])
    comma = st.sampled_from(["", ","])
    rows = ["0123", "3210", "1111", "0000"]
    lists = [
        f"[{draw(gap)}{(',' + draw(gap)).join(json.dumps(one) for one in values)}{draw(gap)}{draw(comma)}{draw(gap)}]"
        for values in (palette, rows)
    ]
    palette_member = f'"palette"{draw(gap)}:{draw(gap)}{lists[0]}'
    text = f'{{{draw(gap)}{palette_member},{draw(gap)}"grid":{lists[1]}{draw(comma)}{draw(gap)}}}'
    return text, palette, [[int(cell) for cell in row] for row in rows]


@settings(max_examples=200, deadline=None)
@given(commented(), st.sampled_from(["", f"{DRAFT}\n", "Look: {\n", "<think>http://x /* </think>\n"]))
def test_comments_and_last_commas_are_repaired_by_name(drawn, before):
    text, palette, rows = drawn
    strict, lenient = read(before + text, FORM)
    assert lenient.outcome == "ok" and lenient.grid.tolist() == rows
    assert [bytes(colour).hex() for colour in lenient.palette] == palette
    try:
        json.loads(text)
        assert not {"comments-removed", "last-commas-removed"} & set(lenient.repairs)
    except ValueError:
        assert strict.outcome in ("broken-json", "text-around")
        assert {"comments-removed", "last-commas-removed"} & set(lenient.repairs)


@pytest.mark.parametrize("unit", ["{", '{"', '{"a":{', '"{//"\n', "{/*", "/*{*/", '{"palette""grid"/**/', "{[", "{}"])
def test_time_is_in_proportion_to_the_reply(unit):
    seconds = []
    for length in (20_000, 160_000):
        text = (unit * length)[:length] + "\n" + FINAL
        began = time.process_time()
        assert grid_of(text)[0] == [[0, 1, 2, 3]] * 4
        seconds.append(time.process_time() - began)
    assert seconds[1] < 24 * seconds[0] + 0.2  # eight times the text; a quadratic reader takes 64 times as long
