"""`images/`: generations and edits against a server that speaks OpenAI's images API."""

from __future__ import annotations

import io
import json
import threading

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import pixelproof
from models.servers import (
    DRIPS,
    KEY,
    QUICK,
    Seen,
    b64,
    breaks_off,
    endless,
    hangs_up,
    images_reply,
    is_silent,
    openai_error,
    picture,
    png,
    says,
    serving,
)
from models.sketch import Sketch
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.models import MASK, ImagesModel, read_usage
from pixelproof.models._images import multipart
from pixelproof.models.http import Limits, RequestFailed
from pixelproof.pixels import encode_png

ITEM = Item("draw/world/1/0", {}, truth="SECRET TRUTH")
TEXT = Prompt(("a red", "house"), wants="image")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def opened(monkeypatch):
    def open_(server, spelling: str = "gpt-image-9", limits: Limits = QUICK) -> ImagesModel:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        return ImagesModel(f"images/{spelling}", spelling, limits=limits)

    return open_


def ask(model: ImagesModel, prompt: Prompt = TEXT, sample: int = 0, seed: int = 0) -> Answer:
    return model.answer(prompt, ITEM, sample, seed)


def test_text_goes_to_generations(opened):
    with serving(says(images_reply(png(7)))) as server:
        answer = ask(opened(server, "gpt-image-9?size=1536x1024&quality=high&output_compression=90"))
    assert answer.failure is None and answer.images == (Artefact(png(7), "image/png"),)
    assert (
        answer.usage == Usage(11, 272, images=1, cost=None, seconds=answer.usage.seconds) and answer.usage.seconds > 0
    )
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/images/generations")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.json == {
        "model": "gpt-image-9", "prompt": "a red\nhouse", "n": 1, "size": "1536x1024", "quality": "high",
        "output_compression": 90,
    }  # fmt: skip
    assert b"SECRET" not in seen.body


def test_older_models_are_asked_for_base64_and_newer_ones_do_not_know_the_word(opened):
    formats = {}
    names = ["gpt-image-2.5-flare", "chatgpt-image-latest", "openai/gpt-image-1.5", "dall-e-3", "flux?response_format="]
    with serving(says(images_reply(png()))) as server:
        for spelling in [*names, "gpt-image-9?response_format=b64_json"]:
            ask(opened(server, spelling))
            formats[spelling] = server.seen[-1].json.get("response_format")
    assert [formats[name] for name in names] == [None, None, None, "b64_json", None]
    assert formats["gpt-image-9?response_format=b64_json"] == "b64_json"


def test_a_system_message_stands_before_the_text(opened):
    with serving(says(images_reply(png()))) as server:
        ask(opened(server), Prompt(("draw",), "image", system="Be exact."))
    assert server.seen[0].json["prompt"] == "Be exact.\n\ndraw"


def test_seeds_are_sent_on_demand_and_differ_by_sample(opened):
    with serving(says(images_reply(png()))) as server:
        model = opened(server, "sdxl?seed=yes")
        for sample, seed in [(0, 1), (1, 1), (0, 2), (0, 1)]:
            ask(model, sample=sample, seed=seed)
        ask(opened(server, "sdxl"))
    first, other_sample, other_seed, again, without = [seen.json.get("seed") for seen in server.seen]
    assert first == again and len({first, other_sample, other_seed}) == 3 and without is None


@pytest.mark.parametrize("count", [1, 3])
def test_images_go_to_edits_as_a_form(opened, count):
    jpeg = Artefact(png(9, kind="JPEG"), "image/jpeg")
    parts = (picture(1), "make it é", jpeg, picture(3))[: count + 1]
    with serving(says(images_reply(png(7)))) as server:
        answer = ask(opened(server, "m?size=auto"), Prompt(parts, "image"))
    assert answer.images == (picture(7),)
    (seen,) = server.seen
    assert seen.path == "/v1/images/edits"
    texts = {name: data.decode() for name, file, _, data in seen.form if file is None}
    assert texts == {"model": "m", "prompt": "make it é", "n": "1", "size": "auto", "response_format": "b64_json"}
    name = "image" if count == 1 else "image[]"
    files = [(field, kind, data) for field, file, kind, data in seen.form if file is not None]
    shown = [part for part in parts if isinstance(part, Artefact)]
    assert files == [(name, part.media_type, part.data) for part in shown]


