"""The base of HTTP models: transfer forms, deadlines and limits of size."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.endpoints import GOOD, ask, failure_of, service
from models.servers import (
    DRIPS,
    KEY,
    QUICK,
    endless,
    in_chunks,
    is_silent,
    openai_error,
    refuses_unread,
    says,
    serving,
    until_the_end,
)
from pixelproof.contract import Fault
from pixelproof.models.http import Endpoint, Limits


@pytest.mark.parametrize("shape", [says, in_chunks, until_the_end])
def test_replies_of_every_transfer_form_are_read_whole(shape):
    with serving(shape(GOOD)) as server:
        assert ask(server.url + "/v1") == GOOD
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/path", b"{}")
    assert seen.headers["authorization"] == f"Bearer {KEY}" and seen.headers["content-type"] == "application/json"


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


def test_many_threads_at_once_get_each_their_own_reply():
    def echo(handler):
        says({"echo": handler.headers["X-Number"]})(handler)

    with serving(echo) as server:

        def one(number):
            made = Endpoint(service(server.url), {"X-Number": str(number)}, QUICK)
            return made.post("/", b"", "text/plain").content["echo"]

        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(one, range(64))) == [str(number) for number in range(64)]
