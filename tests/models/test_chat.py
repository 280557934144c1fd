"""`chat/`: chat completions with images, against a server in OpenAI's format with OpenRouter's additions."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.agents import FIRST, HISTORY, LATER
from models.servers import KEY, QUICK, b64, chat_reply, openai_error, picture, png, says, serving
from pixelproof.contract import Answer, Artefact, Fault, Item, PixelProofError, Prompt, Turn, Usage
from pixelproof.models import MASK, ChatModel, Decoding, GgufModel, read_usage, smollm2_weights
from pixelproof.models.http import RequestFailed

ITEM = Item("draw/world/1/0", {}, truth="SECRET TRUTH")
DRAW = Prompt(("a red", "house"), wants="image")
WRITE = Prompt(("describe it", picture(1)), wants="text", system="Be brief.", max_tokens=50)


def url(data: bytes) -> str:
    return f"data:image/png;base64,{b64(data)}"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)


@pytest.fixture
def opened(monkeypatch):
    def open_(server, spelling: str = "vendor/model", decoding: Decoding | None = None) -> ChatModel:
        monkeypatch.setenv("OPENROUTER_BASE_URL", f"{server.url}/api/v1")
        spelling += ("&" if "?" in spelling else "?") + "service=openrouter"
        return ChatModel(f"chat/{spelling}", spelling, decoding, QUICK)

    return open_


def replying(opened, reply, prompt: Prompt = DRAW) -> Answer:
    with serving(says(reply)) as server:
        return opened(server).answer(prompt, ITEM, 0, 0)


def test_images_beside_the_text(opened):
    with serving(says(chat_reply("Here you are.", png(1), png(2), reasoning="A house, red."))) as server:
        answer = opened(server, "vendor/model:free?aspect=16:9&size=2K").answer(DRAW, ITEM, 0, 0)
    assert answer.failure is None and answer.images == (picture(1), picture(2)) and answer.text == "Here you are."
    assert answer.usage == Usage(12, 1303, images=2, cost=0.0387, seconds=answer.usage.seconds)
    assert answer.trace == ({"served_by": "vendor/model-0925"}, {"thought": "A house, red."})
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/api/v1/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}" and b"SECRET" not in seen.body
    sent = seen.json
    assert 0 <= sent.pop("seed") < 2**31
    assert sent == {
        "model": "vendor/model:free",
        "messages": [{"role": "user", "content": "a red\nhouse"}],
        "modalities": ["image", "text"],
        "image_config": {"aspect_ratio": "16:9", "image_size": "2K"},
    }


def test_images_in_and_text_out(opened):
    with serving(says(chat_reply("a house"))) as server:
        answer = opened(server, decoding=Decoding(temperature=0.5)).answer(WRITE, ITEM, 0, 0)
    assert (answer.text, answer.images, answer.failure, answer.stop) == ("a house", (), None, "stop")
    sent = server.seen[0].json
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "describe it"},
                {"type": "image_url", "image_url": {"url": url(png(1))}},
            ],
        },
    ]
    assert (sent["max_tokens"], sent["temperature"]) == (50, 0.5) and "modalities" not in sent


def test_models_that_return_only_images_are_asked_for_images_alone(opened):
    with serving(says(chat_reply(None, png(3)))) as server:
        assert opened(server, "m?modalities=image").answer(DRAW, ITEM, 0, 0).images == (picture(3),)
    assert server.seen[0].json["modalities"] == ["image"]


def test_a_mask_is_sent_as_an_ordinary_image(opened):
    with serving(says(chat_reply("", png()))) as server:
        opened(server).answer(Prompt((Artefact(png(2), MASK),), "image"), ITEM, 0, 0)
    assert server.seen[0].json["messages"][0]["content"][0]["image_url"]["url"] == url(png(2))


def test_content_in_parts(opened):
    parts = [
        {"type": "text", "text": "One "},
        {"type": "image_url", "image_url": {"url": url(png(1))}},
        {"type": "text", "text": "and two."},
        {"type": "image_url", "image_url": url(png(2))},
    ]
    answer = replying(opened, chat_reply(parts, png(3)))
    assert answer.text == "One and two." and answer.images == (picture(1), picture(2), picture(3))


@pytest.mark.parametrize("prompt", [DRAW, WRITE])
@pytest.mark.parametrize(
    "reply",
    [
        chat_reply("I cannot", finish="content_filter"),
        chat_reply(None, refusal="I'm sorry, I cannot do that."),
        {**chat_reply(""), "choices": [{"finish_reason": "stop", "native_finish_reason": "IMAGE_SAFETY"}]},
    ],
    ids=["filter", "refusal", "native reason"],
)
def test_refusals(opened, reply, prompt):
    failure = replying(opened, reply, prompt).failure
    assert failure is not None and (failure.fault, failure.name) == (Fault.MODEL, "refusal") and failure.detail


def test_text_instead_of_an_image_is_no_image(opened):
    answer = replying(opened, chat_reply("Imagine a house."))
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "no-image")
    assert answer.failure.detail == answer.text == "Imagine a house."
    assert replying(opened, {"choices": []}).failure.name == "no-image"


def test_an_error_in_the_middle_is_infrastructure(opened):
    reply = chat_reply("half of", finish="error")
    reply["choices"][0]["error"] = {"code": 502, "message": f"upstream broke for {KEY}"}
    with serving(says(chat_reply("", png())), says(reply)) as server:
        model = opened(server)
        model.answer(DRAW, ITEM, 0, 0)
        answer = model.answer(DRAW, ITEM, 0, 0)
    assert answer.failure is not None and answer.failure.fault is Fault.INFRASTRUCTURE
    assert answer.failure.name == "api-error" and "upstream broke" in answer.failure.detail
    assert KEY not in answer.failure.detail and answer.usage.cost == 0.0387


def test_an_error_in_place_of_an_answer_is_tried_again(opened):
    with serving(says({"error": {"code": 503, "message": "busy"}}), says(chat_reply("", png(4)))) as server:
        assert opened(server).answer(DRAW, ITEM, 0, 0).images == (picture(4),)
        assert len(server.seen) == 2


def test_a_link_is_not_followed(opened):
    with serving(says(b"")) as elsewhere:
        reply = chat_reply("")
        reply["choices"][0]["message"]["images"] = [{"image_url": {"url": f"{elsewhere.url}/x.png"}}]
        with pytest.raises(PixelProofError, match="never downloaded"):
            replying(opened, reply)
        assert not elsewhere.seen


def test_moderation_is_a_refusal_and_a_missing_model_stops_the_run(opened):
    flagged = {"error": {"code": 403, "message": "Your input was flagged", "metadata": {"reasons": ["violence"]}}}
    with serving(says(flagged, 403), says(openai_error("No endpoints found"), 404)) as server:
        model = opened(server)
        assert model.answer(DRAW, ITEM, 0, 0).failure.name == "refusal"
        with pytest.raises(PixelProofError, match="No endpoints found.*check the model's name and OPENROUTER_BASE_URL"):
            model.answer(DRAW, ITEM, 0, 0)


def test_the_card_holds_settings_and_no_key(opened):
    with serving(says({})) as server:
        card = opened(server, "v/m?size=2K", Decoding(max_tokens=9)).card()
    assert card["model"] == "v/m" and card["max_tokens"] == 9 and "temperature" not in card
    assert card["parameters"] == {"size": "2K", "service": "openrouter"} and KEY not in json.dumps(card)


try:
    from pixelproof.models._llama import Llama, load_runtime

    load_runtime()
    WEIGHTS, absent = smollm2_weights(), ""
except PixelProofError as error:
    absent = str(error)


@pytest.mark.slow
@pytest.mark.skipif(bool(absent), reason=f"no local model: {absent}")
def test_a_server_of_others_is_understood(monkeypatch):
    """llama.cpp's own server gives the reply that llama.cpp gives without a server."""
    prompt = Prompt(("Name three colours.",), system="Be brief.", max_tokens=24, logprobs=3)
    llama = Llama(WEIGHTS, threads=1, context=2048)
    monkeypatch.setenv("LLAMA_BASE_URL", f"{llama._server.listening_address}/v1")
    monkeypatch.setenv("LLAMA_API_KEY", llama._key)
    direct = GgufModel("gguf/smollm2", "smollm2", Decoding())
    expected = direct.answer(prompt, ITEM, 0, 0)
    direct.close()

    def ask(wanted: Prompt) -> Answer:
        model = ChatModel("chat/x?service=llama", "x?service=llama", Decoding(temperature=0.0), QUICK)
        return model.answer(wanted, ITEM, 0, 0)

    answer = ask(prompt)
    assert answer.text == expected.text and answer.stop == expected.stop and answer.failure is None
    assert answer.usage.input_tokens == expected.usage.input_tokens
    assert answer.usage.output_tokens == expected.usage.output_tokens == len(answer.logprobs)
    assert answer.logprobs == expected.logprobs
    history = (Turn("user", ("Read it.",)), *HISTORY[1:2], Turn("tool", ("a",), call=FIRST), *HISTORY[3:])
    later = ask(replace(LATER, history=history, max_tokens=4))  # it does not call tools, but knows the messages
    assert later.failure is None and later.usage.output_tokens == 4
    with pytest.raises(PixelProofError, match="image input is not supported"):
        ask(WRITE)
    monkeypatch.setenv("LLAMA_API_KEY", "another-key")
    with pytest.raises(PixelProofError, match="does not accept the key: set LLAMA_API_KEY"):
        ask(prompt)


