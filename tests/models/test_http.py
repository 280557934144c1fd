"""The base of HTTP models: deadlines, limits, retries, classification of errors, and secrecy of the key."""

from __future__ import annotations

import logging
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.servers import (
    DRIPS,
    KEY,
    QUICK,
    breaks_off,
    endless,
    google_error,
    hangs_up,
    in_chunks,
    is_silent,
    openai_error,
    refuses_unread,
    says,
    serving,
    until_the_end,
)
from pixelproof.contract import Fault, PixelProofError
from pixelproof.models._parameters import SIZE, YES_OR_NO, split_parameters
from pixelproof.models.http import Endpoint, Limits, Service
from pixelproof.models.http._errors import classify_error
from pixelproof.models.http._post import RequestFailed, TransientFailure
from pixelproof.models.http._wire import tls_context

GOOD = {"data": "x" * 1000}


def service(url: str, key: str = KEY) -> Service:
    return Service(url, key, "SOME_BASE_URL", "SOME_API_KEY")


def endpoint(url: str, limits: Limits = QUICK, proven: bool = True) -> Endpoint:
    made = Endpoint(service(url), {"Authorization": f"Bearer {KEY}"}, limits)
    made.proven = proven
    return made


def ask(url: str, limits: Limits = QUICK, proven: bool = True, body: bytes = b"{}"):
    return endpoint(url, limits, proven).post("/path", body, "application/json").content


def failure_of(url: str, limits: Limits = QUICK, proven: bool = True, body: bytes = b"{}"):
    with pytest.raises(RequestFailed) as caught:
        ask(url, limits, proven, body)
    return caught.value.failure


@pytest.mark.parametrize("shape", [says, in_chunks, until_the_end])
def test_replies_of_every_transfer_form_are_read_whole(shape):
    with serving(shape(GOOD)) as server:
        assert ask(server.url + "/v1") == GOOD
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/path", b"{}")
    assert seen.headers["authorization"] == f"Bearer {KEY}" and seen.headers["content-type"] == "application/json"


TROUBLES = {
    "429": says(openai_error("slow down"), 429),
    "500": says(openai_error("oops"), 500),
    "502 in HTML": says(b"<html>Bad gateway</html>", 502, "text/html"),
    "503": says({}, 503),
    "408": says({}, 408),
    "409": says({}, 409),
    "hangs up": hangs_up,
    "breaks off": breaks_off(GOOD),
    "breaks off at once": breaks_off(GOOD, 0.0),
    "breaks off in a chunk": breaks_off(GOOD, chunked=True),
    "error with status 200": says({"error": {"code": 502, "message": "upstream is down"}}),
    "error without a code": says({"error": {"message": "no idea"}}),
}


@pytest.mark.parametrize("act", TROUBLES.values(), ids=TROUBLES.keys())
def test_what_may_pass_is_tried_again_and_in_the_end_an_infrastructure_fault(act):
    with serving(act, act, says(GOOD)) as server:
        assert ask(server.url) == GOOD
        assert len(server.seen) == 3
    with serving(act) as server:
        failure = failure_of(server.url)
        assert failure.fault is Fault.INFRASTRUCTURE and failure.name in ("rate-limit", "api-error", "timeout")
        assert len(server.seen) == QUICK.attempts


def test_names_of_the_faults():
    def name(act):
        with serving(act) as server:
            return failure_of(server.url).name

    assert name(TROUBLES["429"]) == "rate-limit"
    assert name(TROUBLES["408"]) == "timeout"
    assert name(TROUBLES["500"]) == name(TROUBLES["breaks off"]) == "api-error"


def retry_info(delay: str) -> dict:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    return google_error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", detail)


@pytest.mark.parametrize(
    "act",
    [
        says({}, 503, Retry_After="0.4"),
        says({}, 429, Retry_After_Ms="400", Retry_After="400"),
        says(retry_info("0.4s"), 429),
    ],
)
def test_the_pause_that_a_service_asks_for_is_kept(act):
    with serving(act, says(GOOD)) as server:
        began = time.monotonic()
        assert ask(server.url) == GOOD
        assert time.monotonic() - began >= 0.4  # our own pause would be about a hundredth of a second


