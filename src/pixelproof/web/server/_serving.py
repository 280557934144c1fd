"""Run an application until it is stopped."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pixelproof.contract import PixelProofError
from pixelproof.web._html import Html, tag

from ._access import Access
from ._guard import ADMIT, Guard

GRACE_SECONDS = 5
"""How long requests in progress may take when the server stops."""
_MAX_CONNECTIONS = 200
_MAX_STRANGERS = 100
"""Connections that have not brought a token yet."""
_STRANGER_SECONDS = 10
"""How long such a connection may stay."""
_MAX_HEADERS = 16 * 1024
_EVERYWHERE = ("0.0.0.0", "::", "")


def bind(host: str = "127.0.0.1", port: int = 0, public: bool = False, url: str = "") -> socket.socket:
    """A socket that listens; port 0 takes any free one.

    Args:
        host: The address to listen at.
        port: The port.
        public: Whether an address that other machines can reach is allowed.
        url: The address that visitors use, if it is not that of `host`.

    Raises:
        PixelProofError: The address is not available, or not allowed.
    """
    check_address(host, public, url)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OverflowError as error:
        raise PixelProofError(f"There is no port {port}: choose --port between 0 and 65535.") from error
    except OSError as error:
        raise PixelProofError(
            f"Cannot listen at {host}, port {port} ({error.strerror}): choose another --port or --host."
        ) from error


def serve(
    app: Guard, listener: socket.socket, open_browser: bool = False, echo: Callable[[str], object] = print
) -> None:
    """Serve until SIGINT or SIGTERM; requests in progress are finished.

    Args:
        app: What `application` returned.
        listener: What `bind` returned; it is closed at the end.
        open_browser: Open the page in a browser.
        echo: Where to print the address.
    """
    port = listener.getsockname()[1]
    url = address(app.access, port)
    echo(f"{url}\nStop with Ctrl+C.")
    if not is_loopback(app.access.host) and not app.access.url.startswith("https:"):
        echo("Other machines can reach this address, and the connection is not encrypted: share it with care.")
    config = uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # it would contain the token
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MAX_CONNECTIONS,
        h11_max_incomplete_event_size=_MAX_HEADERS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    with _opened_in_browser(url) if open_browser else nullcontext():
        _Server(config).run(sockets=[listener])


def address(access: Access, port: int) -> str:
    """The address with the token."""
    return f"{base_url(access, port)}{access.home}?token={access.token}"


def base_url(access: Access, port: int) -> str:
    """The address without a path, as visitors use it."""
    host = f"[{access.host}]" if ":" in access.host else access.host
    return access.url.rstrip("/") or f"http://{host}:{port}"


class _Connection(H11Protocol):
    """Closed unless a request with a token comes in time; where too many lack one, the oldest makes room."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._closing = self.loop.call_later(_STRANGER_SECONDS, transport.abort)
        self.app_state = {**self.app_state, ADMIT: self._closing.cancel}
        strangers = [
            connection
            for connection in self.connections
            if isinstance(connection, _Connection) and not connection._closing.cancelled()
        ]
        if len(strangers) > _MAX_STRANGERS:
            oldest = min(strangers, key=lambda connection: connection._closing.when())
            self.connections.discard(oldest)  # now, not when its end is handled: it would count until then
            oldest.transport.abort()


class _Server(uvicorn.Server):
    """Stops at a signal and returns; uvicorn would raise the signal again, and end as if it had failed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


@contextmanager
def _opened_in_browser(url: str) -> Iterator[None]:
    """Open an address by a private file: every user of a machine can read the command lines of its programs."""
    descriptor, name = tempfile.mkstemp(".html", "pixelproof-")  # readable by its owner only
    page = tag("html", tag("head", tag("meta", http_equiv="refresh", content=f"0; url={url}")))
    with os.fdopen(descriptor, "w") as file:
        file.write(Html("<!doctype html>") + page)
    try:
        webbrowser.open(Path(name).as_uri())
        yield
    finally:
        with suppress(OSError):
            os.unlink(name)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_address(host: str, public: bool, url: str) -> None:
    """Refuse addresses that other machines can reach, unless that is wanted, and links that nobody could open.

    Raises:
        PixelProofError: The address needs `--public` or `--url`, or the URL is none.
    """
    if url:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise PixelProofError(f"--url {url}: write an address without a path, such as https://rate.example.org.")
    if is_loopback(host):
        return
    if not public:
        raise PixelProofError(
            f"Other machines can reach {host}: add --public if you want that. The connection is not encrypted: put a "
            "proxy with HTTPS before it (--url https://…) unless you trust the network."
        )
    if host in _EVERYWHERE and not url:
        raise PixelProofError(f"--host {host} is no address to open: add --url with the one that visitors will use.")
