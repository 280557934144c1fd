"""Which failures of HTTP models are retried, after which pause, and for how long."""

from __future__ import annotations

import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from models.endpoints import GOOD, ask, endpoint, failure_of, service
from models.servers import QUICK, breaks_off, google_error, hangs_up, openai_error, says, serving
from pixelproof.contract import Fault
from pixelproof.models.http import Limits
from pixelproof.models.http._errors import classify_error
from pixelproof.models.http._post import RequestFailed, TransientFailure

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


def test_an_unreachable_host_stops_the_run_at_first_and_is_retried_later():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        for proven in (False, True):
            with pytest.raises(TransientFailure) as caught:
                ask(url, Limits(seconds=2, attempts=3, first_pause=0.01), proven)
            assert not caught.value.connected and "cannot be reached" in caught.value.failure.detail
            assert caught.value.failure.fault is Fault.INFRASTRUCTURE