def test_a_pause_until_a_date_is_kept_too():
    when = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    classified = classify_error(429, {"retry-after": when}, {}, service("http://x"))
    assert isinstance(classified, TransientFailure) and classified.after is not None and 3500 < classified.after < 3601
    past = classify_error(429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, {}, service("http://x"))
    assert isinstance(past, TransientFailure) and past.after == 0
    for nonsense in ("soon", "-5", "1e99", "nan", "", "9" * 400):
        classified = classify_error(429, {"retry-after": nonsense}, {}, service("http://x"))
        assert isinstance(classified, TransientFailure) and classified.after is None


@pytest.mark.parametrize("act", [says({}, 429, Retry_After="3600"), says(retry_info("3600s"), 429)])
def test_a_pause_beyond_the_time_limit_ends_the_attempts(act):
    with serving(act) as server:
        assert failure_of(server.url).name == "rate-limit"
        assert len(server.seen) == 1


def test_pauses_grow_differ_and_have_an_end():
    calm = endpoint("http://x", Limits())
    for attempt, middle in enumerate([1, 2, 4, 8, 16, 32, 60, 60], start=1):
        pauses = {calm._pause(attempt) for _ in range(20)}
        assert len(pauses) > 10 and all(0.75 * middle <= pause <= 1.25 * middle for pause in pauses)


@pytest.mark.attack("dripped headers, chunk sizes, bodies and 100 Continue, against the deadline of a call")
@pytest.mark.parametrize("act", [is_silent, *DRIPS.values()], ids=["silent", *DRIPS])
def test_a_time_limit_holds_and_a_late_request_is_not_sent_twice(act):
    released, began = threading.Event(), time.monotonic()
    with serving(act(released)) as server:
        failure = failure_of(server.url, Limits(seconds=0.3, first_pause=0.01))
        assert time.monotonic() - began < 5
        # A server that is waited for to the end hangs up, which is another failure.
        assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "timeout")
        assert len(server.seen) == 1
        released.set()


@pytest.mark.slow
def test_headers_without_an_end_are_not_read_on():
    def floods(handler):
        while True:
            handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000)

    with serving(floods) as server:
        assert failure_of(server.url, Limits(seconds=30, max_bytes=1 << 20)).name == "bad-response"


@pytest.mark.parametrize("proxy", [False, True])
def test_a_connection_that_is_never_ready_keeps_to_the_deadline(proxy, monkeypatch):
    """The silent side is the service, or a proxy that drips the reply to CONNECT."""
    released = threading.Event()
    if not proxy:
        listener = socket.create_server(("127.0.0.1", 0))
        monkeypatch.setenv("no_proxy", "localhost")
        with listener:
            began = time.monotonic()
            failure = failure_of(f"https://localhost:{listener.getsockname()[1]}", Limits(seconds=0.3))
    else:
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Slow", (Proxy,), {}))
        server.RequestHandlerClass.do_CONNECT = lambda handler: [  # type: ignore[attr-defined]
            handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n") for _ in range(500) if not released.wait(0.02)
        ]
        server.daemon_threads = True
        server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        began = time.monotonic()
        failure = failure_of("https://api.example.org/v1", Limits(seconds=0.3))
        released.set()
        server.shutdown()
        server.server_close()
    assert failure.name == "timeout" and time.monotonic() - began < 5


def test_the_time_limit_is_for_all_attempts_together():
    with serving(says({}, 500)) as server:
        failure_of(server.url, Limits(seconds=0.4, attempts=1000, first_pause=0.1, longest_pause=0.1))
        assert len(server.seen) < 10


def test_closing_ends_the_pauses():
    with serving(says({}, 429, Retry_After="60")) as server:
        waiting = endpoint(server.url, Limits())
        threading.Timer(0.2, waiting.close).start()
        with pytest.raises(RequestFailed):
            waiting.post("/", b"", "text/plain")
        assert len(server.seen) == 1


