"""Connections on which every operation ends at one absolute deadline, however slowly the other side sends.

The timeout of a socket starts anew with every byte that arrives, so a server that sends a byte now and then would hold
a call for as long as it likes: in the TLS handshake, the headers, the sizes of chunks or the body.
"""

from __future__ import annotations

import base64
import http.client
import io
import socket
import ssl
import threading
import time
from functools import cache
from typing import Any
from urllib.parse import SplitResult, unquote

_BUFFER = 1 << 16
_TUNNEL_BYTES = 1 << 20


class ReplyTooLarge(Exception):
    """More bytes arrived than any reply within the limit needs."""


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline on the clock of `time.monotonic`.

    Raises:
        TimeoutError: It has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class Wire:
    """The part of a socket that `http.client` uses; whoever opened the socket closes it."""

    def __init__(self, channel: socket.socket, deadline: float, max_bytes: int) -> None:
        self._channel, self._deadline, self._max_bytes = channel, deadline, max_bytes

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        rest = memoryview(data)
        while rest:
            self._channel.settimeout(seconds_left(self._deadline))
            rest = rest[self._channel.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """A buffered reader of what arrives."""
        return io.BufferedReader(_Reader(self._channel, self._deadline, self._max_bytes), _BUFFER)

    def close(self) -> None:
        """Do nothing: `http.client` closes a connection before it has read the reply."""


class _Reader(io.RawIOBase):
    def __init__(self, channel: socket.socket, deadline: float, max_bytes: int) -> None:
        self._channel, self._deadline, self._room = channel, deadline, max_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._channel.settimeout(seconds_left(self._deadline))
        count = self._channel.recv_into(buffer)
        self._room -= count
        if self._room < 0:  # endless headers or `100 Continue`, which are no part of a body
            raise ReplyTooLarge
        return count


def dial(host: str, port: int, deadline: float) -> socket.socket:
    """A TCP connection to the first address of a host that accepts one."""
    failed: OSError = OSError("the host has no address")
    for family, kind, protocol, _, address in _addresses(host, port, deadline):
        channel = socket.socket(family, kind, protocol)
        try:
            channel.settimeout(seconds_left(deadline))
            channel.connect(address)
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return channel
        except OSError as error:
            channel.close()
            failed = error
    raise failed


def _addresses(host: str, port: int, deadline: float) -> list[Any]:
    """The addresses of a host. The system's resolver takes no deadline, so it works in a thread of its own."""
    outcome: list[Any] = []

    def resolve() -> None:
        try:
            outcome.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
            outcome.append(error)

    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(seconds_left(deadline))
    if not outcome:
        raise TimeoutError
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    found: list[Any] = outcome[0]
    return found


def open_tunnel(channel: socket.socket, proxy: SplitResult, host: str, port: int, deadline: float) -> None:
    """Have a proxy connect the channel to a host.

    Raises:
        OSError: The proxy refuses.
    """
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.username:
        login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(login).decode()}")
    wire = Wire(channel, deadline, _TUNNEL_BYTES)
    wire.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
    response = http.client.HTTPResponse(wire, method="CONNECT")  # type: ignore[arg-type]
    response.begin()
    if response.status != 200:
        raise OSError(f"the proxy answers {response.status} {response.reason}")


def secured(channel: socket.socket, host: str, deadline: float) -> ssl.SSLSocket:
    """The channel after a TLS handshake; the timeout of a handshake counts for all of it."""
    channel.settimeout(seconds_left(deadline))
    return tls_context().wrap_socket(channel, server_hostname=host)


@cache
def tls_context() -> ssl.SSLContext:
    """Certificates of the system, or of SSL_CERT_FILE."""
    return ssl.create_default_context()
