"""One HTTP request with a deadline and a limit on the reply; no redirects, no connection kept open.

The standard library is enough for a few requests a second, and keeps the core without an HTTP client.
"""

from __future__ import annotations

import base64
import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from pixelproof.contract import Failure, Fault

_CHUNK = 1 << 16


class Unanswered(Exception):
    """There is no usable reply."""

    def __init__(self, fault: Fault, name: str, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(fault, name, detail)


class Passing(Unanswered):
    """There is no reply now, but there may be one in a moment."""

    def __init__(self, name: str, detail: str, *, after: float | None = None, reached: bool = True) -> None:
        super().__init__(Fault.INFRASTRUCTURE, name, detail)
        self.after = after
        """Seconds to wait, if the service named them."""
        self.reached = reached
        """Whether there was a connection at all."""


@dataclass(frozen=True)
class Response:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    """With names in lower case."""
    data: bytes


def post(url: str, headers: Mapping[str, str], body: bytes, deadline: float, max_bytes: int) -> Response:
    """Send a request and read the whole reply.

    Args:
        url: With http or https.
        headers: Of the request.
        body: Of the request.
        deadline: By `time.monotonic`.
        max_bytes: Give up on longer replies.

    Raises:
        Passing: The connection could not be made, or broke off.
        Unanswered: The deadline has passed, the reply is too long, or the server is not who it should be.
    """
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        with closing(_connection(parts, _left(deadline))) as connection:
            _connect(connection, parts)
            channel = connection.sock  # the connection may forget it as soon as the headers are read
            with suppress(BrokenPipeError, ConnectionResetError):  # a server may refuse before it has read everything
                connection.request("POST", target, body, {"Accept-Encoding": "identity", **headers})
            with connection.getresponse() as response:
                told = {name.lower(): value for name, value in response.getheaders()}
                return Response(response.status, told, _read(response, channel, deadline, max_bytes))
    except TimeoutError:
        raise Unanswered(Fault.INFRASTRUCTURE, "timeout", "there was no whole reply in time") from None
    except (OSError, http.client.HTTPException) as error:
        raise Passing("api-error", f"the connection broke off ({_reason(error)})") from None


def _connection(url: SplitResult, timeout: float) -> http.client.HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "http":
        return http.client.HTTPConnection(host, url.port, timeout=timeout)
    proxy = None if proxy_bypass(host) else getproxies().get("https")
    if proxy is None:
        return http.client.HTTPSConnection(host, url.port, timeout=timeout, context=_tls())
    try:
        via = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        near, port = via.hostname or "", via.port or 80
    except ValueError:
        raise Unanswered(Fault.INFRASTRUCTURE, "api-error", "HTTPS_PROXY is not an address") from None
    connection = http.client.HTTPSConnection(near, port, timeout=timeout, context=_tls())
    login = f"{unquote(via.username)}:{unquote(via.password or '')}" if via.username else None
    who = {"Proxy-Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"} if login else {}
    connection.set_tunnel(host, url.port or 443, who)
    return connection


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _connect(connection: http.client.HTTPConnection, url: SplitResult) -> None:
    try:
        connection.connect()
    except TimeoutError:
        raise
    except ssl.SSLError as error:
        detail = f"{url.hostname} cannot prove who it is ({_reason(error)})"
        raise Unanswered(Fault.INFRASTRUCTURE, "api-error", detail) from None
    except (OSError, UnicodeError) as error:  # the latter for names that no host can have
        detail = f"{url.hostname} cannot be reached ({_reason(error)})"
        raise Passing("api-error", detail, reached=False) from None


def _read(response: http.client.HTTPResponse, channel: socket.socket, deadline: float, max_bytes: int) -> bytes:
    """The body, as it comes: a server that sends a byte now and then must not outlast the deadline."""
    announced = response.length
    data = bytearray()
    while announced is None or len(data) < announced:
        if max(len(data), announced or 0) > max_bytes:
            detail = f"the reply is longer than {max_bytes / 2**20:g} MB"
            raise Unanswered(Fault.INFRASTRUCTURE, "bad-response", detail)
        channel.settimeout(_left(deadline))
        piece = response.read1(_CHUNK)
        if not piece:
            break
        data += piece
    if announced is not None and len(data) < announced:
        raise http.client.IncompleteRead(bytes(data), announced - len(data))
    return bytes(data)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(f"{type(error).__name__} {error}".split())[:200]