def test_a_mask_becomes_transparent_where_it_is_white(opened):
    change = np.zeros((3, 4), np.uint8)
    change[1, 2] = 255
    mask = Artefact(encode_png(change).data, MASK)
    with serving(says(images_reply(png(7)))) as server:
        ask(opened(server), Prompt((picture(1), mask, "a cat"), "image"))
    files = {name: (kind, data) for name, file, kind, data in server.seen[0].form if file is not None}
    assert files["image"] == ("image/png", png(1)) and files["mask"][0] == "image/png"
    sent = Image.open(io.BytesIO(files["mask"][1]))
    assert sent.mode == "RGBA" and (np.asarray(sent)[..., 3] == np.where(change, 0, 255)).all()


def test_a_broken_mask_gets_a_message(opened):
    with serving(says(images_reply(png()))) as server, pytest.raises(PixelProofError, match="mask"):
        ask(opened(server), Prompt((picture(), Artefact(b"nonsense", MASK), "x"), "image"))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.from_regex("[a-z_]+", fullmatch=True), st.binary() | st.text(st.characters(codec="utf-8"))))
)
def test_forms_can_be_read_back(fields):
    given_ = [(name, value if isinstance(value, str) else Artefact(value)) for name, value in fields]
    body, content_type = multipart(given_)
    if not fields:
        return
    read = Seen("POST", "/", {"content-type": content_type}, body).form
    wanted = [(name, value.encode() if isinstance(value, str) else value) for name, value in fields]
    assert [(name, data) for name, _, _, data in read] == wanted


def test_several_images_are_kept_in_order_with_the_revised_prompt(opened):
    reply = images_reply(png(1), png(2, kind="WEBP"), png(3, kind="JPEG"))
    reply["data"][1]["revised_prompt"] = "a very red house"
    with serving(says(reply)) as server:
        answer = ask(opened(server))
    assert [image.data for image in answer.images] == [png(1), png(2, kind="WEBP"), png(3, kind="JPEG")]
    assert [image.media_type for image in answer.images] == ["image/png", "image/webp", "image/jpeg"]
    assert answer.trace == ({"revised_prompt": "a very red house"},) and answer.usage.images == 3


def test_a_data_uri_in_place_of_base64_is_understood(opened):
    with serving(says({"data": [{"b64_json": f"data:image/png;base64,{b64(png(4))}"}]})) as server:
        assert ask(opened(server)).images == (picture(4),)


def test_costs_stated_by_the_service_are_kept(opened):
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.04}
    with serving(says(images_reply(png(), usage=usage))) as server:
        answer = ask(opened(server))
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost) == (3, 4, 0.04)


BAD = {
    "not base64": ({"data": [{"b64_json": "!!! not base64 !!!"}]}, "bad-response"),
    "a stray character": ({"data": [{"b64_json": f"{b64(png())[:20]}*{b64(png())[20:]}"}]}, "bad-response"),
    "cut off": ({"data": [{"b64_json": b64(png())[:-3]}]}, "bad-response"),
    "not a picture": ({"data": [{"b64_json": b64(b"I am sorry, but no.")}]}, "bad-response"),
    "nothing in it": ({"data": [{}]}, "bad-response"),
    "null": ({"data": [{"b64_json": None, "url": None}]}, "bad-response"),
    "a number": ({"data": [{"b64_json": 7}]}, "bad-response"),
    "not a list": ({"data": "x"}, "bad-response"),
    "something else": ({"hello": "world"}, "bad-response"),
    "a list": ([1, 2], "bad-response"),
    "a link": ({"data": [{"url": "https://example.org/picture.png"}]}, "remote-image"),
}


