"""Conversations with tools in OpenAI's format, through a server, and through a Python function."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.agents import FIRST, HISTORY, LATER, READ, SECOND, START, THIRD, ZOOM, scripted
from models.servers import KEY, QUICK, b64, chat_reply, picture, png, says, serving, speaks_chat
from pixelproof.contract import Answer, Call, Fault, Item, PixelProofError, Prompt, Turn
from pixelproof.models import ChatModel, FunctionModel, open_model
from pixelproof.models._conversation import move_images, parse_arguments, with_ids

ITEM = Item("agent/world/1/0", {}, truth="SECRET TRUTH")


def image_part(shade: int) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64(png(shade))}"}}


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@pytest.fixture
def chat(monkeypatch):
    def open_(server) -> ChatModel:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        return ChatModel("chat/m", "m", None, QUICK)

    return open_


def test_a_server_is_sent_the_whole_conversation(chat):
    with serving(speaks_chat(scripted)) as server:
        model = chat(server)
        first = model.answer(START, ITEM, 0, 0)
        second = model.answer(LATER, ITEM, 0, 0)
    assert first.calls == (FIRST, SECOND) and first.text == "I look closer." and first.stop == "stop"
    assert first.failure is None and second.failure is None
    assert second.calls == () and json.loads(second.text) == ["enlarged", "STOP"]
    opening, later = (seen.json for seen in server.seen)
    user = {"role": "user", "content": [text_part("What does the sign say?"), image_part(1)]}
    assert opening["messages"] == [{"role": "system", "content": "Use the tools."}, user]
    assert (
        opening["tools"]
        == later["tools"]
        == [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.about, "parameters": tool.parameters},
            }
            for tool in (ZOOM, READ)
        ]
    )
    assert later["messages"][:2] == opening["messages"]
    assert later["messages"][2:] == [
        {
            "role": "assistant",
            "content": "I look closer.",
            "tool_calls": [
                {"id": "call-0", "type": "function", "function": {"name": "zoom", "arguments": '{"x": 3}'}},
                {"id": "call-1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call-0", "content": "enlarged"},
        {"role": "tool", "tool_call_id": "call-1", "content": "STOP"},
        {"role": "user", "content": [text_part("Image from the result of zoom (call-0):"), image_part(2)]},
    ]


def test_new_parts_follow_the_images_of_results_in_one_user_message(chat):
    with serving(speaks_chat(scripted)) as server:
        chat(server).answer(replace(LATER, parts=("Answer now.",)), ITEM, 0, 0)
    *_, last = server.seen[0].json["messages"]
    assert last["role"] == "user"
    assert last["content"] == [
        text_part("Image from the result of zoom (call-0):"), image_part(2), text_part("Answer now.")
    ]  # fmt: skip


def test_a_prompt_without_tools_sends_none(chat):
    with serving(says(chat_reply("hello"))) as server:
        model = chat(server)
        model.answer(Prompt(("hi",)), ITEM, 0, 0)
        history = (Turn("user", ("hi",)), Turn("model", ("hello",)))
        model.answer(Prompt(("bye",), history=history), ITEM, 0, 0)
    first, second = (seen.json for seen in server.seen)
    assert "tools" not in first and "tools" not in second
    assert [(m["role"], m["content"]) for m in second["messages"]] == [
        ("user", "hi"), ("assistant", "hello"), ("user", "bye")
    ]  # fmt: skip


def test_images_that_a_model_returned_are_shown_to_it_in_a_user_message(chat):
    history = (Turn("user", ("draw",)), Turn("model", ("here", picture(5))))
    with serving(says(chat_reply("hello"))) as server:
        chat(server).answer(Prompt(("darker",), history=history), ITEM, 0, 0)
    assert server.seen[0].json["messages"][1:] == [
        {"role": "assistant", "content": "here"},
        {"role": "user", "content": [text_part("Image from your last message:"), image_part(5), text_part("darker")]},
    ]


def calling(*calls: dict) -> dict:
    return chat_reply(None, finish="tool_calls", tool_calls=list(calls))


def function(name: object, arguments: object, **more: object) -> dict:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"x": 1}', {"x": 1}),
        ({"x": 1}, {"x": 1}),
        ("", {}),
        (None, {}),
        ("x = 1", "x = 1"),
        ("[1, 2]", "[1, 2]"),
        ('{"x": NaN}', '{"x": NaN}'),
        ('{"x": 1e999}', '{"x": 1e999}'),
        ("{" * 10_000, "{" * 10_000),
        ('{"x":' * 10_000, '{"x":' * 10_000),
    ],
)
def test_arguments_are_a_mapping_or_the_raw_text(chat, arguments, expected):
    with serving(says(calling(function("zoom", arguments, id="abc")))) as server:
        (call,) = chat(server).answer(START, ITEM, 0, 0).calls
    assert call == Call("abc", "zoom", expected)


def test_ids_are_kept_if_unique_and_made_otherwise(chat):
    calls = [function("zoom", "{}", id=id_) for id_ in ("call-0", "theirs", "theirs", None, 7)]
    with serving(says(calling(*calls, function("", "{}"), {}, "junk"))) as server:
        answer = chat(server).answer(LATER, ITEM, 0, 0)
    assert [call.id for call in answer.calls] == ["call-2", "theirs", "call-4", "call-5", "call-6"]


def test_a_call_is_not_a_missing_image(chat):
    with serving(says(calling(function("zoom", '{"x": 4}')))) as server:
        answer = chat(server).answer(replace(LATER, wants="image"), ITEM, 0, 0)
    assert answer.failure is None and answer.calls == (THIRD,)


def test_arguments_that_quote_the_key_are_stored_without_it(chat):
    calls = [function("zoom", json.dumps({"a": [{"b": f"Bearer {KEY}"}]})), function("zoom", f"raw {KEY}")]
    with serving(says(calling(*calls))) as server:
        parsed, raw = chat(server).answer(START, ITEM, 0, 0).calls
    assert parsed.arguments == {"a": [{"b": "Bearer [secret]"}]} and raw.arguments == "raw [secret]"


def test_what_a_service_needs_back_with_a_call_is_sent_back(chat):
    details = [{"type": "reasoning.encrypted", "data": "opaque"}]
    signature = {"google": {"thought_signature": "abc"}}
    reply = calling(function("zoom", '{"x": 3}', id="a", extra_content=signature), function("read", "{}", id="b"))
    reply["choices"][0]["message"] |= {"reasoning_details": details, "reasoning_content": "hm"}
    with serving(says(reply)) as server:
        model = chat(server)
        first = model.answer(START, ITEM, 0, 0)
        results = [Turn("tool", ("x",), call=call) for call in first.calls]
        history = (Turn("user", START.parts), Turn("model", calls=first.calls), *results)
        model.answer(replace(LATER, history=history), ITEM, 0, 0)
    assert "opaque" not in repr(first) and "abc" not in repr(first)
    sent = server.seen[1].json["messages"][2]
    assert sent["reasoning_details"] == details and sent["reasoning_content"] == "hm"
    assert [call.get("extra_content") for call in sent["tool_calls"]] == [signature, None]


@pytest.mark.parametrize(
    ("name", "sent"), [("m", {"logprobs": True, "top_logprobs": 20}), ("m?logprobs=no", {}), ("m", None)]
)
def test_log_probabilities_are_requested_and_read(chat, monkeypatch, name, sent):
    reply = chat_reply("yes")
    top = [{"token": "yes", "logprob": -0.25}, {"token": "no", "logprob": -2}, {"token": 3}, {"logprob": "x"}]
    tokens = [{"token": "yes", "logprob": -0.25, "top_logprobs": top}, {"token": "!", "logprob": -9.5}, "junk"]
    reply["choices"][0]["logprobs"] = {"content": tokens} if sent else None
    with serving(says(reply)) as server:
        chat(server)
        model = ChatModel(f"chat/{name}", name, None, QUICK)
        answer = model.answer(Prompt(("?",), logprobs=25 if sent is not None else 0), ITEM, 0, 0)
    asked = server.seen[0].json
    assert {key: asked[key] for key in ("logprobs", "top_logprobs") if key in asked} == (sent or {})
    assert answer.logprobs == (({"yes": -0.25, "no": -2.0}, {"!": -9.5}, {}) if sent else ())


def test_images_stay_in_turns_that_may_have_them():
    moved = move_images(HISTORY, roles=("tool",))
    assert moved[0] == HISTORY[0] and [turn.role for turn in moved] == ["user", "model", "tool", "tool", "user"]
    assert moved[2].parts == ("enlarged",)


IDS = st.lists(st.sampled_from(["", "theirs", "call-0", "call-1", "call-2", "call-3", "call-5"]), max_size=6)


@given(IDS, IDS)
def test_ids_are_always_unique(earlier, ids):
    before = with_ids([Call(name, "t", {}) for name in earlier], Prompt(()))
    prompt = Prompt((), history=(Turn("model", calls=before),))
    named = with_ids([Call(name, "t", {}) for name in ids], prompt)
    taken = [call.id for call in before + named]
    assert len(set(taken)) == len(taken) and all(taken)
    assert named == with_ids([Call(name, "t", {}) for name in ids], prompt)


@given(st.recursive(st.none() | st.text() | st.floats() | st.integers(), lambda inner: st.lists(inner)))
def test_any_arguments_can_be_stored(value):
    parsed = parse_arguments(value)
    assert isinstance(parsed, str) or json.loads(json.dumps(parsed, allow_nan=False)) == parsed


@pytest.mark.parametrize("later", [START, LATER, Prompt(("x",), "image", history=(Turn("user", ("a",)),))])
def test_models_that_only_draw_refuse_episodes(bench, monkeypatch, later):
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    model = open_model("images/gpt-image-1", bench)
    with pytest.raises(PixelProofError, match="images/gpt-image-1 answers single prompts.*agent/world/1/0"):
        model.answer(replace(later, wants="image"), ITEM, 0, 0)


AGENT = """
from pixelproof.contract import Answer, Call
def act(prompt):
    results = [turn for turn in prompt.history if turn.role == "tool"]
    if results:
        return Answer(f"{results[-1].call.tool} {len(prompt.tools)}", calls=(Call("", "zoom", {"x": 4}),))
    return Answer(calls=(Call("", "zoom", {"x": 3}), Call("", "read", {})))
