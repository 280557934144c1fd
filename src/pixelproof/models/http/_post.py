"""One HTTP request with a deadline and a limit on the reply; no redirects, no connection reuse.

The standard library suffices for a few requests per second, and saves the core an HTTP client as a dependency.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from pixelproof.contract import Failure, Fault
from pixelproof.store import printable, scrub

from ._wire import ReplyTooLarge, Wire, dial, open_tunnel, secured

_CHUNK = 1 << 16
_OVERHEAD = 1 << 20
"""Bytes of headers that a reply may have; those of chunks may double its size."""


class RequestFailed(Exception):
    """A request without a usable reply, with the failure that says why."""

    def __init__(self, fault: Fault, name: str, detail: str, *, billable: bool = True) -> None:
        super().__init__(detail)
        self.failure = Failure(fault, name, detail)
        self.billable = billable
        """Whether the service may bill the request: not if it was never sent, or declined with an error status."""


class TransientFailure(RequestFailed):
    """A failure that a retry may overcome."""

    def __init__(
        self,
        name: str,
        detail: str,
        *,
        after: float | None = None,
        connected: bool = True,
        billable: bool = True,
    ) -> None:
        super().__init__(Fault.INFRASTRUCTURE, name, detail, billable=billable and connected)
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
        deadline: Time limit of everything together, on the clock of `time.monotonic`.
        max_bytes: Largest reply to accept.

    Raises:
        TransientFailure: The connection could not be established, or was lost.
        RequestFailed: The deadline has passed, the reply is too large, or the certificate of the server is not valid.
    """
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    sent = False
    try:
        with closing(_connected(parts, deadline)) as channel:
            sent = True
            kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            connection = kind(parts.hostname or "", parts.port)
            connection.sock = Wire(channel, deadline, 2 * max_bytes + _OVERHEAD)
            with suppress(BrokenPipeError, ConnectionResetError):  # a server may refuse before it has read the body
                connection.request("POST", target, body, {"Accept-Encoding": "identity", **headers})
            with connection.getresponse() as response:
                lowered = {name.lower(): value for name, value in response.getheaders()}
                return Response(response.status, lowered, _read(response, max_bytes))
    except TimeoutError:
        detail = "no complete reply before the deadline"
        raise RequestFailed(Fault.INFRASTRUCTURE, "timeout", detail, billable=sent) from None
    except ReplyTooLarge:
        raise _too_large(max_bytes) from None
    except (OSError, http.client.HTTPException) as error:
        raise TransientFailure("api-error", f"the connection was lost ({_reason(error)})") from None


def _connected(url: SplitResult, deadline: float) -> socket.socket:
    """A connection to the host of a URL, through the user's proxy if it is an https URL."""
    host, port = url.hostname or "", url.port
    proxy = _proxy(host) if url.scheme == "https" else None
    try:
        if url.scheme == "http":
            return dial(host, port or 80, deadline)
        channel = dial(host, port or 443, deadline) if proxy is None else _through(proxy, host, port or 443, deadline)
        try:
            return secured(channel, host, deadline)
        except BaseException:
            channel.close()
            raise
    except TimeoutError:
        raise
    except ssl.SSLError as error:
        detail = f"{url.hostname} has no valid certificate ({_reason(error)})"
        raise RequestFailed(Fault.INFRASTRUCTURE, "api-error", detail, billable=False) from None
    except (OSError, UnicodeError, http.client.HTTPException) as error:  # UnicodeError: an invalid host name
        detail = f"{url.hostname} cannot be reached ({_reason(error)})"
        raise TransientFailure("api-error", detail, connected=False) from None


def _proxy(host: str) -> SplitResult | None:
    """The user's proxy for a host, if there is one."""
    given = None if proxy_bypass(host) else getproxies().get("https")
    if given is None:
        return None
    try:
        proxy = urlsplit(given if "//" in given else f"//{given}")
        return proxy if proxy.port != 0 else None  # reads the port, which may be invalid
    except ValueError:
        detail = "HTTPS_PROXY is not a valid address"
        raise RequestFailed(Fault.INFRASTRUCTURE, "api-error", detail, billable=False) from None


def _through(proxy: SplitResult, host: str, port: int, deadline: float) -> socket.socket:
    channel = dial(proxy.hostname or "", proxy.port or 80, deadline)
    try:
        open_tunnel(channel, proxy, host, port, deadline)
    except BaseException:
        channel.close()
        raise
    return channel


def _read(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    """Read the body in chunks, up to the limit."""
    announced = response.length
    data = bytearray()
    while announced is None or len(data) < announced:
        if max(len(data), announced or 0) > max_bytes:
            raise _too_large(max_bytes)
        piece = response.read1(_CHUNK)
        if not piece:
            break
        data += piece
    if announced is not None and len(data) < announced:
        raise http.client.IncompleteRead(bytes(data), announced - len(data))
    return bytes(data)


def _too_large(max_bytes: int) -> RequestFailed:
    return RequestFailed(Fault.INFRASTRUCTURE, "bad-response", f"the reply is larger than {max_bytes / 2**20:g} MB")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return printable(" ".join(scrub(f"{type(error).__name__} {error}").split())[:200])