@pytest.mark.parametrize(("reply", "name"), BAD.values(), ids=BAD.keys())
def test_unusable_replies_are_infrastructure_faults_and_paid_for(opened, reply, name):
    with serving(says(images_reply(png())), says(reply)) as server:
        model = opened(server)
        assert ask(model).failure is None
        answer = ask(model)
        assert answer.failure is not None and answer.failure.fault is Fault.INFRASTRUCTURE
        assert answer.failure.name == name and answer.usage.images == 1 and not answer.images
        assert len(server.seen) == 2


def test_a_link_is_never_followed_and_stops_the_run_at_first(opened):
    with serving(says(b"", 200)) as elsewhere, serving(says({"data": [{"url": f"{elsewhere.url}/x.png"}]})) as server:
        with pytest.raises(PixelProofError, match=r"links are never downloaded.*OPENAI_BASE_URL"):
            ask(opened(server))
        assert not elsewhere.seen and len(server.seen) == 1


def test_no_image_is_a_model_fault(opened):
    with serving(says({"created": 1, "data": []})) as server:
        answer = ask(opened(server))
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "no-image")
    assert answer.usage.images == 0


def test_a_content_filter_is_a_refusal(opened):
    error = openai_error("Rejected by our safety system.", "moderation_blocked", "image_generation_user_error")
    with serving(says(error, 400)) as server:
        answer = ask(opened(server))
    assert answer == Answer(failure=Failure(Fault.MODEL, "refusal", "Rejected by our safety system."))


def test_a_wrong_parameter_stops_a_run_at_once_but_one_odd_prompt_does_not(opened):
    wrong = says(openai_error("Invalid value: '7x7'.", "invalid_value"), 400)
    with serving(wrong, says(images_reply(png())), wrong) as server:
        model = opened(server)
        with pytest.raises(PixelProofError, match="Invalid value: '7x7'"):
            ask(model)
        assert ask(model).failure is None
        failure = ask(model).failure
        assert failure is not None and (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-request")


def test_refusals_prove_that_the_configuration_works(opened):
    refusal = says(openai_error("no", "moderation_blocked"), 400)
    with serving(refusal, says(openai_error("Prompt too long"), 400)) as server:
        model = opened(server)
        assert ask(model).failure.name == "refusal"
        assert ask(model).failure.name == "bad-request"


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (says({}, 500), "api-error"),
        (says({}, 429), "rate-limit"),
        (hangs_up, "api-error"),
        (breaks_off(images_reply(png())), "api-error"),
        (endless, "bad-response"),
    ],
    ids=["500", "429", "hangs up", "breaks off", "endless"],
)
def test_transport_errors_are_infrastructure_faults(opened, act, name):
    with serving(says(images_reply(png())), act) as server:
        model = opened(server)
        ask(model)
        failure = ask(model).failure
    assert failure is not None and (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, name)


@pytest.mark.parametrize("act", [is_silent, DRIPS["body"]])
def test_a_service_that_takes_too_long_is_given_up(opened, act):
    released = threading.Event()
    with serving(says(images_reply(png())), act(released)) as server:
        model = opened(server, limits=Limits(seconds=0.5))
        ask(model)
        failure = ask(model).failure
        released.set()
    assert failure is not None and (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "timeout")


@pytest.mark.parametrize("act", [says({}, 500), says({}, 429), hangs_up, says(b"<html>", 200, "text/html")])
def test_a_service_that_never_answered_stops_the_run(opened, act):
    with serving(act) as server:
        model = opened(server)
        with pytest.raises(PixelProofError, match=r"^images/gpt-image-9 has not answered yet \(.+\): check .+\.$"):
            ask(model)


def test_an_unreachable_host_stops_the_run_at_once(opened):
    with serving(hangs_up) as server:
        model = opened(server, limits=Limits(attempts=1000))
    with pytest.raises(
        PixelProofError, match=r"127\.0\.0\.1 cannot be reached \(Connection refused\).*OPENAI_BASE_URL"
    ):
        ask(model)  # without a thousand attempts


