"""Lenient reading of replies that think aloud: the last complete drawing counts, whatever is around it."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches import get_bench
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import read
from pixelproof.contract import Source

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


UNREADABLE = {
    "cut off": FINAL[:-9],
    "cut off at once": "{",
    "cut off in a key": '{"pal',
    "a comma missing": FINAL.replace('", "', '" "', 1).replace('","', '" "', 1),
    "Python": FINAL.replace('"', "'"),
    "JavaScript": FINAL.replace('"palette"', "palette").replace('"grid"', "grid"),
    "one key missing": '{"palette": ["ffffff"], "rows": []}',
}


@pytest.mark.parametrize("later", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_later_object_that_cannot_be_read_is_stated(later):
    grid, repairs = grid_of(f"{DRAFT}\nFinal:\n{later}")
    assert grid == [[3, 3, 3, 3]] * 4 and "later-object-unreadable" in repairs


@pytest.mark.parametrize(
    "after", ["{}", "Enjoy {:-)}!", '{"a": 1, // "b\n}', "A set {x | x > 0", f"<think>{UNREADABLE['cut off']}</think>"]
)
def test_braces_of_prose_and_other_objects_behind_a_drawing_are_not(after):
    grid, repairs = grid_of(f"{FINAL}\n{after}")
    assert grid == [[0, 1, 2, 3]] * 4 and repairs and "later-object-unreadable" not in repairs


@pytest.mark.parametrize(
    ("later", "outcome"),
    [
        ("cut off", "unfinished"),
        ("cut off at once", "unfinished"),
        ("cut off in a key", "unfinished"),
        ("a comma missing", "broken-json"),
        ("Python", "broken-json"),
        ("JavaScript", "broken-json"),
        ("one key missing", "missing-keys"),
    ],
)
@pytest.mark.parametrize("tags", [("<think>", "</think>"), ("", "</think>"), ("[THINK]", "[/THINK]")])
def test_a_draft_in_thinking_does_not_stand_in_for_the_answer(later, outcome, tags):
    strict, lenient = read(f"{tags[0]}First {DRAFT}.{tags[1]}\n{UNREADABLE[later]}", FORM)
    assert lenient.outcome == outcome and lenient.grid is None and strict.outcome != "ok"


def test_thinking_is_no_answer():
    assert grid_of(f"<think>{DRAFT}</think>{FINAL}")[1] == ["thinking-removed"]
    assert grid_of(f"{FINAL}<think>Or {DRAFT}?</think>") == ([[0, 1, 2, 3]] * 4, ["thinking-removed"])
    assert grid_of(f"<think>a</think>{FINAL}</think>")[0] == [[0, 1, 2, 3]] * 4  # a stray tag
    lenient = read(f"<think>{DRAFT}</think>Done.", FORM)[1]
    assert lenient.outcome == "no-object" and "thinking aside" in lenient.detail
    assert grid_of(json.dumps({**json.loads(FINAL), "title": "</think>"}))[1] == ["extra-keys-ignored"]


def test_of_thinking_that_never_ends_a_draft_counts_unless_a_later_object_is_cut_off():
    """An answer may follow a forgotten tag, but not where the reply ends within a later drawing."""
    assert grid_of(f"<think>Now {FINAL}") == ([[0, 1, 2, 3]] * 4, ["text-removed"])
    lenient = read(f"<think>First {DRAFT}. Better: {FINAL[:-9]}", FORM)[1]
    assert lenient.outcome == "unfinished" and lenient.detail == "The thinking that begins at character 0 never ends."


def test_an_object_within_the_drawing_is_not_the_drawing():
    text = FINAL[:-1] + f', "draft": {DRAFT}}}'
    assert grid_of(text) == ([[0, 1, 2, 3]] * 4, ["extra-keys-ignored"])


AROUND = st.text(max_size=20) | st.lists(
    st.sampled_from(["{", "}", "[", "]", '"', "'", "\\", ",", ":", "```", "\n", "<think>", DRAFT, '{"a":', "{}", "1"]),
    max_size=8,
).map("".join)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(AROUND, AROUND)
def test_a_drawing_is_read_whatever_text_is_around_it(before, after):
    """Text that completes another drawing behind it is left out; comments that swallow it are none of JSON's."""
    after = after.replace(DRAFT, "")
    lenient = read(before + "\n" + FINAL + "\n" + after, FORM)[1]
    if lenient.outcome == "unfinished":
        assert "<think>" in before and "{" in after
    else:
        assert lenient.outcome == "ok" and lenient.grid.tolist() == [[0, 1, 2, 3]] * 4


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


@pytest.mark.slow
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


BEFORE = ["{", '{"', '{"a":{', '"{//"\n', "{/*", "/*{*/", '{"palette""grid"/**/', "{[", "{}", "<think>{</think>"]
BEHIND = ['{"', '{"a":1}', "{//\n}", '{"a":{']


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "behind"), [*((unit, False) for unit in BEFORE), *((unit, True) for unit in BEHIND)])
def test_time_is_in_proportion_to_the_reply(unit, behind):
    seconds = []
    for length in (20_000, 160_000):
        around = (unit * length)[: length // len(unit) * len(unit)]
        text = f"{FINAL}\n{around}" if behind else f"{around}\n{FINAL}"
        began = time.process_time()
        assert grid_of(text)[0] == [[0, 1, 2, 3]] * 4
        seconds.append(time.process_time() - began)
    assert seconds[1] < 24 * seconds[0] + 0.2  # eight times the text; a quadratic reader takes 64 times as long


BENCH = get_bench("pixelart")
PROMPT = BENCH.prompt(next(BENCH.items(Source("published"), 0, 1))).parts[0]
OTHERS = {
    "the prompt's example": PROMPT.split("colours:\n")[1].split("\n\n")[0],
    "fewer rows": FORM.write(PALETTE, [[0, 1, 2, 3]] * 3),
    "more rows": FORM.write(PALETTE, [[0, 1, 2, 3]] * 5),
    "no rows": '{"palette": ["ffffff", "000000"], "grid": []}',
    "no grid": '{"palette": ["ffffff", "000000"], "grid": "0123"}',
}


@pytest.mark.attack(
    "objects of another size quoted after a right drawing, the prompt's own example among them",
    before="`wrong-size`: the last object counts",
    lost="the last drawing of the asked size counts; without any, the last object does",
)
def test_trust4_an_object_of_another_size_is_no_candidate(record_property):
    form = Format("original", 24, 8)
    right = form.write(["ffffff", "000000"], [[0, 1] * 12] * 24)
    for other in OTHERS.values():
        for text in (
            f"{right}\nYour example was {other}.", f"{right}\n```json\n{other}\n```", f"{other}\n{right}\n{other}",
        ):  # fmt: skip
            strict, lenient = read(text, form)
            assert lenient.outcome == "ok" and lenient.grid.tolist() == [[0, 1] * 12] * 24
            assert strict.outcome == "text-around" and "later-object-unreadable" not in lenient.repairs
        assert read(other, form)[1].outcome != "ok", "alone, it is judged as the answer"
    record_property("tries", 4 * len(OTHERS))
