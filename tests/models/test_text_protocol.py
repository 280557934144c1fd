"""Tool calls as text: what is rendered is read back, and nothing that a model writes breaks the reader."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.agents import FIRST, HISTORY, LATER, READ, SECOND, START, ZOOM
from models.servers import picture
from pixelproof.contract import Answer, Call, Prompt, Tool, Turn
from pixelproof.models import as_text, read_reply
from pixelproof.models._conversation import STRICT_JSON
from pixelproof.models._text_protocol import render_reply, reply_schema


def read(text: str, prompt: Prompt = START) -> tuple[str, list[tuple[str, object]]]:
    answer = read_reply(Answer(text), prompt)
    return answer.text, [(call.tool, call.arguments) for call in answer.calls]


# Rendering.


def test_tools_are_described_and_the_conversation_is_text():
    plain = as_text(LATER)
    assert plain.tools == () and plain.grammar is None and plain.system.startswith("Use the tools.\n\n")
    for tool in (ZOOM, READ):
        assert f"- {tool.name}: {tool.about} Arguments: {json.dumps(tool.parameters)}" in plain.system
    user, model = plain.history
    assert user == HISTORY[0]
    assert model == Turn(
        "model",
        ('I look closer.\n{"tool": "zoom", "arguments": {"x": 3}}\n{"tool": "read", "arguments": {}}',),
    )
    assert plain.parts == ("Result of zoom (call-0):", "enlarged", picture(2), "Result of read (call-1):", "STOP")


def test_a_prompt_without_tools_is_not_changed():
    single = Prompt(("hi",), system="s", schema={"type": "string"})
    assert as_text(single) is single
    talk = Prompt(("c",), history=(Turn("user", ("a",)), Turn("model", ("b",)), Turn("user", ("b2",))))
    assert as_text(talk) == Prompt(("b2", "c"), history=talk.history[:2])


def test_the_last_prompt_of_an_episode_may_have_no_tools():
    plain = as_text(replace(LATER, tools=(), parts=("Answer now.",)))
    assert "tool" not in plain.system.removeprefix("Use the tools.") and plain.schema["required"] == ["answer"]
    final = replace(LATER, tools=())
    assert read('{"answer": "STOP"}', final) == ("STOP", [])
    assert read('{"tool": "zoom", "arguments": {}}', final) == ('{"tool": "zoom", "arguments": {}}', [])


def test_an_answer_may_have_a_schema_of_its_own():
    prompt = replace(START, schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    assert reply_schema(prompt)["anyOf"][-1]["properties"]["answer"] == prompt.schema
    assert read('{"answer": {"n": 3}}', prompt) == ('{"n": 3}', [])
    assert render_reply('{"n": 3}', (), prompt) == '{"answer": {"n": 3}}'


def test_the_schema_accepts_what_is_rendered():
    jsonschema = pytest.importorskip("jsonschema")
    schema = reply_schema(START)
    for text, calls in (("42", ()), ("", (FIRST,)), ("", (SECOND,))):
        jsonschema.validate(json.loads(render_reply(text, calls, START)), schema)
    for wrong in ({"tool": "fly", "arguments": {}}, {"tool": "zoom", "arguments": {}}, {"answer": 3}, {}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


# Reading.

ZOOMS = ("zoom", {"x": 3})
CALL = '{"tool": "zoom", "arguments": {"x": 3}}'


@pytest.mark.parametrize(
    ("reply", "text", "calls"),
    [
        (CALL, "", [ZOOMS]),
        (f"  {CALL}\n", "", [ZOOMS]),
        (f"```json\n{CALL}\n```", "", [ZOOMS]),
        (f"I look closer.\n\n```\n{CALL}\n```\nDone.", "I look closer.", [ZOOMS]),
        (f"<tool_call>\n{CALL}\n</tool_call>", "", [ZOOMS]),
        (f"[{CALL}, {CALL}]", "", [ZOOMS, ZOOMS]),
        (f"```json\n{CALL}\n```\n```json\n{CALL}\n```", "", [ZOOMS, ZOOMS]),
        (f'{CALL}\nResult of zoom: STOP\n{{"answer": "STOP"}}', "", [ZOOMS]),
        (f'{CALL}\n{{"answer": "imagined"}}\n{CALL}', "", [ZOOMS]),
        (f"{CALL} and then {CALL}", "", [ZOOMS]),
        ('{"arguments": {"x": 3}, "thought": "}{", "tool": "zoom"}', "", [ZOOMS]),
        ('{"name": "zoom", "arguments": {"x": 3}}', "", [ZOOMS]),
        ('{"tool": "fly", "arguments": {}}', "", [("fly", {})]),
        ('{"tool": "read"}', "", [("read", {})]),
        ('{"tool": "zoom", "arguments": "{\\"x\\": 3}"}', "", [ZOOMS]),
        ('{"tool": "zoom", "arguments": "x=3"}', "", [("zoom", "x=3")]),
        ('{"tool": "zoom", "arguments": [3]}', "", [("zoom", "[3]")]),
        ('{"tool": "zoom", "arguments": {"s": "a } { \\" ```"}}', "", [("zoom", {"s": 'a } { " ```'})]),
        ('{"thought": {"tool": "zoom"}} ' + CALL, '{"thought": {"tool": "zoom"}}', [ZOOMS]),
        ('the set {1, 2} and {"a"} ' + CALL, 'the set {1, 2} and {"a"}', [ZOOMS]),
        ('{"answer": "three"}', "three", []),
        ('Sure!\n```json\n{"answer": "a {brace}"}\n```', "a {brace}", []),
        ('{"answer": 3}', "3", []),
        ('{"tool": null, "answer": "x"}', "x", []),
        (f'{{"answer": "x"}} {CALL}', "x", []),
    ],
)  # fmt: skip
def test_sloppy_replies_are_understood(reply, text, calls):
    assert read(reply) == (text, calls)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "three",
        "{}",
        '{"answer": null}',
        '{"tool": ""}',
        '{"tool": 7, "arguments": {}}',
        '{"name": "somebody", "arguments": {}}',
        '{"tool": "zoom", "arguments": {"x": 3}',
        '{"tool": "zoom", "arguments": {"x": NaN}}',
        '["tool", "zoom"]',
        "{'tool': 'zoom'}",
    ],
)
def test_other_replies_stay_the_text_of_the_answer(reply):
    assert read(reply) == (reply, [])


def test_what_else_an_answer_holds_is_kept():
    answer = Answer(CALL, trace=({"served_by": "m"},), stop="length", logprobs=({"{": -0.1},))
    assert read_reply(answer, START) == replace(answer, text="", calls=(FIRST,))
    assert read_reply(answer, Prompt(("hi",))) is answer


def test_ids_count_the_earlier_calls():
    assert [call.id for call in read_reply(Answer(f"{CALL}\n{CALL}"), LATER).calls] == ["call-2", "call-3"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(
    st.builds(
        lambda tool, arguments: Call("", tool, arguments),
        st.text(min_size=1, max_size=8),
        st.dictionaries(st.text(), JSON, max_size=3),
    ),
    min_size=1,
    max_size=3,
)
WORDS = st.text(st.characters(exclude_characters="{[`<", exclude_categories=["Cs"]), max_size=20)


@pytest.mark.slow
@given(WORDS.map(str.strip), CALLS)
def test_rendered_calls_are_read_back(text, calls):
    answer = read_reply(Answer(render_reply(text, tuple(calls), START)), START)
    assert answer.text == text
    assert [(call.tool, call.arguments) for call in answer.calls] == [(call.tool, call.arguments) for call in calls]


@given(st.text(), JSON)
def test_rendered_answers_are_read_back(text, value):
    assert read(render_reply(text, (), START)) == (text, [])
    structured = replace(START, schema={})
    if value is not None:
        rendered = read(render_reply(json.dumps(value), (), replace(structured, schema={"a": 1})), structured)[0]
        assert json.loads(rendered) == value


PIECES = st.sampled_from([CALL, '{"answer": "x"}', '{"', '"', "{", "}", "\\", "```json\n", ":", ",", " ", '{"a":', "é"])


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join), st.sampled_from([START, LATER]))
def test_no_text_breaks_the_reader(text, prompt):
    answer = read_reply(Answer(text), prompt)
    assert answer.text == text or answer.calls or '"answer"' in text
    assert len({call.id for call in answer.calls}) == len(answer.calls)


class CountingDecoder:
    """Counts how far failed attempts read at most."""

    def __init__(self) -> None:
        self.failures = self.characters = 0

    def raw_decode(self, text: str, start: int) -> object:
        try:
            return STRICT_JSON.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            self.failures += 1
            unterminated = "Unterminated" in str(error) or not isinstance(error, json.JSONDecodeError)
            self.characters += len(text) - start if unterminated else error.pos - start
            raise


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["{", '{"', '{"a":', '{"a":1,', '{"a":{"', '{"a":"', '{"a":"b', '{"a":[', '{"\\"', '{"a" ', "{ \n", '{"a":1}{'],
)
def test_huge_replies_are_read_a_limited_number_of_times(monkeypatch, unit):
    for tail in ("", '"' + "x" * 1_000_000, "x" * 1_000_000):
        text, decoder = unit * 200_000 + tail, CountingDecoder()
        monkeypatch.setattr("pixelproof.models._text_protocol.STRICT_JSON", decoder)
        assert read(text) == (text, [])
        assert decoder.failures <= 1000 and decoder.characters <= 17 * len(text)


@pytest.mark.slow
def test_deep_nesting_is_not_an_error():
    for depth in range(100, 1200, 7):
        nested = '{"answer":' * depth + "1" + "}" * depth
        assert read(nested)[1] == []
        arguments = '{"tool": "zoom", "arguments": [' + "[" * depth + "]" * depth + "]}"
        read(arguments)


def test_a_tool_may_have_any_schema():
    odd = Tool("odd", "Odd.", {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}})
    schema = reply_schema(replace(START, tools=(odd,)))
    assert schema["anyOf"][0]["properties"]["arguments"]["additionalProperties"] == {"type": "string"}
