"""The MCP server over HTTP (streamable HTTP with JSON replies), with the access control of the web kit."""

from __future__ import annotations

import secrets
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from pixelproof.tools import Backends, Budget, Media, open_media
from pixelproof.web.server import Access, JSONResponse, Request, Response, Route, application, base_url, serve

from ._protocol import PROTOCOLS, McpServer

PATH = "/mcp"
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
MOST_SESSIONS = 64
"""Sessions that are kept; the one that was unused the longest ends when there are more."""


class Sessions:
    """The servers of several clients on one picture or clip. Safe for several threads."""

    def __init__(self, media: Media, backends: Backends | None, budget: Budget | None) -> None:
        self._media, self._backends, self._budget = media, backends, budget
        self._servers: OrderedDict[str, McpServer] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self) -> tuple[str, McpServer]:
        """A new session and its id."""
        identity = secrets.token_urlsafe(24)
        with self._lock:
            server = self._servers[identity] = McpServer(self._media, self._backends, self._budget)
            while len(self._servers) > MOST_SESSIONS:
                self._servers.popitem(last=False)
        return identity, server

    def get(self, identity: str) -> McpServer | None:
        """The server of a session; None if there is none."""
        with self._lock:
            server = self._servers.get(identity)
            if server is not None:
                self._servers.move_to_end(identity)
            return server

    def end(self, identity: str) -> bool:
        """End a session; whether there was one."""
        with self._lock:
            return self._servers.pop(identity, None) is not None


def mcp_route(sessions: Sessions) -> Route:
    """The one route of the protocol."""

    async def endpoint(request: Request) -> Response:
        identity = request.headers.get(SESSION, "")
        if (asked := request.headers.get(VERSION, PROTOCOLS[0])) not in PROTOCOLS:
            error = f"The protocol version {asked[:40]!r} is not supported: use one of {', '.join(PROTOCOLS)}."
            return JSONResponse({"error": error}, 400)
        if request.method == "DELETE":
            return Response(status_code=200 if sessions.end(identity) else 404)
        if request.method == "GET":  # a stream of messages from the server, of which there are none
            return Response(status_code=405, headers={"Allow": "POST, DELETE"})
        body = await request.body()
        headers = {}
        server = sessions.get(identity)
        if server is None and identity:
            return JSONResponse({"error": "There is no such session: initialize again."}, 404)
        if server is None:
            identity, server = sessions.begin()
            headers = {SESSION: identity}
        reply = await run_in_threadpool(server.handle_text, body)
        if headers and not server.version:  # nothing but a handshake begins a session
            sessions.end(identity)
            headers = {}
        if reply is None:
            return Response(status_code=202)
        return Response(reply, media_type="application/json", headers=headers)

    return Route(PATH, endpoint, methods=["GET", "POST", "DELETE"])


def serve_over_http(
    file: Path,
    backends: Backends | None,
    budget: Budget | None,
    access: Access,
    listener: socket.socket,
    echo: Callable[[str], object],
) -> None:
    """Serve until SIGINT or SIGTERM; prints the address and the header that clients need."""
    sessions = Sessions(open_media(file), backends, budget)
    echo(f"{base_url(access, listener.getsockname()[1])}{PATH}\nAuthorization: Bearer {access.token}")
    serve(application([mcp_route(sessions)], access), listener, echo=lambda text: None)