@pytest.mark.parametrize(
    "act", [endless, says(b'"' + b"x" * (1 << 21) + b'"'), in_chunks("x" * (1 << 21), 1 << 16)],
    ids=["endless", "announced", "chunked"],
)  # fmt: skip
def test_a_reply_that_is_too_long_is_not_read_on(act):
    with serving(act) as server:
        failure = failure_of(server.url)
        assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-response")
        assert "1 MB" in failure.detail and len(server.seen) == 1


def test_a_refusal_before_the_body_was_read_is_received():
    with serving(refuses_unread(413, openai_error("Payload too large"))) as server:
        failure = failure_of(server.url, body=b"x" * (32 << 20))
        assert failure.name == "bad-request" and "Payload too large" in failure.detail


@pytest.mark.parametrize("data", [b"", b"<html>hello</html>", b'{"data": [', b"\xff\xfe", b"[" * 100_000])
def test_what_is_not_json_is_a_bad_response(data):
    with serving(says(data, content_type="text/html")) as server:
        failure = failure_of(server.url)
        assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-response") and "text/html" in failure.detail
        assert len(server.seen) == 1  # it has been paid for; asking again would cost again


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.attack("redirects of a service to another server")
def test_redirects_are_not_followed(status):
    with serving(says(GOOD)) as other, serving(says({}, status, Location=f"{other.url}/v1?token=abc")) as server:
        with pytest.raises(
            PixelProofError, match=r"redirects to 127\.0\.0\.1, which is not followed.*SOME_BASE_URL"
        ) as caught:
            ask(server.url)
        assert not other.seen and "token" not in str(caught.value) and len(server.seen) == 1


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


def test_an_unreachable_host_stops_the_run_at_first_and_is_retried_later():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        for proven in (False, True):
            with pytest.raises(TransientFailure) as caught:
                ask(url, Limits(seconds=2, attempts=3, first_pause=0.01), proven)
            assert not caught.value.connected and "cannot be reached" in caught.value.failure.detail
            assert caught.value.failure.fault is Fault.INFRASTRUCTURE


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


# The key.


def everything_said(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))


