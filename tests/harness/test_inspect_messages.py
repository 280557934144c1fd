import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ContentImage, ContentText, ModelOutput, ModelUsage

from harness.inspect_support import noise, output
from pixelproof.contract import Answer, Artefact, Failure, Fault, Prompt, Usage
from pixelproof.harness._inspect_messages import (
    answer_from,
    empty_of_pictures,
    failure_of,
    messages_of,
    output_of,
    without_secrets,
)
from pixelproof.pixels import media_type_of

pytestmark = pytest.mark.slow  # imports Inspect AI

PICTURE = noise(1)


def with_image(uri):
    told = output("here")
    told.choices[0].message.content = [ContentText(text="here"), ContentImage(image=uri)]
    return told


def test_parts_keep_their_order():
    system, user = messages_of(Prompt(("look", PICTURE, "now"), system="be brief"))
    assert (system.role, system.text, user.role) == ("system", "be brief", "user")
    assert [part.type for part in user.content] == ["text", "image", "text"]
    head, _, body = user.content[1].image.partition(",")
    assert head == "data:image/png;base64" and base64.b64decode(body) == PICTURE.data
    assert len(messages_of(Prompt(("look",)))) == 1


failures = st.builds(Failure, st.sampled_from(Fault), st.text(min_size=1), st.text())
usages = st.builds(
    Usage,
    st.integers(0, 10**9),
    st.integers(0, 10**9),
    st.integers(0, 9),
    st.none() | st.floats(0, 1e6),
    st.floats(0, 1e6),
)
answers = st.builds(
    Answer,
    text=st.text(),
    images=st.lists(st.binary().map(lambda data: Artefact(data, media_type_of(data))), max_size=3).map(tuple),
    trace=st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=3).map(tuple),
    failure=st.none() | failures,
    usage=usages,
    stop=st.sampled_from(["stop", "length", "a provider's own word"]),
)


@given(answers, st.sampled_from(["text", "image"]))
def test_an_answer_survives_the_way_into_a_log_and_back(answer, wants):
    logged = output_of(answer, "m").model_dump_json()
    assert answer_from(ModelOutput.model_validate_json(logged), wants) == answer


def test_text_usage_and_stop():
    usage = ModelUsage(input_tokens=5, output_tokens=7, input_tokens_cache_read=3, input_tokens_cache_write=2)
    answer = answer_from(output("a", "b", usage=usage, stop="max_tokens", time=1.5))
    assert answer == Answer("a\nb", usage=Usage(10, 7, 0, None, 1.5), stop="length")
    assert answer_from(output("a", stop="model_length")).stop == "length"
    assert answer_from(output("a", usage=ModelUsage(total_cost=0.25))).usage.cost == 0.25
    silent = output("a")
    silent.usage = None
    assert answer_from(silent).usage == Usage()


def test_pictures_are_counted_and_known_by_their_bytes():
    answer = answer_from(output("two", PICTURE, noise(2)), "image")
    assert answer.images == (PICTURE, noise(2)) and answer.usage.images == 2 and answer.failure is None
    jpeg = Artefact(b"\xff\xd8\xff\xe0", "image/png")  # some providers call everything a PNG
    assert answer_from(output(jpeg), "image").images[0].media_type == "image/jpeg"


@pytest.mark.parametrize(
    ("told", "wants", "fault", "name"),
    [
        (output("I cannot", stop="content_filter"), "text", Fault.MODEL, "refusal"),
        (output("", error="blocked by policy"), "image", Fault.MODEL, "refusal"),
        (output("I would rather not"), "image", Fault.MODEL, "no-image"),
        (ModelOutput(), "text", Fault.MODEL, "no-response"),
        (with_image("https://example.org/a.png"), "image", Fault.INFRASTRUCTURE, "remote-image"),
        (with_image("data:image/png;base64,???"), "image", Fault.INFRASTRUCTURE, "broken-image"),
        (with_image("<base64-data-removed>"), "image", Fault.INSTRUMENT, "image-not-logged"),
    ],
)
def test_what_is_missing_has_a_name(told, wants, fault, name):
    failure = answer_from(told, wants).failure
    assert (failure.fault, failure.name) == (fault, name)


def test_a_refusal_part_is_a_refusal():
    told = output("no")
    told.choices[0].message.content = [ContentText(text="I can't help with that", refusal=True)]
    assert answer_from(told).failure == Failure(Fault.MODEL, "refusal", "I can't help with that")


def test_a_link_does_not_matter_where_text_or_another_picture_is_there():
    told = with_image("https://example.org/a.png")
    assert answer_from(told, "text").failure is None
    told.choices[0].message.content.append(output(PICTURE).choices[0].message.content[0])
    answer = answer_from(told, "image")
    assert answer.failure is None and answer.images == (PICTURE,)


def test_an_output_without_its_pictures_is_no_fault_of_the_model():
    told = output("x", PICTURE)
    empty_of_pictures(told)
    assert told.choices[0].message.content[1].image == f"sha256:{PICTURE.sha256}"
    assert answer_from(told, "image").failure.fault is Fault.INSTRUMENT


class RateLimitError(Exception):
    status_code = 429


class APITimeoutError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (TimeoutError(), "timeout"),
        (APITimeoutError("slow"), "timeout"),
        (RateLimitError("slow down"), "rate-limit"),
        (ConnectionError("no route"), "api-error"),
    ],
)
def test_exceptions_of_providers_have_names(error, name):
    failure = failure_of(error)
    assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, name)
    assert failure.detail.startswith(type(error).__name__) and len(failure_of(OSError("x" * 9999)).detail) <= 300


@pytest.mark.parametrize(
    "text",
    [
        "key sk-proj-abcdefghijkl is wrong",
        "url?key=AIzaSyA1234567890 failed",
        "Authorization: Bearer abc.def.ghi",
        '{"api_key": "abc123"}',
        "in the environment: correct horse battery",
    ],
)
def test_no_secret_is_stored(monkeypatch, text):
    monkeypatch.setenv("SOME_API_KEY", "correct horse battery")
    told = without_secrets(text)
    assert "[secret]" in told
    for secret in ("abcdefghijkl", "A1234567890", "abc.def", "abc123", "horse"):
        assert secret not in told


def test_ordinary_text_is_left_alone():
    text = "ValueError: 3 tokens too many for pixelart/published/1/0001 (limit 512), seed 77"
    assert without_secrets(text) == text
