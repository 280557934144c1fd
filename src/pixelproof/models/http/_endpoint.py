"""Posting requests to a service, with retries of transient errors."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pixelproof.contract import Fault, PixelProofError
from pixelproof.store import scrub

from ._errors import classify_error, find_error
from ._meter import METER
from ._post import RequestFailed, Response, TransientFailure, post
from ._service import Service
from ._usage import read_usage


@dataclass(frozen=True)
class Limits:
    """Limits of time, attempts and reply size for one answer."""

    seconds: float = 600.0
    """Total time, including all attempts and the pauses between them."""
    attempts: int = 8
    first_pause: float = 1.0
    longest_pause: float = 60.0
    max_bytes: int = 64 * 2**20


@dataclass(frozen=True)
class Reply:
    """A reply, decoded from JSON, and the duration of its attempt in seconds."""

    content: Any
    seconds: float


class Endpoint:
    """Posts requests to one service; thread-safe."""

    def __init__(self, service: Service, headers: Mapping[str, str], limits: Limits) -> None:
        self.service = service
        self._headers = {"User-Agent": "pixelproof", "Accept": "application/json", **headers}
        self._limits = limits
        self._closed = threading.Event()
        self.proven = False
        """Whether a request has ever succeeded; set by the model, which can read the reply, or by the harness for a run
        that has answers."""

    def post(self, path: str, body: bytes, content_type: str) -> Reply:
        """Send a request and wait for the reply.

        A request that timed out is not retried: the service may still be working on it, and would bill both. The
        meter of the call learns of every request that may be billed, and may refuse a retry.

        Raises:
            RequestFailed: There is no reply, for the named reason.
            PixelProofError: The key, the address, the account or the model's name is wrong.
        """
        limits, deadline = self._limits, time.monotonic() + self._limits.seconds
        url, headers = self.service.url + path, {**self._headers, "Content-Type": content_type}
        failed = RequestFailed(Fault.INFRASTRUCTURE, "not-asked", "the budget is spent", billable=False)
        attempt, meter = 0, METER.get()
        while True:
            attempt, began = attempt + 1, time.monotonic()
            if meter is not None and not meter.sending():
                raise failed
            try:
                content = self._content(post(url, headers, body, deadline, limits.max_bytes))
                return Reply(content, time.monotonic() - began)
            except (RequestFailed, PixelProofError) as error:
                if meter is not None and not getattr(error, "billable", False):
                    meter.declined()
                if not isinstance(error, TransientFailure):
                    raise
                failed = error
                pause = self._pause(attempt) if error.after is None else error.after
                unreachable = not (error.connected or self.proven)
                exhausted = attempt >= limits.attempts or time.monotonic() + pause >= deadline
                if unreachable or exhausted or self._closed.wait(pause):
                    raise

    def close(self) -> None:
        """Stop retrying."""
        self._closed.set()

    def _pause(self, attempt: int) -> float:
        """Exponential backoff with jitter, in seconds."""
        pause: float = min(self._limits.first_pause * 2 ** (attempt - 1), self._limits.longest_pause)
        return pause * random.SystemRandom().uniform(0.75, 1.25)  # does not touch the global random state

    def _content(self, response: Response) -> Any:
        if 300 <= response.status < 400:
            raise self._redirect_error(response)
        try:
            content = scrub(json.loads(response.data))  # before any field is cut to length
        except (ValueError, RecursionError):
            if response.status >= 400:
                text = scrub(response.data[:100_000].decode("utf-8", "replace"))[:1000]
                raise classify_error(response.status, response.headers, text, self.service) from None
            kind = self.service.scrub(response.headers.get("content-type", "missing"))
            detail = f"the reply is not valid JSON (content type: {kind})"
            raise RequestFailed(Fault.INFRASTRUCTURE, "bad-response", detail) from None
        if (meter := METER.get()) is not None:
            meter.report_usage(read_usage(content).least)
        error = find_error(content)
        if response.status >= 400:
            raise classify_error(response.status, response.headers, content if error is None else error, self.service)
        if error is not None:  # some services report upstream errors with status 200
            code = error.get("code") if isinstance(error, Mapping) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 502
            failed = classify_error(status, response.headers, error, self.service)
            if isinstance(failed, RequestFailed):  # what came before the error may be billed
                failed.billable = True
            raise failed
        return content

    def _redirect_error(self, response: Response) -> PixelProofError:
        """A redirect is not followed, because it could send the key to another host."""
        try:
            host = urlsplit(response.headers.get("location", "")).hostname
            where = self.service.shown_host(host) if host else "another path"
        except ValueError:
            where = "an invalid address"
        return PixelProofError(
            f"{self.service.host} redirects to {where}, which is not followed: correct {self.service.url_name}."
        )