@pytest.mark.parametrize("status", [200, 302, 400, 401, 402, 403, 404, 413, 429, 500])
def test_a_service_that_quotes_the_key_does_not_make_us_repeat_it(status, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    quoting = openai_error(f"Bad key {KEY} in 'Bearer {KEY}'; content policy of {KEY}")
    with serving(says(quoting, status, Location=f"http://other/{KEY}", X_Echo=KEY)) as server:
        made = endpoint(server.url)
        with pytest.raises((PixelProofError, RequestFailed)) as caught:
            made.post("/", b"", "text/plain")
    assert KEY not in everything_said(caught.value) + repr(made) + repr(made.service) + str(made.service)
    assert KEY not in caplog.text + "".join(capfd.readouterr())


def test_no_key_in_the_message_about_a_malformed_key(monkeypatch):
    monkeypatch.setenv("SOME_BASE_URL", "http://localhost:1")
    for wrong in (f"{KEY}\nX-Evil: yes", f"{KEY} {KEY}", KEY + "é", KEY + "\x7f"):
        monkeypatch.setenv("SOME_API_KEY", wrong)
        with pytest.raises(PixelProofError, match="SOME_API_KEY contains characters") as caught:
            Service.from_environment("SOME_BASE_URL", None, "SOME_API_KEY")
        assert KEY not in everything_said(caught.value)


def test_address_and_key_come_from_the_environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "MY_HOST_BASE_URL", "MY_HOST_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(PixelProofError, match="Set OPENAI_API_KEY to your key for api.openai.com"):
        Service.openai_compatible("openai")
    monkeypatch.setenv("OPENAI_API_KEY", f"  {KEY}\n")
    assert Service.openai_compatible("openai").key == KEY
    assert Service.openai_compatible("openai").url == "https://api.openai.com/v1"
    with pytest.raises(PixelProofError, match="There is no service 'my-host'.*set MY_HOST_BASE_URL"):
        Service.openai_compatible("my-host")
    monkeypatch.setenv("MY_HOST_BASE_URL", "http://localhost:8000/v1/")
    found = Service.openai_compatible("my-host")
    assert (found.url, found.key) == ("http://localhost:8000/v1", "")  # never the key of another service
    with pytest.raises(PixelProofError, match="OPENROUTER_API_KEY"):
        monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
        Service.openai_compatible("openrouter")


@pytest.mark.parametrize(
    "wrong",
    [
        "localhost:8000",
        "ftp://x/v1",
        "http://",
        "https://user:pass@x/v1",
        "https://x/v1?key=abc",
        "http://x#y",
        "http://x:99999",
        "http://x:y",
        "http://[::1",
        "http://x/ü",
    ],
)
def test_addresses_must_be_plain(monkeypatch, wrong):
    monkeypatch.setenv("SOME_BASE_URL", wrong)
    with pytest.raises(PixelProofError, match="plain address") as caught:
        Service.from_environment("SOME_BASE_URL", None, "SOME_API_KEY")
    assert "pass" not in str(caught.value) and "abc" not in str(caught.value)


# Proxies and certificates.


class Proxy(BaseHTTPRequestHandler):
    asked: list[tuple[str, dict[str, str]]] = []

    def do_CONNECT(self):
        self.asked.append((self.path, dict(self.headers.items())))
        self.send_error(403, "no way")

    def log_message(self, *args):
        pass


def test_https_goes_through_the_proxy_and_the_proxy_does_not_get_the_key(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Proxy.asked.clear()
    monkeypatch.setenv("https_proxy", f"http://me:word%21@127.0.0.1:{server.server_address[1]}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    try:
        assert "403" in failure_of("https://api.example.org/v1", Limits(attempts=1)).detail
    finally:
        server.shutdown()
        server.server_close()
    ((target, headers),) = Proxy.asked
    assert target == "api.example.org:443" and KEY not in str(headers)
    assert headers["Proxy-Authorization"] == "Basic bWU6d29yZCE="


@pytest.fixture
def certificate(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command is needed to make a certificate")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(["openssl", "req", *kind, *names, "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context


@pytest.mark.slow
def test_certificates_are_checked_before_the_key_is_sent(certificate, monkeypatch):
    cert, context = certificate
    monkeypatch.setenv("no_proxy", "localhost")
    try:
        with serving(says(GOOD), tls=context) as server:
            tls_context.cache_clear()
            with pytest.raises(RequestFailed) as caught:
                ask(server.url)
            assert "has no valid certificate" in caught.value.failure.detail
            assert not server.seen
            monkeypatch.setenv("SSL_CERT_FILE", str(cert))
            tls_context.cache_clear()
            assert ask(server.url) == GOOD
    finally:
        tls_context.cache_clear()


# Parameters in names.


def test_parameters_are_read_from_the_name():
    known = {"size": SIZE, "seed": YES_OR_NO}
    assert split_parameters("x", "a/b:free?size=8x8&seed=no", known) == ("a/b:free", {"size": "8x8", "seed": "no"})
    assert split_parameters("x", "model", known) == ("model", {})


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("m?siz=1x1", "There is no kind parameter 'siz'; did you mean 'size'? Choose one of: size, seed."),
        ("m?size=big", "size cannot be 'big'; it must be auto or WIDTHxHEIGHT, such as 1024x1024."),
        ("m?size=1x1 ", "cannot be"),
        ("m?size=", "cannot be"),
        ("m?size", "write parameters like"),
        ("m?", "write parameters like"),
        ("m?size=1x1&size=2x2", "twice"),
        ("?size=1x1", "has no model before"),
    ],
)
def test_wrong_parameters_are_refused(spelling, words):
    with pytest.raises(PixelProofError, match=re.escape(words)):
        split_parameters("kind/" + spelling, spelling, {"size": SIZE, "seed": YES_OR_NO})


def test_many_threads_at_once_get_each_their_own_reply():
    def echo(handler):
        says({"echo": handler.headers["X-Number"]})(handler)

    with serving(echo) as server:

        def one(number):
            made = Endpoint(service(server.url), {"X-Number": str(number)}, QUICK)
            return made.post("/", b"", "text/plain").content["echo"]

        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(one, range(64))) == [str(number) for number in range(64)]
