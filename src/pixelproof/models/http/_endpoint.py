"""Posting requests to a service, again and again while a failure may pass."""

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

from ._errors import error_in, trouble
from ._post import Passing, Response, Unanswered, post
from ._service import Service


@dataclass(frozen=True)
class Limits:
    """How long to wait, how often to try, how much to read."""

    seconds: float = 600.0
    """For one answer, with all attempts and the pauses between them."""
    attempts: int = 8
    first_pause: float = 1.0
    longest_pause: float = 60.0
    max_bytes: int = 64 * 2**20


@dataclass(frozen=True)
class Reply:
    """A reply, decoded from JSON, and the seconds of the attempt that brought it."""

    content: Any
    seconds: float


class Endpoint:
    """Gives replies; safe to use from threads."""

    def __init__(self, service: Service, headers: Mapping[str, str], limits: Limits) -> None:
        self.service = service
        self._headers = {"User-Agent": "pixelproof", "Accept": "application/json", **headers}
        self._limits = limits
        self._closed = threading.Event()
        self.proven = False
        """Whether a request has ever succeeded; set by whoever can tell."""

    def post(self, path: str, body: bytes, content_type: str) -> Reply:
        """Send a request and wait for the reply.

        A request that ran out of time is not sent again: the service may still be at work, and bill for both.

        Raises:
            Unanswered: There is no reply, for the named reason.
            PixelProofError: Key, address, account or model's name is wrong.
        """
        limits, deadline = self._limits, time.monotonic() + self._limits.seconds
        url, headers = self.service.url + path, {**self._headers, "Content-Type": content_type}
        attempt = 0
        while True:
            attempt, began = attempt + 1, time.monotonic()
            try:
                content = self._content(post(url, headers, body, deadline, limits.max_bytes))
                return Reply(content, time.monotonic() - began)
            except Passing as error:
                pause = self._pause(attempt) if error.after is None else error.after
                nobody_there = not (error.reached or self.proven)
                late = attempt >= limits.attempts or time.monotonic() + pause >= deadline
                if nobody_there or late or self._closed.wait(pause):
                    raise

    def close(self) -> None:
        """Do not try again any more."""
        self._closed.set()

    def _pause(self, attempt: int) -> float:
        """Twice as long each time, and never quite the same, so that many clients do not all come back at once."""
        pause: float = min(self._limits.first_pause * 2 ** (attempt - 1), self._limits.longest_pause)
        return pause * random.SystemRandom().uniform(0.75, 1.25)  # leaves the process's own generator alone

    def _content(self, response: Response) -> Any:
        if 300 <= response.status < 400:
            raise self._redirected(response)
        try:
            content = json.loads(response.data)
        except (ValueError, RecursionError):
            if response.status >= 400:
                text = response.data[:1000].decode("utf-8", "replace")
                raise trouble(response.status, response.headers, text, self.service) from None
            kind = self.service.scrub(response.headers.get("content-type", "something without a type"))
            detail = f"the reply is not valid JSON, but calls itself {kind}"
            raise Unanswered(Fault.INFRASTRUCTURE, "bad-response", detail) from None
        error = error_in(content)
        if response.status >= 400:
            raise trouble(response.status, response.headers, content if error is None else error, self.service)
        if error is not None:  # some services report with status 200 what went wrong upstream
            code = error.get("code") if isinstance(error, Mapping) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 502
            raise trouble(status, response.headers, error, self.service)
        return content

    def _redirected(self, response: Response) -> PixelProofError:
        """A redirect is not followed: it could carry the key to somebody else."""
        try:
            where = urlsplit(response.headers.get("location", "")).hostname or "another path"
        except ValueError:
            where = "nowhere"
        return PixelProofError(
            f"{self.service.host} redirects to {where}, which is not followed: correct {self.service.url_name}."
        )