def list_of_calls(prompt): return Answer(calls=[{"tool": "zoom"}])
def wrong_text(prompt): return Answer(text=None)
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    (tmp_path / "my_agent.py").write_text(AGENT)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name, prompt: FunctionModel(f"fn/my_agent:{name}", f"my_agent:{name}").answer(prompt, ITEM, 0, 0)
    sys.modules.pop("my_agent", None)


def test_a_function_receives_the_conversation_and_calls_tools(agent):
    assert agent("act", START).calls == (FIRST, SECOND)
    answer = agent("act", LATER)
    assert answer.text == "read 2" and answer.calls == (THIRD,)


@pytest.mark.parametrize(("name", "words"), [("list_of_calls", "calls holds dict"), ("wrong_text", "text holds None")])
def test_an_answer_of_wrong_types_is_named(agent, name, words):
    failure = agent(name, START).failure
    assert failure.fault is Fault.INFRASTRUCTURE and failure.name == "unusable-return" and words in failure.detail


def test_both_transports_give_the_same_answers(agent, chat):
    with serving(speaks_chat(lambda messages, tools: Answer(calls=(Call("", "zoom", {"x": 4}),)))) as server:
        remote = chat(server).answer(LATER, ITEM, 0, 0)
    assert remote.calls == agent("act", LATER).calls