def test_it_recovers_from_a_bad_moment(opened):
    acts = [says({}, 429, Retry_After="0"), says({}, 503), hangs_up, says(images_reply(png(5)))]
    with serving(*acts) as server:
        assert ask(opened(server)).images == (picture(5),)
        assert len({seen.body for seen in server.seen}) == 1 and len(server.seen) == 4


def test_it_does_not_write(opened):
    with (
        serving(says({})) as server,
        pytest.raises(PixelProofError, match="draw/world/1/0 wants text"),
    ):
        ask(opened(server), Prompt(("x",), "text"))
    assert not server.seen


def test_the_card_names_service_model_and_parameters_and_not_the_key(opened):
    with serving(says({})) as server:
        card = opened(server, "a/b?size=8x8").card()
    assert card == {
        "kind": "images", "service": f"{server.url}/v1", "model": "a/b", "parameters": {"size": "8x8"}
    }  # fmt: skip
    assert KEY not in json.dumps(card)


def test_other_services_have_their_own_variables(monkeypatch):
    with serving(says(images_reply(png()))) as server:
        monkeypatch.setenv("MY_BOX_BASE_URL", server.url)
        ask(ImagesModel("images/m?service=my-box", "m?service=my-box", limits=QUICK))
    assert "authorization" not in server.seen[0].headers  # the key for OpenAI is not for others
    assert "service" not in server.seen[0].json


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.just(b64(png())),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "b64_json", "url", "usage", "cost", "revised_prompt"]), inner)
    ),
)


@given(JSON)
def test_no_reply_breaks_the_reading_of_it(content):
    model = ImagesModel("images/m", "m")
    usage = read_usage(content).usage
    assert usage.input_tokens >= 0 and (usage.cost is None or usage.cost >= 0)
    try:
        answer = model._read(content, TEXT)
    except RequestFailed as error:
        assert error.failure.fault is Fault.INFRASTRUCTURE
    else:
        assert bool(answer.images) == (answer.failure is None)


def test_a_budget_holds_with_many_requests_in_flight(tmp_path, opened):
    with serving(says(images_reply(png(200, (8, 8))))) as server:
        opened(server)
        limits = {"price": "image=0.04", "max_cost": 0.1, "connections": 8}
        run = pixelproof.run(Sketch(), "images/m", out=tmp_path / "run", **limits)
        assert len(server.seen) == 2 and run.card["state"] == "stopped"
        assert run.card["ledger"]["cost"] == pytest.approx(0.08) and run.card["ledger"]["images"] == 2


@pytest.mark.slow
def test_the_key_is_nowhere_in_a_run(tmp_path, opened, monkeypatch):
    monkeypatch.setattr("pixelproof.models.http._remote.Limits", lambda: QUICK)
    acts = [
        says(images_reply(png(200, (8, 8)))),
        says(openai_error(f"Bad things about {KEY}, says the content filter"), 400),
        says(openai_error(f"Odd: {KEY}"), 400),
        says({"error": {"message": f"overloaded, {KEY}"}}, 500),
    ]
    with serving(*acts) as server:
        opened(server)
        run = pixelproof.run(Sketch(), "images/m?size=8x8", out=tmp_path / "run", price="image=0.04", connections=1)
    counts = run.summary["counts"]
    assert (counts["planned"], counts["completed"], counts["model_faults"], counts["errored"]) == (4, 2, 1, 2)
    assert run.summary["failures"] == {"refusal": 1, "bad-request": 1, "api-error": 1}
    assert run.card["ledger"]["cost"] == pytest.approx(0.04)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    tables = [path for path in files if path.suffix == ".parquet"]
    assert len(files) > len(tables) >= 3
    stored = [path.read_bytes() for path in files] + [str(pq.read_table(path).to_pylist()).encode() for path in tables]
    assert not any(KEY.encode() in data for data in stored) and any(b"overloaded, [secret]" in data for data in stored)