KEYS = ["choices", "message", "content", "images", "image_url", "url", "refusal", "finish_reason", "error", "usage"]
KEYS += ["tool_calls", "function", "name", "arguments", "id", "logprobs", "top_logprobs", "token", "logprob"]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.just(url(png())) | st.just("error"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
)


@given(JSON | st.builds(lambda message: {"choices": [{"message": message}]}, JSON), st.booleans())
def test_no_reply_breaks_the_reading_of_it(content, draws):
    model = ChatModel("chat/m?service=openrouter", "m?service=openrouter")
    assert read_usage(content).usage.output_tokens >= 0
    try:
        answer = model._read(content, DRAW if draws else WRITE)
    except RequestFailed as error:
        assert error.failure.fault is Fault.INFRASTRUCTURE
    else:
        json.dumps(answer.trace)
        assert not draws or bool(answer.images or answer.calls or answer.failure)
        assert not (draws and answer.images and answer.failure)


def test_a_reply_that_quotes_the_key_is_kept_without_it(opened):
    answer = replying(opened, chat_reply(f"You sent Bearer {KEY}."), WRITE)
    assert KEY not in answer.text and answer.text == "You sent Bearer [secret]."


@pytest.mark.parametrize("tokens, nothing", [(0, True), (7, False), (None, False), (False, False)])
def test_a_reply_may_state_that_it_drew_nothing(opened, tokens, nothing):
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "completion_tokens_details": {"image_tokens": tokens}}
    with serving(says(chat_reply("no"))) as server:
        assert opened(server)._states_no_image({"usage": usage}) == nothing
