"""`gemini/`: generateContent with images and tools, against a server that speaks Google's REST format."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pixelproof
from models.agents import FIRST, LATER, READ, SECOND, START, ZOOM, scripted
from models.servers import (
    KEY,
    QUICK,
    b64,
    gemini_reply,
    google_error,
    inline,
    picture,
    png,
    says,
    serving,
    speaks_gemini,
)
from models.sketch import Sketch
from pixelproof.contract import Answer, Artefact, Fault, Item, PixelProofError, Prompt, Turn, Usage
from pixelproof.models import MASK, Decoding, GeminiModel, read_usage
from pixelproof.models.http import METER, RequestFailed

ITEM = Item("draw/world/1/0", {}, truth="SECRET TRUTH")
DRAW = Prompt(("a red house",), wants="image")
WRITE = Prompt(("describe it", picture(1)), wants="text", system="Be brief.", max_tokens=50)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


@pytest.fixture
def opened(monkeypatch):
    def open_(server, spelling: str = "gemini-9-image", decoding: Decoding | None = None) -> GeminiModel:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        return GeminiModel(f"gemini/{spelling}", spelling, decoding, QUICK)

    return open_


def replying(opened, reply, prompt: Prompt = DRAW) -> Answer:
    with serving(says(reply)) as server:
        return opened(server).answer(prompt, ITEM, 0, 0)


def test_an_image_is_requested_with_size_aspect_and_thoughts(opened):
    with serving(says(gemini_reply({"text": "Here: "}, inline(png(7)), {"text": "done."}))) as server:
        model = opened(server, "gemini-9-image?aspect=16:9&size=2K&thoughts=yes&thinking=high&safety=BLOCK_NONE")
        answer = model.answer(Prompt(("a red", picture(2), "house"), "image", max_tokens=5), ITEM, 0, 0)
    assert answer.failure is None and answer.images == (picture(7),) and answer.text == "Here: done."
    assert answer.stop == "stop" and answer.trace == ({"served_by": "gemini-x-001"},)
    assert answer.usage == Usage(9, 1390, images=1, seconds=answer.usage.seconds)
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1beta/models/gemini-9-image:generateContent")
    assert seen.headers["x-goog-api-key"] == KEY and "authorization" not in seen.headers and KEY not in seen.path
    sent = seen.json
    config = sent.pop("generationConfig")
    assert 0 <= config.pop("seed") < 2**31
    assert config == {
        "responseModalities": ["TEXT", "IMAGE"],
        "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
    }
    parts = [{"text": "a red"}, inline(png(2)), {"text": "house"}]
    assert sent.pop("contents") == [{"role": "user", "parts": parts}]
    assert {one["threshold"] for one in sent.pop("safetySettings")} == {"BLOCK_NONE"} and not sent
    assert b"SECRET" not in seen.body


def test_text_is_asked_for_with_a_limit_and_a_temperature(opened):
    with serving(says(gemini_reply({"text": "a house"}, finish="MAX_TOKENS"))) as server:
        answer = opened(server).answer(WRITE, ITEM, 0, 0)
        opened(server, decoding=Decoding(temperature=0.0, max_tokens=7)).answer(WRITE, ITEM, 0, 0)
    assert (answer.text, answer.stop, answer.failure, answer.usage.images) == ("a house", "length", None, 0)
    first, second = (seen.json for seen in server.seen)
    assert first["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert first["generationConfig"]["responseModalities"] == ["TEXT"]
    assert first["generationConfig"]["maxOutputTokens"] == 50 and "temperature" not in first["generationConfig"]
    assert (second["generationConfig"]["maxOutputTokens"], second["generationConfig"]["temperature"]) == (7, 0.0)


def test_a_mask_is_sent_as_an_ordinary_image(opened):
    with serving(says(gemini_reply(inline(png())))) as server:
        opened(server).answer(Prompt((picture(1), Artefact(png(2), MASK)), "image"), ITEM, 0, 0)
    assert server.seen[0].json["contents"][0]["parts"] == [inline(png(1)), inline(png(2))]


def test_seeds_differ_by_item_sample_and_run(opened):
    with serving(says(gemini_reply(inline(png())))) as server:
        model = opened(server)
        for item, sample, seed in [("a", 0, 0), ("b", 0, 0), ("a", 1, 0), ("a", 0, 1), ("a", 0, 0)]:
            model.answer(DRAW, Item(item, {}), sample, seed)
    seeds = [seen.json["generationConfig"]["seed"] for seen in server.seen]
    assert seeds[0] == seeds[-1] and len(set(seeds)) == 4


def test_thoughts_go_to_the_trace_and_final_images_stay_in_order(opened):
    parts = [
        {"text": "Let me think.", "thought": True},
        inline(png(1), thought=True),
        {"text": "First "},
        inline(png(2)),
        inline(png(3), thought=True),
        {"text": "and final."},
        inline(png(4), "image/jpeg"),
        {"text": "", "thoughtSignature": "abc"},
    ]
    answer = replying(opened, gemini_reply(*parts))
    assert answer.images == (picture(2), picture(4))  # the second only calls itself a JPEG
    assert answer.text == "First and final." and answer.usage.images == 2
    assert answer.trace == (
        {"served_by": "gemini-x-001"},
        {"thought": "Let me think."},
        {"thought_image": f"data:image/png;base64,{b64(png(1))}"},
        {"thought_image": f"data:image/png;base64,{b64(png(3))}"},
    )
    assert json.loads(json.dumps(answer.trace)) == list(answer.trace)


def test_an_image_in_the_thoughts_is_not_an_answer(opened):
    answer = replying(opened, gemini_reply(inline(png(1), thought=True), {"text": "I could not finish."}))
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "no-image")
    assert "could not finish" in answer.failure.detail and answer.usage.images == 0


def test_a_broken_thought_does_not_spoil_the_answer(opened):
    broken = {"inlineData": {"mimeType": "image/png", "data": "!!"}, "thought": True}
    assert replying(opened, gemini_reply(broken, inline(png(2)))).images == (picture(2),)


@pytest.mark.parametrize("prompt", [DRAW, WRITE])
@pytest.mark.parametrize(
    "reason",
    ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
     "IMAGE_RECITATION"],
)  # fmt: skip
def test_reasons_to_stop_that_are_refusals(opened, reason, prompt):
    reply = gemini_reply(finish=reason)
    reply["candidates"][0] |= {"content": {"role": "model"}, "finishMessage": "Unable to show the generated image."}
    answer = replying(opened, reply, prompt)
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "refusal")
    assert answer.failure.detail == f"{reason} Unable to show the generated image."
    assert answer.stop == reason.lower() and answer.usage.input_tokens == 9


@pytest.mark.parametrize("reason", ["NO_IMAGE", "IMAGE_OTHER", "OTHER", "STOP", "MAX_TOKENS", "MALFORMED_RESPONSE", ""])
def test_other_finish_reasons_without_an_image_are_no_image(opened, reason):
    answer = replying(opened, gemini_reply({"text": "Sorry."}, finish=reason))
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "no-image")
    assert answer.text == "Sorry."
    assert replying(opened, gemini_reply({"text": "ok"}, finish=reason), WRITE).failure is None


def test_an_image_before_the_filter_counts(opened):
    answer = replying(opened, gemini_reply(inline(png(1)), finish="IMAGE_SAFETY"))
    assert answer.failure is None and answer.images == (picture(1),) and answer.stop == "image_safety"


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "NEW_WORD"])
def test_blocked_prompts_are_refusals(opened, reason):
    reply = {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 4}, "modelVersion": "x"}
    answer = replying(opened, reply)
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "refusal")
    assert answer.failure.detail == reason and answer.usage.input_tokens == 4


def test_an_empty_reply_is_no_image_and_an_unknown_format_a_bad_response(opened):
    assert replying(opened, {"candidates": [], "usageMetadata": {}}).failure.name == "no-image"
    with pytest.raises(PixelProofError, match="the reply has no list 'candidates'"):
        replying(opened, {"hello": "world"})


def test_services_that_pass_gemini_on_may_spell_fields_otherwise(opened):
    part = {"inline_data": {"mime_type": "image/png", "data": b64(png(6))}}
    assert replying(opened, gemini_reply(part)).images == (picture(6),)


def test_an_invalid_key_gets_a_message(opened):
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error = google_error(400, "INVALID_ARGUMENT", "API key not valid.", detail)
    with pytest.raises(PixelProofError, match="does not accept the key: set GEMINI_API_KEY to a valid key"):
        with serving(says(error, 400)) as server:
            opened(server).answer(DRAW, ITEM, 0, 0)


def test_keys_have_two_names_and_the_nearer_one_wins(monkeypatch, opened):
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    with serving(says(gemini_reply(inline(png())))) as server:
        opened(server).answer(DRAW, ITEM, 0, 0)
        monkeypatch.delenv("GEMINI_API_KEY")
        opened(server).answer(DRAW, ITEM, 0, 0)
    assert [seen.headers["x-goog-api-key"] for seen in server.seen] == [KEY, "another"]
    monkeypatch.delenv("GOOGLE_API_KEY")
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL")
    with pytest.raises(PixelProofError, match="Set GEMINI_API_KEY or GOOGLE_API_KEY to your key"):
        GeminiModel("gemini/x", "x")


def test_names_cannot_leave_their_place_in_the_address(opened):
    with serving(says(gemini_reply(inline(png())))) as server:
        opened(server, "../../x/y%2f").answer(DRAW, ITEM, 0, 0)
    assert server.seen[0].path == "/v1beta/models/..%2F..%2Fx%2Fy%252f:generateContent"


KEYS = ["candidates", "content", "parts", "text", "inlineData", "data", "thought", "finishReason", "promptFeedback"]
KEYS += ["functionCall", "name", "args", "id", "thoughtSignature", "logprobsResult", "topCandidates", "token"]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.just(b64(png())) | st.just("SAFETY"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
)


@pytest.mark.slow
@given(JSON | st.builds(lambda parts: {"candidates": [{"content": {"parts": parts}}]}, st.lists(JSON)), st.booleans())
def test_no_reply_breaks_the_reading_of_it(content, draws):
    model = GeminiModel("gemini/m", "m")
    assert read_usage(content).usage.output_tokens >= 0
    try:
        answer = model._read(content, DRAW if draws else WRITE)
    except RequestFailed as error:
        assert error.failure.fault is Fault.INFRASTRUCTURE
    else:
        json.dumps(answer.trace)
        assert not draws or bool(answer.images or answer.calls or answer.failure)
        assert not (draws and answer.images and answer.failure)


@pytest.mark.slow
def test_a_whole_run_with_thoughts_and_refusals_can_be_scored_and_stored(tmp_path, opened, monkeypatch):
    monkeypatch.setattr("pixelproof.models.http._remote.Limits", lambda: QUICK)
    good = says(gemini_reply({"text": "hm", "thought": True}, inline(png(9), thought=True), inline(png(60, (8, 8)))))
    acts = [good, good, says(gemini_reply(finish="IMAGE_SAFETY")), says(gemini_reply({"text": "no"}))]
    with serving(*acts) as server:
        opened(server)
        run = pixelproof.run(Sketch(), "gemini/m?thoughts=yes", out=tmp_path / "run", connections=1)
        again = pixelproof.rescore(tmp_path / "run", Sketch())
    assert run.complete and run.summary["failures"] == {"refusal": 1, "no-image": 1}
    assert again.summary["metrics"] == run.summary["metrics"]


def test_a_conversation_with_tools(opened):
    with serving(speaks_gemini(scripted)) as server:
        model = opened(server)
        first, second = model.answer(START, ITEM, 0, 0), model.answer(LATER, ITEM, 0, 0)
    assert first.calls == (FIRST, SECOND) and first.text == "I look closer." and first.failure is None
    assert second.calls == () and json.loads(second.text) == ["enlarged", "STOP"]
    opening, later = (seen.json for seen in server.seen)
    assert (
        opening["tools"]
        == later["tools"]
        == [
            {
                "functionDeclarations": [
                    {"name": tool.name, "description": tool.about, "parametersJsonSchema": tool.parameters}
                    for tool in (ZOOM, READ)
                ]
            }
        ]
    )
    user = {"role": "user", "parts": [{"text": "What does the sign say?"}, inline(png(1))]}
    assert opening["contents"] == [user]
    assert later["contents"] == [
        user,
        {
            "role": "model",
            "parts": [
                {"text": "I look closer."},
                {"functionCall": {"name": "zoom", "args": {"x": 3}}},
                {"functionCall": {"name": "read", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "zoom", "response": {"result": "enlarged"}}},
                {"functionResponse": {"name": "read", "response": {"result": "STOP"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "Image from the result of zoom (call-0):"}, inline(png(2))]},
    ]


def test_signatures_and_ids_are_sent_back(opened):
    part = {"functionCall": {"id": "g1", "name": "zoom", "args": {"x": 3}}, "thoughtSignature": "c2lnbmF0dXJl"}
    other = {"functionCall": {"name": "read"}}
    with serving(says(gemini_reply({"text": "hm", "thought": True}, part, other))) as server:
        model = opened(server)
        first = model.answer(START, ITEM, 0, 0)
        results = [Turn("tool", ("x",), call=call) for call in first.calls]
        history = (Turn("user", START.parts), Turn("model", calls=first.calls), *results)
        model.answer(replace(LATER, history=history), ITEM, 0, 0)
    assert [(call.id, call.tool, call.arguments) for call in first.calls] == [
        ("g1", "zoom", {"x": 3}), ("call-1", "read", {})
    ]  # fmt: skip
    assert "c2lnbmF0dXJl" not in repr(first)
    _, model_content, responses = server.seen[1].json["contents"]
    assert model_content["parts"] == [part, {"functionCall": {"name": "read", "args": {}}}]
    assert [response["functionResponse"].get("id") for response in responses["parts"]] == ["g1", None]


def test_a_call_is_not_a_missing_image(opened):
    reply = gemini_reply({"functionCall": {"name": "zoom", "args": {"x": 1}}})
    answer = replying(opened, reply, replace(START, wants="image"))
    assert answer.failure is None and answer.calls[0].tool == "zoom"


def test_images_that_the_model_returned_stay_in_its_message(opened):
    history = (Turn("user", ("draw",)), Turn("model", ("here", picture(5))))
    with serving(says(gemini_reply(inline(png(6))))) as server:
        opened(server).answer(Prompt(("darker",), "image", history=history), ITEM, 0, 0)
    assert server.seen[0].json["contents"][1] == {"role": "model", "parts": [{"text": "here"}, inline(png(5))]}


def test_log_probabilities_are_requested_and_read(opened):
    reply = gemini_reply({"text": "yes!"})
    top = [{"token": "no", "logProbability": -0.25}, {"token": "yes", "logProbability": -2}]
    reply["candidates"][0]["logprobsResult"] = {
        "topCandidates": [{"candidates": top}],
        "chosenCandidates": [{"token": "yes", "logProbability": -2}, {"token": "!", "logProbability": -0.5}],
    }
    with serving(says(reply)) as server:
        answer = opened(server).answer(replace(WRITE, logprobs=2), ITEM, 0, 0)
        opened(server, "m?logprobs=no").answer(replace(WRITE, logprobs=2), ITEM, 0, 0)
    assert answer.logprobs == ({"no": -0.25, "yes": -2.0}, {"!": -0.5})
    asked, silent = (seen.json["generationConfig"] for seen in server.seen)
    assert (asked["responseLogprobs"], asked["logprobs"]) == (True, 2)
    assert not {"responseLogprobs", "logprobs"} & set(silent)


def test_thoughts_alone_do_not_state_the_output(opened):
    reply = gemini_reply({"text": "a house"}) | {"usageMetadata": {"promptTokenCount": 9, "thoughtsTokenCount": 1}}
    answer = replying(opened, reply, WRITE)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 0)


@pytest.mark.parametrize("modalities, nothing", [(["TEXT"], True), (["TEXT", "IMAGE"], False), ([], False)])
def test_a_reply_may_state_that_it_drew_nothing(opened, modalities, nothing):
    details = [{"modality": modality, "tokenCount": 3} for modality in modalities]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "candidatesTokensDetails": details}
    told = []
    meter = SimpleNamespace(sending=lambda: True, drew_nothing=lambda: told.append(1), report_usage=lambda usage: None)
    token = METER.set(meter)
    try:
        replying(opened, gemini_reply({"text": "no"}) | {"usageMetadata": usage})
    finally:
        METER.reset(token)
    assert bool(told) == nothing
