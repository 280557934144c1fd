"""Error replies of HTTP services: setup errors, refusals, wrong requests, and data that is no error at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.endpoints import ask, failure_of, service
from models.servers import KEY, google_error, openai_error, says, serving
from pixelproof.contract import Fault, PixelProofError
from pixelproof.models.http import Limits
from pixelproof.models.http._errors import classify_error
from pixelproof.models.http._post import RequestFailed


@pytest.mark.parametrize("data", [b"", b"<html>hello</html>", b'{"data": [', b"\xff\xfe", b"[" * 100_000])
def test_what_is_not_json_is_a_bad_response(data):
    with serving(says(data, content_type="text/html")) as server:
        failure = failure_of(server.url)
        assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-response") and "text/html" in failure.detail
        assert len(server.seen) == 1  # it has been paid for; asking again would cost again


SETUP_ERRORS = [
    (401, openai_error("Incorrect API key provided: sk-very/****cdef", "invalid_api_key"), "SOME_API_KEY"),
    (400, google_error(400, "INVALID_ARGUMENT", "API key not valid.", {"reason": "API_KEY_INVALID"}), "SOME_API_KEY"),
    (403, openai_error("Your organization (sk-very/****cdef) must be verified to use this model"), "must be verified"),
    (403, {"error": {"code": "Forbidden", "message": "Your resource has been temporarily blocked because we detected "
                     "behavior that may violate our content policy."}}, "temporarily blocked"),
    (404, openai_error("The model 'x' does not exist", "model_not_found"), "model's name"),
    (402, {"error": {"code": 402, "message": "Insufficient credits"}}, "--resume"),
    (429, openai_error("You exceeded your current quota", "insufficient_quota"), "--resume"),
    (429, google_error(429, "RESOURCE_EXHAUSTED", "Quota", {"violations": [{"quotaId": "PerDay"}]}), "--resume"),
    (400, openai_error("Billing hard limit has been reached", "billing_hard_limit_reached"), "--resume"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "error", "words"), SETUP_ERRORS)
def test_what_only_the_user_can_put_right_stops_at_once(status, error, words):
    with serving(says(error, status)) as server:
        with pytest.raises(PixelProofError) as caught:
            ask(server.url)
        sentence = str(caught.value)
        assert words in sentence and sentence.endswith(".") and "\n" not in sentence and len(server.seen) == 1
        assert "****" not in sentence


REFUSALS = [
    (400, openai_error("Rejected by the safety system. safety_violations=[violence].", "moderation_blocked")),
    (400, openai_error("Your request was rejected as a result of our safety system.", "content_policy_violation")),
    (400, {"error": {"code": "content_filter", "message": "The response was filtered"}}),
    (400, {"error": {"message": "Filtered", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    (400, google_error(400, "INVALID_ARGUMENT", "Invalid argument.", {"reason": "PUBLIC_ERROR_UNSAFE_GENERATION"})),
    (403, {"error": {"code": 403, "message": "Rejected", "metadata": {"reasons": ["x"], "flagged_input": "a…b"}}}),
    (422, {"error": {"message": "Your request was rejected by content moderation.", "code": 422}}),
    (200, {"error": {"code": 403, "message": "Content violates the usage policy"}}),
]


@pytest.mark.parametrize(("status", "error"), REFUSALS)
def test_content_filters_are_refusals_of_the_model(status, error):
    with serving(says(error, status)) as server:
        for proven in (True, False):
            failure = failure_of(server.url, proven=proven)
            assert (failure.fault, failure.name) == (Fault.MODEL, "refusal") and failure.detail
        assert len(server.seen) == 2


OTHERS = [
    openai_error("Unknown parameter: 'moderation'.", "unknown_parameter"),
    openai_error("Invalid value: 'big'. Supported values are: 'auto'.", "invalid_value"),
    {"detail": [{"loc": ["body", "prompt"], "msg": "too long", "input": "draw our content policy, flagged as unsafe"}]},
    {"message": "bad"},
    "nonsense",
    None,
]


@pytest.mark.parametrize("error", OTHERS)
def test_other_wrong_requests_are_not_held_against_the_model(error):
    with serving(says(error, 400)) as server:
        failure = failure_of(server.url)
        assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-request") and "400" in failure.detail
        assert len(server.seen) == 1


def test_strange_places_to_go_break_nothing(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://[::1")
    monkeypatch.setenv("no_proxy", "localhost")
    assert "HTTPS_PROXY" in failure_of("https://example.org/v1").detail
    assert "cannot be reached" in failure_of("http://a..b/v1", Limits(attempts=1)).detail
    for place in ("http://[::1", "", "/elsewhere", "\t//"):
        with serving(says({}, 302, Location=place)) as server, pytest.raises(PixelProofError, match="redirects to"):
            ask(server.url)


WORDS = st.sampled_from(["error", "code", "message", "details", "retryDelay"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(WORDS | st.text(), inner),
)


@pytest.mark.slow
@given(JSON, st.integers(400, 599), st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text()))
def test_every_error_means_something(error, status, headers):
    classified = classify_error(status, headers, error, service("http://x"))
    assert (
        isinstance(classified, PixelProofError | RequestFailed)
        and KEY not in str(classified)
        and "\n" not in str(classified)
    )
