"""The guard around every application of ours: host, access, cross-site requests, sizes, headers."""

from __future__ import annotations

import math

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pixelproof.web._html import Html, tag

from ._access import SAFE_METHODS, Access, Visitor
from ._limits import Limits

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""What every response carries, unless it has a value of its own."""
ADMIT = "pixelproof.admit"
"""Key in the state of a scope: the function to call for a request with a token, which keeps its connection."""
_TOO_LARGE = "The request is larger than {:,} bytes."


class Guard:
    """ASGI middleware: passes on what may pass, answers the rest itself, and adds the headers to every response."""

    def __init__(self, app: ASGIApp, access: Access, max_body: int, limits: Limits | None = None) -> None:
        """Wrap an application.

        Args:
            app: The application.
            access: The secrets of this start.
            max_body: Bytes that the body of a request may have.
            limits: Of requests per visitor and address; None: no limits.
        """
        self._app = app
        self.access = access
        self._max_body = max_body
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no application of ours has web sockets
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._check(scope, Headers(scope=scope)) or self._app
        await answer(scope, _limited(receive, self._max_body), send_with_headers)

    def _check(self, scope: Scope, headers: Headers) -> Response | None:
        """The response to a request that may not pass; None for one that may: its visitor is then in the scope."""
        port = (scope.get("server") or ("", 0))[1] or 0
        method, query = scope["method"], scope["query_string"].decode("latin-1")
        if not self.access.is_known_host(headers.get("host", "")):
            return PlainTextResponse("Use the address that the server printed.", 421)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            return PlainTextResponse("Pages of other servers may not use this one.", 403)
        signing_in = self.access.of_query(query) if method in SAFE_METHODS else None
        visitor = self.access.of_bearer(headers)
        if visitor is not None and not self.access.allows(visitor, scope["path"]):
            visitor = None
        by_cookie = None if visitor else self.access.of_cookies(headers, port, scope["path"])
        known = signing_in or visitor or by_cookie
        if known is not None and (admit := scope.get("state", {}).get(ADMIT)) is not None:
            admit()
        if (refusal := self._limit(scope, known)) is not None:
            return refusal
        if signing_in is not None:
            return _sign_in(self.access.cookie(port, signing_in), signing_in.home)
        if by_cookie is not None and method not in SAFE_METHODS and not self.access.may_change(headers, by_cookie):
            return PlainTextResponse("This request does not come from a page of this server: reload it.", 403)
        if (found := visitor or by_cookie) is None:
            return _message("Open the address that the server printed, or the link that you got: it has a token.", 401)
        scope.setdefault("state", {})["visitor"] = found
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._max_body:
            return PlainTextResponse(_TOO_LARGE.format(self._max_body), 413)
        return None

    def _limit(self, scope: Scope, visitor: Visitor | None) -> Response | None:
        """The response to a request beyond the limits."""
        if self._limits is None:
            return None
        address = str((scope.get("client") or ("", 0))[0])
        wait = self._limits.address.wait(address)
        wait = wait or (self._limits.visitor.wait(visitor.session) if visitor else self._limits.stranger.wait(address))
        if not wait:
            return None
        return PlainTextResponse("Too many requests: wait a moment.", 429, {"Retry-After": str(math.ceil(wait))})


def _limited(receive: Receive, limit: int) -> Receive:
    """Counts the bytes of a body while they are read: its length need not be in the headers, nor be true there."""
    left = limit

    async def limited() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, _TOO_LARGE.format(limit))
        return message

    return limited


def _sign_in(cookie: str, home: str) -> Response:
    """Sets the cookie, then loads the page without the token.

    Not a redirect: after a click on a link of another site, browsers do not send a strict cookie along a redirect.
    """
    response = _message("Signed in.", 200)
    response.headers["Set-Cookie"] = cookie
    response.headers["Refresh"] = f"0; url={home}"
    return response


def _message(text: str, status: int) -> Response:
    head = tag("head", tag("meta", charset="utf-8"), tag("title", "PixelProof"))
    return HTMLResponse(Html("<!doctype html>\n" + tag("html", head, tag("body", tag("p", text)), lang="en")), status)
