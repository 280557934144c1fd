"""One HTTP request with a deadline and a limit on the reply; no redirects, no connection reuse.

The standard library suffices for a few requests per second, and saves the core an HTTP client as a dependency.
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


class RequestFailed(Exception):
    """A request without a usable reply, with the failure that says why."""

    def __init__(self, fault: Fault, name: str, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(fault, name, detail)


class TransientFailure(RequestFailed):
    """A failure that a retry may overcome."""

    def __init__(self, name: str, detail: str, *, after: float | None = None, connected: bool = True) -> None:
        super().__init__(Fault.INFRASTRUCTURE, name, detail)
        self.after = after
        """Pause in seconds that the service requests, if any."""
        self.connected = connected
        """Whether a connection was established."""


@dataclass(frozen=True)
class Response:
    """The reply of a server."""

    status: int
    headers: Mapping[str, str]
    """Headers with lower-case names."""
    data: bytes


def post(url: str, headers: Mapping[str, str], body: bytes, deadline: float, max_bytes: int) -> Response:
    """Send a request and read the whole reply.

    Args:
        url: An http or https URL.
        headers: Headers of the request.
        body: Body of the request.
        deadline: Time limit, on the clock of `time.monotonic`.
        max_bytes: Largest reply to accept.

    Raises:
        TransientFailure: The connection could not be established, or was lost.
        RequestFailed: The deadline has passed, the reply is too large, or the certificate of the server is not valid.
    """
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        with closing(_connection(parts, _left(deadline))) as connection:
            _connect(connection, parts)
            channel = connection.sock  # the connection may drop its reference once the headers are read
            with suppress(BrokenPipeError, ConnectionResetError):  # a server may refuse before it has read the body
                connection.request("POST", target, body, {"Accept-Encoding": "identity", **headers})
            with connection.getresponse() as response:
                lowered = {name.lower(): value for name, value in response.getheaders()}
                return Response(response.status, lowered, _read(response, channel, deadline, max_bytes))
    except TimeoutError:
        raise RequestFailed(Fault.INFRASTRUCTURE, "timeout", "no complete reply before the deadline") from None
    except (OSError, http.client.HTTPException) as error:
        raise TransientFailure("api-error", f"the connection was lost ({_reason(error)})") from None


def _connection(url: SplitResult, timeout: float) -> http.client.HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "http":
        return http.client.HTTPConnection(host, url.port, timeout=timeout)
    proxy = None if proxy_bypass(host) else getproxies().get("https")
    if proxy is None:
        return http.client.HTTPSConnection(host, url.port, timeout=timeout, context=_tls())
    try:
        via = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        proxy_host, port = via.hostname or "", via.port or 80
    except ValueError:
        raise RequestFailed(Fault.INFRASTRUCTURE, "api-error", "HTTPS_PROXY is not a valid address") from None
    connection = http.client.HTTPSConnection(proxy_host, port, timeout=timeout, context=_tls())
    login = f"{unquote(via.username)}:{unquote(via.password or '')}" if via.username else None
    authorization = {"Proxy-Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"} if login else {}
    connection.set_tunnel(host, url.port or 443, authorization)
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
        detail = f"{url.hostname} has no valid certificate ({_reason(error)})"
        raise RequestFailed(Fault.INFRASTRUCTURE, "api-error", detail) from None
    except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
        detail = f"{url.hostname} cannot be reached ({_reason(error)})"
        raise TransientFailure("api-error", detail, connected=False) from None


def _read(response: http.client.HTTPResponse, channel: socket.socket, deadline: float, max_bytes: int) -> bytes:
    """Read the body in chunks, so that a slow server cannot exceed the deadline."""
    announced = response.length
    data = bytearray()
    while announced is None or len(data) < announced:
        if max(len(data), announced or 0) > max_bytes:
            detail = f"the reply is larger than {max_bytes / 2**20:g} MB"
            raise RequestFailed(Fault.INFRASTRUCTURE, "bad-response", detail)
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
